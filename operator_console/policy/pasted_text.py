"""Assesses what pastes by what is in the clipboard: as typing it there would be, where that is known.

A clipboard may have been filled by anything, so what is not known counts as the riskiest in a place that runs lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.actions import Action, Chord, Click, HoldKeys, KeyDown, TypeText, UseElement
from operator_console.domain.elements import Control, ControlSource
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_browser, is_messenger
from operator_console.policy.carried_data import carried_findings, written_findings
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.file_paths import file_content_findings
from operator_console.policy.findings import Finding, PolicyContext, categorised
from operator_console.policy.input_places import is_terminal_place, runs_command_lines
from operator_console.policy.text_content import content_findings, field_findings, secret_or_personal
from operator_console.policy.web_addresses import is_script
from operator_console.policy.word_tables import tables

_LINE_BREAK = re.compile(r"[\n\r]")
_SPACE = re.compile(r"\s")
_ADDRESS = re.compile(r"\w+://|[\w\-]+(?:\.[\w\-]+)+/")
PASTING_KEYS = frozenset(map(Key, ("v", "insert")))
"""They paste together with a modifier."""


def may_paste(action: Action, context: PolicyContext) -> bool:
    """Whether it may paste, by its keys or by the control that it presses."""
    match action:
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return not PASTING_KEYS.isdisjoint(keys) or is_paste(context.control)
        case KeyDown(key=key):
            return key in PASTING_KEYS or is_paste(context.control)
        case TypeText(text=text):
            return bool(context.held) and "v" in text.casefold()
        case _:
            return isinstance(action, Click | UseElement) and is_paste(context.control)


def is_paste(control: Control) -> bool:
    """Whether the control is a button or a menu entry that pastes."""
    return any(tables().is_exactly("paste", text) for text in (control.name, control.text) if text)


def pasting_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for what pastes into what has the focus."""
    yield from _pasted_file_findings(context)
    if runs_command_lines(context):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
        if context.pasted is None or not is_terminal_place(context):  # another machine may have a clipboard of its own
            yield Finding(risk=RiskClass.C3, rule="command-not-known")
        else:
            yield from line_findings(context.typed + context.pasted)
    elif context.pasted is None:
        yield from field_findings("", context)
    else:
        yield from content_findings(context.pasted, context)
        yield from written_findings(context.typed + context.pasted, context)
        yield from _pasted_address_findings(context, context.pasted.strip())


def _pasted_address_findings(context: PolicyContext, text: str) -> Iterator[Finding]:
    """What an address carries that is pasted into a browser of which nothing tells what a field holds, so that Enter
    cannot be judged by it."""
    if not is_browser(context.app) or context.control.source is ControlSource.ACCESSIBLE or _SPACE.search(text):
        return
    if is_script(text):
        yield categorised(Category.SECURITY, "script-address", text.partition(":")[0])
    elif _ADDRESS.match(text):
        yield from carried_findings(text if "://" in text else f"https://{text}", context.met)


def entry_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for pressing an entry that pastes into something else than the entry: what that is, is not known."""
    yield from _pasted_file_findings(context)
    if context.pasted is not None:
        yield from secret_or_personal(context.pasted)
        yield from file_content_findings(context.pasted)
        yield from written_findings(context.pasted, context)


def _pasted_file_findings(context: PolicyContext) -> Iterator[Finding]:
    """A page or a message takes files that are pasted as it takes those that are dropped on it."""
    if context.pasted_files and (is_browser(context.app) or is_messenger(context.app, context.title)):
        yield categorised(Category.UPLOAD, "pastes-file")


def line_findings(text: str) -> tuple[Finding, ...]:
    """Findings for a text pasted into a command line: a line break in it submits what is before."""
    return submission_findings(text) if _LINE_BREAK.search(text) else command_findings(text)
