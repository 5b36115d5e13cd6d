"""Assesses key presses by their usual effect, and by their effect on the control that has the focus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from operator_console.domain.elements import Role
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser, is_code_editor, is_file_manager, is_mail, is_messenger
from operator_console.policy.carried_data import written_findings
from operator_console.policy.commands import submission_findings
from operator_console.policy.control_kinds import counts, is_closed_choice, is_multi_line, takes_text
from operator_console.policy.desktop_keys import desktop_key_findings, is_taken
from operator_console.policy.file_paths import saved_file_findings
from operator_console.policy.findings import (
    Finding,
    PolicyContext,
    categorised,
    intent_findings,
    noteworthy,
    ordinary,
    window_findings,
)
from operator_console.policy.focus_keys import (
    access_key_findings,
    backspace_findings,
    delete_findings,
    enter_findings,
    escape_findings,
    letter_findings,
    may_be_choice,
    saving_findings,
    shortcut_findings,
    space_findings,
    step_findings,
)
from operator_console.policy.input_places import (
    is_beside_line,
    is_editor_place,
    is_terminal_place,
    may_run_command,
    runs_as_cell,
    runs_command_lines,
)
from operator_console.policy.pasted_text import pasting_findings
from operator_console.policy.terminal_keys import terminal_key_findings, viewer_key_findings
from operator_console.policy.text_content import content_findings, field_findings

_SYNONYMS = {"ctrl_r": "ctrl", "shift_r": "shift", "super_r": "super", "kp_enter": "enter"}

_CLOSING = ("alt+f4", "ctrl+w", "ctrl+q", "ctrl+f4", "ctrl+shift+w", "ctrl+shift+q", "super+q", "super+w")
_SAVING = ("ctrl+s", "super+s", "ctrl+shift+s")
_CLIPBOARD = ("ctrl+c", "ctrl+x", "ctrl+v", "ctrl+shift+c", "ctrl+shift+v", "shift+insert", "ctrl+insert",
              "super+c", "super+x", "super+v", "shift+delete")  # fmt: skip
_PASTING = ("ctrl+v", "ctrl+shift+v", "shift+insert", "super+v", "ctrl+shift+insert", "ctrl+y")
_LAUNCHING = ("super", "alt+f2", "ctrl+alt+t", "super+r", "super+e", "ctrl+n", "ctrl+t", "ctrl+shift+n", "super+space")
_SENDING = ("ctrl+enter", "super+enter")
_SENDING_ON_PAGES = ("ctrl+shift+enter", "super+shift+enter")
_SENDING_IN_MAIL = ("alt+s", "ctrl+shift+d", "ctrl+alt+s", "ctrl+shift+enter")
# The console's default hotkeys: a model must not pause, stop or approve.
_CONSOLE = ("ctrl+alt+x", "ctrl+alt+p", "ctrl+alt+enter")
_DELETE_KEYS = (frozenset(("delete",)), frozenset(("kp_decimal",)))
_DELETING_FILES = ("ctrl+d", "super+backspace", "f8", "shift+f8")
_CLEARING = "ctrl+shift+delete"
_MODIFIERS = frozenset(("ctrl", "shift", "alt", "alt_gr", "super"))
_OF_LETTERS = frozenset(("shift", "super"))  # with which lists and menus take a letter, too
# Control characters that a terminal takes for the end of a line, and the shells' operate-and-get-next.
_ENDS_LINE = frozenset("jmo")
_MOVING_VALUES = frozenset(("up", "down", "left", "right", "home", "end", "page_up", "page_down"))
_RUNNING = ("f5", "f9", "ctrl+e")  # what is written in the console of a database
_LOOKS_AROUND = frozenset((
    "tab", "esc", "up", "down", "left", "right", "home", "end", "page_up", "page_down", "f1", "f5", "menu",
))  # fmt: skip


def chord_findings(keys: tuple[Key, ...], context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for keys pressed together, with the modifiers that are already held.

    Of several other keys each is pressed by itself, and the last one repeats while it is held.
    """
    found: list[Finding] = []
    named = [_SYNONYMS.get(key, key) for key in keys or context.held]
    held = frozenset(_SYNONYMS.get(key, key) for key in context.held) & _MODIFIERS
    modifiers = held | (_MODIFIERS & frozenset(named))
    for plain in [key for key in named if key not in _MODIFIERS] or [""]:
        found += _pressed_findings(keys, modifiers | ({plain} - {""}), context)
    found.append(ordinary("ordinary-keys"))
    return tuple(found)


