"""Assesses what file managers and file choosers do to files: where they are put, and which are opened.

Harmless places and kinds of files are listed, because a list of dangerous ones cannot be complete.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    Press,
    Release,
    TypeText,
    UseElement,
)
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import ControlSource, Role
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_file_manager, is_mail, is_messenger, is_portal
from operator_console.policy.control_kinds import declines, hit, takes_text
from operator_console.policy.file_paths import is_hidden, is_program_file, path_findings, written_findings
from operator_console.policy.findings import Finding, PolicyContext, categorised
from operator_console.policy.input_places import is_file_chooser
from operator_console.policy.pasted_text import PASTING_KEYS
from operator_console.policy.word_tables import tables

_TITLE_PARTS = re.compile(r"\s[-–—:|·]\s")
# Files that a viewer shows and nothing runs.
_SHOWN_ONLY = re.compile(
    r"\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|svg|ico|mp[34]|m4[av]|og[gv]|opus|flac|wav|webm|mkv|avi|mov|txt|md|rst|tex|"
    r"csv|tsv|log|json|xml|ya?ml|od[tspg]|docx|xlsx|pptx|rtf|epub|eml|ics|vcf|zip|tar|gz|tgz|bz2|xz|7z)$",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.\w{1,8}$")
_ENTERS = frozenset(map(Key, ("enter", "kp_enter")))
_PRESSING = frozenset(map(Key, ("alt", "space")))
_OPENING_WITH_MODIFIER = frozenset(map(Key, ("o", "down")))
_ENTRIES = frozenset((Role.MENU_ITEM, Role.BUTTON))


def folder_of(title: str) -> str:
    """The folder that the title of a file manager names, as it writes it: its name, or its path."""
    return _TITLE_PARTS.split(title.strip(), maxsplit=1)[0].strip()


def place_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """Findings for what a file manager or a file chooser does to files, and for opening one of them."""
    if is_file_chooser(context):
        if isinstance(action, TypeText):
            yield from written_findings(context.typed + action.text, context.own_folders)
        if context.hidden_folder and (_enters(action) or _answers(action, context)):
            yield categorised(Category.SYSTEM, "hidden-folder", context.title or context.control.window)
        yield from _chosen_findings(action, context)
        return
    if not is_file_manager(context.app, context.title):
        return
    if context.hidden_folder and _writes(action, context):
        yield categorised(Category.SYSTEM, "hidden-folder", folder_of(context.title))
    if is_hidden(named := _written(action, context)):
        yield categorised(Category.SYSTEM, "outside-documents", named)
    name = _opened(action, context)
    if is_program_file(name):
        yield categorised(Category.DOWNLOAD_RUN, "starts-file", name)
    elif name and context.met is not None and name in context.met.files and not _SHOWN_ONLY.search(name):
        yield categorised(Category.DOWNLOAD_RUN, "opens-new-file", name)


def may_open(action: Action, context: PolicyContext) -> bool:
    """Whether it may open a file that a file manager shows."""
    return is_file_manager(context.app, context.title) and bool(_opened(action, context))


def chooses_for_others(context: PolicyContext) -> bool:
    """Whether a file that is chosen there goes to a page or into a message. A desktop's own chooser does not tell which
    program has opened it: perhaps a browser that was used in the session."""
    app = context.app
    if is_portal(app):
        return context.met is None or any(map(is_browser, context.met.apps))
    return is_browser(app) or is_messenger(app, "") or is_mail(app, "")


def _chosen_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """Choosing a file for a page or a message with a double click, or with Enter or an access key where nothing tells
    the button that it presses."""
    outward = chooses_for_others(context)
    chosen = context.control.role in (Role.LIST_ITEM, Role.CELL, Role.TREE_ITEM, Role.UNKNOWN, Role.LABEL)
    name = _name(context)
    twice = chosen and isinstance(action, Click) and action.count > 1 and (not name or _is_file(name))
    presses = _enters(action) or _is_access_key(action, context)
    dialog = context.control.dialog
    told = context.control.source is ControlSource.ACCESSIBLE and dialog is not None and bool(dialog.default)
    if outward and (twice or (presses and not told)):
        yield categorised(Category.UPLOAD, "chooses-upload")


def _pressed(action: Action) -> tuple[Key, ...]:
    match action:
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return keys
        case KeyDown(key=key):
            return (key,)
        case _:
            return ()


def _enters(action: Action) -> bool:
    if isinstance(action, TypeText):
        return action.submit or "\n" in action.text or "\r" in action.text
    return not _ENTERS.isdisjoint(_pressed(action))


def _is_access_key(action: Action, context: PolicyContext) -> bool:
    pressed = _pressed(action)
    down = (*context.held, *pressed)
    return bool(pressed) and Key("alt") in down and any(len(key) == 1 for key in down)


def _is_file(name: str) -> bool:
    """Whether an entry is a file rather than a folder: by its ending, or as one of keys."""
    return bool(_ENDING.search(name)) or any(path_findings(name))


def _answers(action: Action, context: PolicyContext) -> bool:
    """Whether it may press a button of the chooser."""
    if isinstance(action, Click | Release | UseElement):
        return context.control.role in (Role.BUTTON, Role.UNKNOWN) and not declines(context.control.says)
    return not _PRESSING.isdisjoint(_pressed(action))


def _writes(action: Action, context: PolicyContext) -> bool:
    """Whether it may put a file there, or give one another name."""
    match action:
        case Chord() | HoldKeys() | KeyDown():
            return not PASTING_KEYS.isdisjoint(_pressed(action))
        case Drag() | Release() | TypeText():
            return True
        case Click() | UseElement():
            return context.control.role in _ENTRIES
        case _:
            return False


def _written(action: Action, context: PolicyContext) -> str:
    """The name of what it writes to: the entry that something is dropped on or pasted into, or the name that an entry
    gets; "" where none is known."""
    if _drops(action, context):
        return _name(context)
    if isinstance(action, TypeText) and takes_text(context.control):
        name = (context.typed + action.text).strip()
        return "" if "/" in name else name  # a path is gone to
    if _is_menu_entry(context) and _presses(action) and _says("paste", context):
        return context.chosen.says.strip()
    return ""


def _opened(action: Action, context: PolicyContext) -> str:
    """The name of the entry that it may open: the one that is pressed twice or by a key, or that something is dropped
    on, the one that an entry of a menu is about, or the one that a path names; "" for none."""
    if _is_menu_entry(context) and _presses(action) and _says("files", context):
        return context.chosen.says.strip()
    if takes_text(context.control):
        return _path_entered(action, context)
    if not _opens(action, context) and not _drops(action, context):
        return ""
    return _name(context)


def _path_entered(action: Action, context: PolicyContext) -> str:
    """The last part of a path that Enter opens in the field for the place, as a double click on the file would."""
    path = context.typed + (action.text if isinstance(action, TypeText) else "")
    return posixpath.basename(path.strip()) if _enters(action) and "/" in path else ""


def _drops(action: Action, context: PolicyContext) -> bool:
    """Whether it drops something on the entry: a program is started with what is dropped on it."""
    return isinstance(action, Drag | Release) and context.from_control != context.control


def _is_menu_entry(context: PolicyContext) -> bool:
    """Whether it is, or by the picture may be, an entry of a menu, or a button, which act on what is chosen."""
    drawn = context.menu_open and context.control.source is not ControlSource.ACCESSIBLE
    return drawn or context.control.role in _ENTRIES


def _says(group: str, context: PolicyContext) -> bool:
    """Whether a text of the control has a word of a group: “paste” in “Paste into folder”, “files” in “Open with …”."""
    return any(tables().is_exactly(group, word) for text in hit(context).texts for word in (text, *text.split()))


def _name(context: PolicyContext) -> str:
    return context.control.says.strip() or context.label.strip()


def _opens(action: Action, context: PolicyContext) -> bool:
    """Whether it opens the entry of a list that it hits, or that has the focus."""
    match action:
        case Click(count=count):
            return count + context.clicks > 1
        case Press(button=Button.LEFT):
            return context.clicks > 0
        case TypeText():
            return _enters(action) or (action.at is not None and context.clicks > 0)
        case Chord() | HoldKeys() | KeyDown():
            pressed = _pressed(action)
            down = {*context.held, *pressed}
            if down - _ENTERS == {Key("alt")}:
                return False  # it shows the properties
            plain = down <= _OPENING_WITH_MODIFIER  # they move in the list, or find an entry
            return _enters(action) or not (plain or _OPENING_WITH_MODIFIER.isdisjoint(pressed))
        case _:
            return isinstance(action, UseElement) and action.use is ElementUse.PRESS


def _presses(action: Action) -> bool:
    """Whether it may press an entry of a menu: by the pointer, by accessibility, or by a key."""
    if isinstance(action, Click | Release | UseElement):
        return True
    return _enters(action) or not _PRESSING.isdisjoint(_pressed(action))
