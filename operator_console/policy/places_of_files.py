"""Assesses what file managers and file choosers do to files: where they are put, and which are opened.

Harmless places and kinds of files are listed, because a list of dangerous ones cannot be complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.actions import Action, Chord, Click, Drag, HoldKeys, KeyDown, Release, TypeText, UseElement
from operator_console.domain.elements import ControlSource, Role
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_file_manager, is_mail, is_messenger
from operator_console.policy.control_kinds import declines
from operator_console.policy.file_paths import path_findings, written_findings
from operator_console.policy.findings import Finding, PolicyContext, categorised
from operator_console.policy.input_places import is_file_chooser

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
_PASTING = frozenset(map(Key, ("v", "insert")))
_OPENING = frozenset(map(Key, ("enter", "kp_enter", "o", "down")))
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
    name = context.control.says.strip() or context.label.strip()
    if _opens(action) and context.met is not None and name in context.met.files and not _SHOWN_ONLY.search(name):
        yield categorised(Category.DOWNLOAD_RUN, "opens-new-file", name)


def _chosen_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """Choosing a file for a page or a message with a double click, or with Enter or an access key where nothing tells
    the button that it presses."""
    outward = is_browser(context.app) or is_messenger(context.app, "") or is_mail(context.app, "")
    chosen = context.control.role in (Role.LIST_ITEM, Role.CELL, Role.TREE_ITEM, Role.UNKNOWN, Role.LABEL)
    name = context.control.says.strip() or context.label.strip()
    twice = chosen and isinstance(action, Click) and action.count > 1 and (not name or _is_file(name))
    presses = _enters(action) or _is_access_key(action, context)
    if outward and (twice or (presses and context.control.source is not ControlSource.ACCESSIBLE)):
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
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return not _PASTING.isdisjoint(keys)
        case Drag() | Release():
            return True
        case TypeText():
            return True
        case Click() | UseElement():
            return context.control.role in _ENTRIES
        case _:
            return False


def _opens(action: Action) -> bool:
    match action:
        case Click(count=count):
            return count > 1
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return not _OPENING.isdisjoint(keys)
        case _:
            return isinstance(action, UseElement)
