"""The sentences that tell an operator why policy chose a risk class. Rules themselves carry names and values only.

`{}` stands for a value that a rule quotes: words of a table, a command line, a host.
"""

from __future__ import annotations

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Protocol

from operator_console.domain.category_names import category_name
from operator_console.domain.risk import Category
from operator_console.domain.translations import ENGLISH

LONGEST_VALUE = 8_000
"""Characters of a quoted value that a sentence shows; the number of the others follows."""

_SENTENCES = {
    "address-carries-data": "The address carries “{}” to {}, a site that is new in this session.",
    "app-out-of-scope": "{} is not among the applications of this session.",
    "assents": "It says yes to what is asked, which no table of words knows.",
    "chooses-upload": "Chooses a file for the page or the message.",
    "clears-unknown": "Selects all and deletes it, and it is not known whether that is a field.",
    "clipboard": "Uses the clipboard.",
    "closes": "Closes something.",
    "command-changes-security": "The command changes permissions, keys, firewalls or processes.",
    "command-changes-system": "The command changes the system.",
    "command-deletes": "The command deletes something.",
    "command-downloads": "The command downloads something and may run it.",
    "command-installs": "The command installs or removes programs.",
    "command-logs-in": "The command signs in to a computer or service.",
    "command-not-known": "It is not known what exactly the line says.",
    "command-sends": "The command sends a message.",
    "command-too-long": "The command is too long to be judged as a whole.",
    "command-touches-keys": "The command names keys, startup files or access lists.",
    "command-uploads": "The command sends files or data to another computer.",
    "confirms-payment": "Confirms a payment: {}",
    "console-chord": "Controls the console itself.",
    "content-lets-in": "The text holds a key that lets somebody sign in once it is saved.",
    "content-starts-programs": "The text would start programs once it is saved.",
    "declines": "It declines.",
    "delete-key": "Deletes the selection.",
    "downloads-program": "The address points to a program.",
    "downloads-link": "With Alt, a click on a link downloads what it leads to.",
    "drops-elsewhere": "What is being dragged would be dropped somewhere else.",
    "drops-file": "Drops a file on a page or a message.",
    "drops-into-terminal": "Drops something into a terminal; a line break in it runs it.",
    "drops-on-trash": "Drops something on the trash.",
    "edits-file": "Writes to the file {}.",
    "editor-may-run-it": "The editor may contain a terminal, which runs the submitted line.",
    "effect-out-of-scope": "“{}” is not among the kinds of effect of this session.",
    "fills-in-secret": "Fills in something that is saved and hidden.",
    "foreign-address": "{}: addresses may start another program.",
    "held-key": "{} stays pressed, and acts on whatever has the focus then.",
    "hidden-folder": "Changes what is in {}, a hidden folder or one below it.",
    "install-by-place": "Confirms what is installed or removed there.",
    "launches": "Starts an application, or opens a launcher, a window or a tab.",
    "launches-session-program": "{} ends, locks or restarts the session, the machine or a program.",
    "local-file": "Opens a file on this computer.",
    "first-app": "{} was not used in this session yet.",
    "first-site": "{} is new in this session.",
    "fills-in-person": "Fills in what is saved about a person: {}",
    "focus-not-told": "Its application does not tell which field has the focus. It may be this one.",
    "login-by-enter": "Pressing Enter in “{}” signs in.",
    "login-by-form": "It may send what is in “{}”.",
    "looks-only": "Only looks at the screen. Sends nothing.",
    "mcp-tool": "Calls the tool {} of the MCP server {}; its effect is not known.",
    "mcp-tool-unasked": "Calls the tool {} of the MCP server {}, which your settings let run without a question.",
    "menu-by-letter": "A letter chooses a menu entry that is not known, in {}.",
    "message-address": "{}: addresses start a message.",
    "opens-new-file": "Opens {}, which came in this session and may be a program.",
    "outside-documents": "Writes {}, which is outside the folders of documents.",
    "middle-click": "A middle click may paste or open a new tab.",
    "moves-files": "A drag in a file manager moves files.",
    "names-this-console": "It refers to this console.",
    "new-site": "Opens another site: {}",
    "no-rule": "No rule covers this action.",
    "opens-file": "A double click opens or starts a file.",
    "opens-menu": "A right click opens a menu.",
    "opens-menu-entry": "A letter chooses a menu entry that is not known.",
    "ordinary-input": "Ordinary pointing or scrolling.",
    "ordinary-keys": "Ordinary key press.",
    "ordinary-pointing": "Ordinary mouse click.",
    "ordinary-typing": "Ordinary typing.",
    "overwrites": "Replaces or changes something that exists.",
    "own-function": "Calls your function {}; its effect is not known.",
    "own-window": "Acts on the console itself.",
    "page-history": "Goes one page back or forward.",
    "password-field": "It is a password field.",
    "secret-by-name": "It types the secret “{}”.",
    "pastes-file": "Pastes a file into a page or a message.",
    "pastes-into-terminal": "Pastes into a terminal; a line break in the pasted text runs it.",
    "path-of-keys": "{} holds keys or passwords.",
    "path-of-startup": "What is in {} starts by itself or changes what starts.",
    "reads-file": "Reads a file.",
    "restarts-shell": "Restarts the shell in the sandbox.",
    "same-site": "Another page of the same site.",
    "saves-protection": "It changes what protects this computer or lets others in: {}",
    "runs-cell": "Runs what is in the cell.",
    "saves-script": "Saves {}, which runs as a program when something starts it.",
    "script-address": "{}: addresses run code in the page.",
    "searches-web": "Starts a web search.",
    "security-tool": "This application manages keys, passwords or permissions.",
    "sends-by-key": "Sends the message in mail and chat applications.",
    "settings-of-console": "The text changes this console's settings once it is saved.",
    "starts-file": "Starts a program file: {}",
    "submit-publishes": "Submitting this publishes it.",
    "submit-sends": "Submitting this sends it to a recipient.",
    "site-not-told": "{} does not tell which site it shows, and it may be none of this session.",
    "site-out-of-scope": "{} is not among the sites of this session.",
    "submits-unknown": "It is not known what Enter in “{}” submits.",
    "system-file": "This is a system file.",
    "system-keys": "Controls the system or the desktop session.",
    "system-settings": "This application changes system settings.",
    "terminal-key": "What these keys do in a terminal is not known; some run the line.",
    "terminal-command": "Runs a command line: {}",
    "terminal-command-changed": "History, completion or a paste may have changed the line.",
    "terminal-command-unknown": "Submits a command line whose text is not known.",
    "text-into-other-machine": "Types text into another machine.",
    "text-into-terminal": "Types text into a terminal.",
    "text-for-site": "A long or encoded text goes to {}, which neither the task nor the operator named.",
    "unknown-button-anywhere": "It is not known what “{}” carries out.",
    "unknown-button": "It is not known what “{}” carries out, and it is in {}.",
    "unknown-control": "What is there is not known, and it is {}.",
    "unknown-focus": "What has the focus is not known, and it is {}.",
    "unnamed-control": "The control has no name, and it is {}.",
    "unread-target": "Medium because the control is unknown.",
    "warned": "The dialog warns: {}",
}
_BY_SOURCE = {
    "address": "The address of the link says “{}”.",
    "content": "The text contains what looks like {}.",
    "drag": "The drag involves “{}”.",
    "field": "The field is labelled “{}”.",
    "intent": "The model's reason mentions “{}”.",
    "label": "The target says “{}”.",
    "question": "Confirms “{}”.",
    "title": "Enter confirms “{}” in this window.",
}
"""For rules named after a category and the source of its words ("delete-by-label"), by the source."""


