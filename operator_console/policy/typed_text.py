"""Assesses typed text by its content and by the window and field that receive it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from operator_console.domain.actions import TypeText
from operator_console.domain.elements import UNKNOWN_CONTROL, Role
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.domain.secrets_by_name import names_in
from operator_console.policy.applications import is_browser, is_chat, is_web_editor
from operator_console.policy.carried_data import written_findings
from operator_console.policy.commands import command_findings, looks_like_command, submission_findings
from operator_console.policy.control_kinds import Effect, effect_of, is_closed_choice, is_multi_line, takes_text
from operator_console.policy.control_presses import option_findings, press_findings
from operator_console.policy.findings import (
    Finding,
    PolicyContext,
    categorised,
    intent_findings,
    not_known,
    noteworthy,
    ordinary,
    window_findings,
)
from operator_console.policy.focus_keys import (
    clearing_findings,
    enter_findings,
    letter_findings,
    shortcut_findings,
    space_findings,
    step_findings,
    value_findings,
)
from operator_console.policy.input_places import (
    is_editor_place,
    is_terminal_place,
    may_run_command,
    risky_if_unknown,
    runs_command_lines,
)
from operator_console.policy.key_presses import chord_findings
from operator_console.policy.surrounding_text import outward_around
from operator_console.policy.terminal_keys import opened_findings
from operator_console.policy.text_content import content_findings, next_field_findings
from operator_console.policy.word_tables import includes, tables

_MAKE_CHORDS = frozenset(("ctrl", "ctrl_r", "alt", "super", "super_r"))
_MOST_CHORDS = 200
_KEYS = {"\n": "enter", "\r": "enter", "\t": "tab", " ": "space"}
_ONLY_READ = frozenset((Role.LABEL, Role.PARAGRAPH, Role.HEADING))
_LINE_BREAK = re.compile(r"[\n\r]")


def typed_findings(action: TypeText, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for typed text, and for the click at `at` before it."""
    found = [*window_findings(context)]
    if effect_of(context.control) is not Effect.NOTHING or action.submit:
        found += intent_findings(context)
    click = tuple(_click_findings(context, writes=bool(action.text.strip()))) if action.at is not None else ()
    if action.clear:
        found += clearing_findings(context)
        context = replace(context, typed="", typed_known=True)
    if _MAKE_CHORDS.intersection(context.held):
        found += _chords(action.text, context)
    found += content_findings(action.text, context)
    found += written_findings(context.typed + action.text, context)
    found += (categorised(Category.CREDENTIALS, "secret-by-name", name) for name in names_in(action.text))
    submits = action.submit or bool(_LINE_BREAK.search(action.text))
    if is_terminal_place(context) and action.text:
        found += opened_findings(context)
    found += _line_findings(action, context) if runs_command_lines(context) else ()
    if not runs_command_lines(context):
        found += _other_findings(action, context, submits=submits)
        found += _after_tab(action, context)
        found += _opened_findings(action, context, submits=submits)
    if action.at is not None and submits and context.menu_open and not takes_text(context.control):
        # The click chooses an entry of the menu, and Enter reaches what had the focus before.
        found.append(not_known(context, "unknown-focus", context.title))
    found += click
    found.append(ordinary("ordinary-typing"))
    return tuple(found)


def _click_findings(context: PolicyContext, *, writes: bool) -> Iterator[Finding]:
    # Text beside a field is the field's name, which content_findings judges by what is written.
    label = context.label
    field = writes and effect_of(context.control) is Effect.UNKNOWN and bool(tables().in_field(label))
    if not field or includes(tables().in_button(label), Category.LEGAL):  # or the box in front of a sentence
        yield from press_findings(replace(context, typed=""), count=1 + context.clicks)


def _chords(text: str, context: PolicyContext) -> Iterator[Finding]:
    """Held keys turn each character into a chord."""
    for char in list(dict.fromkeys(text))[:_MOST_CHORDS]:
        yield from chord_findings((Key(_KEYS.get(char, char.lower())),), replace(context, intent=""))