def _pressed_findings(keys: tuple[Key, ...], pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    acts = not pressed - _MODIFIERS <= _LOOKS_AROUND or _steps(pressed, context)
    yield from window_findings(context, acts=acts)
    yield from _by_table(pressed, context)
    if acts:
        yield from intent_findings(context)
    yield from _submitting(pressed, context)
    yield from viewer_key_findings(pressed, context)
    yield from _typing(keys, pressed, context)


def _submitting(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    if _ends_line(pressed) and (runs_command_lines(context) or may_run_command(context, context.typed)):
        yield from submission_findings(context.typed, known=context.typed_known)
        yield from enter_findings(context) if is_beside_line(context) else ()  # an entry of the terminal's menu
    elif _runs_field(pressed, context):
        yield categorised(Category.TERMINAL, "runs-cell")
    elif is_terminal_place(context):
        yield from _in_terminal(pressed, context)
    elif _deletes(pressed, context):
        yield from delete_findings(context, forever="shift" in pressed)
    elif _is(pressed, "backspace"):
        yield from backspace_findings(context)
    elif _sends(pressed, context):
        yield categorised(Category.SEND, "sends-by-key")
        if "enter" in pressed and not takes_text(context.control):
            yield from enter_findings(context, modified=True)
    elif _is(pressed, "alt+enter") and is_file_manager(context.app, context.title):
        yield noteworthy("opens-menu-entry")  # what is known of the file
    elif _is(pressed, "shift+enter") and is_multi_line(context.control):
        return  # a new line, where Enter may send
    elif "enter" in pressed or _is(pressed, "ctrl+m", "ctrl+j"):
        yield from enter_findings(context, modified=not _MODIFIERS.isdisjoint(pressed))
        if is_editor_place(context):
            yield noteworthy("editor-may-run-it")
    else:
        yield from _answering(pressed, context)


def _in_terminal(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    if is_beside_line(context):  # in a menu or a dialog of the terminal
        yield from _answering(pressed, context)
    elif not is_taken(pressed):
        yield from terminal_key_findings(pressed, context)


def _answering(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    if _is(pressed, "#", "shift+#", "shift+3"):
        yield from shortcut_findings("#", context)
    if _is(pressed, "space", "shift+space"):
        yield from space_findings(context)
    elif _is(pressed, "esc"):
        yield from escape_findings(context)
    elif _is_step(pressed - _MODIFIERS):
        yield from step_findings(context)  # many controls take no notice of modifiers
    elif _is_letter(pressed - _OF_LETTERS):
        yield from letter_findings("".join(pressed - _OF_LETTERS), context)
        yield from step_findings(context)
    elif "alt" in pressed and _is_letter(pressed - {"alt", "shift"}):
        yield from access_key_findings("".join(pressed - _MODIFIERS), context)


def _runs_field(pressed: frozenset[str], context: PolicyContext) -> bool:
    """Whether it runs all that is written in the focused field."""
    if _is(pressed, *_RUNNING):
        return takes_text(context.control) and is_terminal_place(context)
    return "enter" in pressed and bool(pressed & _MODIFIERS) and runs_as_cell(context)


def _deletes(pressed: frozenset[str], context: PolicyContext) -> bool:
    if pressed - _MODIFIERS in _DELETE_KEYS:
        # These open a dialog of the system, or the one of a browser that clears the history.
        return not is_taken(pressed) and not (_is(pressed, _CLEARING) and is_browser(context.app))
    if _is(pressed, "ctrl+d") and is_mail(context.app, context.title):
        return not is_browser(context.app)
    return _is(pressed, *_DELETING_FILES) and is_file_manager(context.app, context.title)


def _sends(pressed: frozenset[str], context: PolicyContext) -> bool:
    if _is(pressed, *_SENDING):
        return not is_code_editor(context.app)
    if _is(pressed, *_SENDING_ON_PAGES) and is_browser(context.app):
        return takes_text(context.control)
    return _is(pressed, *_SENDING_IN_MAIL) and is_messenger(context.app, context.title, context.url)


def _ends_line(pressed: frozenset[str]) -> bool:
    rest = pressed - _MODIFIERS
    return "enter" in rest or ("ctrl" in pressed and bool(rest & _ENDS_LINE))


def _typing(keys: tuple[Key, ...], pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    """A key that types one more character."""
    typed = [key for key in keys if len(key) == 1]
    if len(typed) == 1 and pressed - {"shift", "alt_gr"} == {typed[0]}:
        yield from content_findings(typed[0], context)
        yield from written_findings(context.typed + typed[0], context)


def _by_table(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    if any(frozenset(chord.split("+")) <= pressed for chord in _CONSOLE):
        yield categorised(Category.SECURITY, "console-chord")
    yield from desktop_key_findings(pressed)
    if _is(pressed, *_SAVING):
        yield from saved_file_findings(context)
        yield from saving_findings(context)
    if _is(pressed, *_CLOSING):
        yield noteworthy("closes")
    if _is(pressed, *_PASTING) and runs_command_lines(context):
        # In a terminal these paste what is selected anywhere, and Ctrl+Y what was cut in the line.
        other = "insert" in pressed or _is(pressed, "ctrl+y")
        yield from pasting_findings(replace(context, pasted=None) if other else context)
    elif _is(pressed, *_CLIPBOARD):
        yield noteworthy("clipboard")
        if _is(pressed, *_PASTING):
            yield from pasting_findings(context)
        elif context.control.role is not Role.PASSWORD_FIELD:  # of one, nothing can be copied
            named = field_findings("", context) if takes_text(context.control) else ()
            yield from (found for found in named if found.category is Category.CREDENTIALS)
    if _is(pressed, *_LAUNCHING):
        yield noteworthy("launches")


def _steps(pressed: frozenset[str], context: PolicyContext) -> bool:
    """Whether it changes a value, or chooses the next of several options."""
    control = context.control
    told = counts(control) or is_closed_choice(control) or control.role is Role.RADIO_BUTTON
    stepped = told or may_be_choice(context)
    return stepped and not _MOVING_VALUES.isdisjoint(pressed)


def _is(pressed: frozenset[str], *chords: str) -> bool:
    return any(pressed == frozenset(chord.split("+")) for chord in chords)


def _is_step(pressed: frozenset[str]) -> bool:
    return len(pressed) == 1 and pressed <= _MOVING_VALUES


def _is_letter(pressed: frozenset[str]) -> bool:
    return len(pressed) == 1 and all(len(key) == 1 and key.isalnum() for key in pressed)