MESSAGES = (*_SENTENCES.values(), *_BY_SOURCE.values())
"""For translators."""


class Found(Protocol):
    """What a rule found: its name and what it quotes."""

    @property
    def rule(self) -> str: ...
    @property
    def values(self) -> tuple[str, ...]: ...


_ORDINARY = "ordinary-"
EFFECT_OUT_OF_SCOPE = "effect-out-of-scope"
"""The rule that quotes a category, which is shown by its name."""
TEXT_FOR_SITE = "text-for-site"


def sentences(findings: Sequence[Found], language: NullTranslations = ENGLISH) -> tuple[str, ...]:
    """The sentences of what rules found, each once. Raises LookupError for an unknown rule, or values that lack.

    That it is ordinary otherwise is not said beside what makes it more than that.
    """
    more = any(not each.rule.startswith(_ORDINARY) for each in findings)
    told = (each for each in findings if not (more and each.rule.startswith(_ORDINARY)))
    return tuple(dict.fromkeys(reason(each.rule, each.values, language) for each in told))


def reason(rule: str, values: Sequence[str], language: NullTranslations = ENGLISH) -> str:
    """The sentence of a rule, with its values. Raises LookupError for an unknown rule, or values that lack,
    ValueError for an unknown category.
    """
    sentence = _SENTENCES.get(rule) or _BY_SOURCE[rule.rpartition("-by-")[2]]
    if rule == EFFECT_OUT_OF_SCOPE:
        values = [category_name(Category(value), language) for value in values]
    return language.gettext(sentence).format(*(_shortened(value) for value in values))


def _shortened(value: str) -> str:
    shown = value.replace("\n", "⏎")
    if len(shown) <= LONGEST_VALUE:
        return shown
    return f"{shown[:LONGEST_VALUE]} … ({len(shown) - LONGEST_VALUE} more characters)"