def _other_findings(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    whole = context.typed + action.text
    if submits:
        yield from enter_findings(context, whole, submits=action.submit)
        if is_editor_place(context):
            yield from _editor_findings(whole, submit=action.submit)
        elif may_run_command(context, whole):
            yield from submission_findings(whole)
    in_field = effect_of(context.control) in (Effect.NOTHING, Effect.UNKNOWN)
    if context.focus_moved and action.at is None and action.text:
        yield from step_findings(context)
    if is_closed_choice(context.control):
        yield from value_findings(context)
        yield from option_findings(context, action.text)
    elif action.text == " " or (" " in action.text and not in_field):
        yield from space_findings(context)
    elif len(action.text.strip()) == 1 or not in_field:
        yield from letter_findings(action.text.strip()[:1].lower(), context)
        yield from shortcut_findings(action.text.strip(), context)


def _opened_findings(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    """Text that is typed at what is pressed goes into what the press opens, which Enter then answers, and a letter
    where it is a menu; at a text that is only read, to what has had the focus before."""
    if action.at is None or not (submits or action.text):
        return
    if effect_of(context.control) in (Effect.ACTS, Effect.LEADS):
        if submits or risky_if_unknown(context):
            yield not_known(context, "unknown-focus", context.label)
    elif not submits:
        return
    elif context.control.role in _ONLY_READ and (place := risky_if_unknown(context) or outward_around(context)):
        yield not_known(context, "unknown-focus", place)


def _after_tab(action: TypeText, context: PolicyContext) -> Iterator[Finding]:
    """What a Tab in the text leads on to: another field, or a control that a space or a line break then presses.

    What follows a field with several lines is seldom another field.
    """
    if _keeps_tab(context):
        return
    parts = [part for part in (action.text + "\n" * action.submit).split("\t")[1:] if part]
    if any(part.strip() for part in parts):
        yield from next_field_findings(context)
    place = risky_if_unknown(context) or outward_around(context)
    if any(part.startswith((" ", "\n", "\r")) for part in parts):
        yield not_known(context, "unknown-focus", place or context.title)
    elif parts and place and is_multi_line(context.control):
        yield not_known(context, "unknown-focus", place)
    elif takes_text(context.control):
        there = replace(context, control=replace(UNKNOWN_CONTROL, dialog=context.control.dialog), label="", typed="")
        for part in filter(_LINE_BREAK.search, parts):
            yield from enter_findings(there, part, submits=action.submit)


def _keeps_tab(context: PolicyContext) -> bool:
    """Whether a Tab is written there: in the fields with several lines of programs, and in code editors of pages.
    Other pages, and chats, which are mostly pages in a window of their own, go on to the next control (WAI-ARIA
    Authoring Practices, keyboard interface; HTML, sequential focus navigation)."""
    if not is_multi_line(context.control):
        return False
    page = is_browser(context.app) or is_chat(context.app, context.title, context.url)
    return not page or is_web_editor(context.url)


def _editor_findings(text: str, *, submit: bool) -> Iterator[Finding]:
    """An editor may have the focus in its terminal."""
    yield noteworthy("editor-may-run-it")
    line = text.strip().rsplit("\n", 1)[-1]
    if submit and looks_like_command(line):
        yield from submission_findings(line)
    elif submit:
        yield from command_findings(line)


def _line_findings(action: TypeText, context: PolicyContext) -> Iterator[Finding]:
    whole = context.typed + action.text
    if action.submit or _LINE_BREAK.search(action.text):
        known = context.typed_known and "\t" not in action.text
        yield from submission_findings(whole, known=known)
        return
    here = is_terminal_place(context) or context.asks_for_line
    yield noteworthy("text-into-terminal" if here else "text-into-other-machine")
    # Checked before Enter is pressed: another program could press it.
    yield from (finding for finding in command_findings(whole) if finding.rule == "names-this-console")
