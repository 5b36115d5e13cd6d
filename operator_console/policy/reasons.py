"""The sentences that tell an operator why policy chose a risk class. Rules themselves carry names and values only.

`{}` stands for a value that a rule quotes: words of a table, a command line, a host.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.risk import Category

LONGEST_VALUE = 8_000
"""Characters of a quoted value that a sentence shows; the number of the others follows."""

_SENTENCES = {
    "clipboard": "Uses the clipboard.",
    "closes": "Closes something.",
    "command-changes-security": "The command changes permissions, keys, firewalls or processes.",
    "command-changes-system": "The command changes the system.",
    "command-deletes": "The command deletes something.",
    "command-downloads": "The command downloads something and may run it.",
    "command-installs": "The command installs or removes programs.",
    "command-logs-in": "The command signs in to a computer or service.",
    "command-sends": "The command sends a message.",
    "command-too-long": "The command is too long to be judged as a whole.",
    "command-touches-keys": "The command names keys, startup files or access lists.",
    "command-uploads": "The command sends files or data to another computer.",
    "console-chord": "Controls the console itself.",
    "delete-key": "Deletes the selection.",
    "downloads-program": "The address points to a program.",
    "drops-on-trash": "Drops something on the trash.",
    "editor-may-run-it": "The editor may contain a terminal, which runs the submitted line.",
    "foreign-address": "{}: addresses may start another program.",
    "launches": "Starts an application, or opens a launcher, a window or a tab.",
    "local-file": "Opens a file on this computer.",
    "login-by-enter": "Pressing Enter in “{}” signs in.",
    "looks-only": "Only looks at the screen. Sends nothing.",
    "message-address": "{}: addresses start a message.",
    "middle-click": "A middle click may paste or open a new tab.",
    "moves-files": "A drag in a file manager moves files.",
    "names-this-console": "It refers to this console.",
    "new-site": "Opens another site: {}",
    "no-rule": "No rule covers this action.",
    "opens-file": "A double click opens or starts a file.",
    "opens-menu": "A right click opens a menu.",
    "ordinary-input": "Ordinary pointing or scrolling.",
    "ordinary-keys": "Ordinary key press.",
    "ordinary-pointing": "Ordinary mouse click.",
    "ordinary-typing": "Ordinary typing.",
    "overwrites": "Replaces or changes something that exists.",
    "own-function": "Calls your function {}; its effect is not known.",
    "own-window": "Acts on the console itself.",
    "page-history": "Goes one page back or forward.",
    "pastes-into-terminal": "Pastes into a terminal; a line break in the pasted text runs it.",
    "reads-file": "Reads a file.",
    "same-site": "Another page of the same site.",
    "script-address": "{}: addresses run code in the page.",
    "searches-web": "Starts a web search.",
    "security-tool": "This application manages keys, passwords or permissions.",
    "sends-by-key": "Sends the message in mail and chat applications.",
    "submit-publishes": "Submitting this publishes it.",
    "submit-sends": "Submitting this sends it to a recipient.",
    "system-file": "This is a system file.",
    "system-keys": "Controls the system or the desktop session.",
    "system-settings": "This application changes system settings.",
    "terminal-command": "Runs a command line: {}",
    "terminal-command-unknown": "Submits a command line whose text is not known.",
    "text-into-terminal": "Types text into a terminal.",
    "unread-target": "The text there could not be read.",
}
_BY_SOURCE = {
    "by-content": "The text contains what looks like {}.",
    "by-drag": "The drag involves “{}”.",
    "by-field": "The field is labelled “{}”.",
    "by-intent": "The model's reason mentions “{}”.",
    "by-label": "The target says “{}”.",
    "by-question": "Confirms “{}”.",
    "by-title": "Enter confirms “{}” in this window.",
}
"""For rules named after a category and the source of its words ("delete-by-label")."""


def reason(rule: str, category: Category | None, values: Sequence[str]) -> str:
    """The sentence of a rule, with its values. Raises KeyError for an unknown rule."""
    sentence = _SENTENCES.get(rule)
    if sentence is None:
        prefix = f"{category.value}-" if category is not None else ""
        sentence = _BY_SOURCE[rule.removeprefix(prefix)]
    return sentence.format(*(_shortened(value) for value in values))


def _shortened(value: str) -> str:
    shown = value.replace("\n", "⏎")
    if len(shown) <= LONGEST_VALUE:
        return shown
    return f"{shown[:LONGEST_VALUE]} … ({len(shown) - LONGEST_VALUE} more characters)"
