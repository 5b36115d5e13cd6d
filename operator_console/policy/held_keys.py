"""Assesses what keys do that are held down, or pressed again and again: each press after the first meets what the
earlier ones, or a press of the pointer, have opened.

An X server repeats the key that was pressed last until it is released, into whatever has the focus then (XKB protocol,
RepeatKeys).
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.actions import (
    Action,
    Back,
    Button,
    Chord,
    Click,
    CloseTab,
    Drag,
    Forward,
    HoldKeys,
    KeyDown,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    Release,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
)
from operator_console.domain.elements import UNKNOWN_CONTROL, Role
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_browser, is_sheet
from operator_console.policy.control_kinds import Effect, effect_of, is_multi_line, is_search_field, takes_text
from operator_console.policy.findings import Finding, PolicyContext, categorised, noteworthy
from operator_console.policy.input_places import is_in_dialog, is_terminal_place, risky_if_unknown

_ANSWERING = frozenset(map(Key, ("enter", "kp_enter", "delete", "kp_decimal", "backspace")))
"""They confirm or delete, wherever the focus is."""
_SPACE = Key("space")
_MOVING = frozenset(
    map(Key, ("tab", "esc", "menu", "up", "down", "left", "right", "home", "end", "page_up", "page_down", "insert"))
)
"""They move the focus, or within what has it, and carry nothing out."""
_LEAVING = frozenset(map(Key, ("tab", "esc", "menu")))
_ENTERS = frozenset(map(Key, ("enter", "kp_enter")))
_OPENING = (Effect.ACTS, Effect.LEADS, Effect.SELECTS)
_SHORTEST_REPEAT_S = 0.1
"""Desktops let the repeats of a key begin after this time at the earliest."""
_COMMANDS = frozenset(map(Key, ("ctrl", "ctrl_r", "alt", "super", "super_r")))


def keys_held(action: Action, context: PolicyContext) -> tuple[Key, ...]:
    """The keys that are down while the pointer acts: of earlier actions, and of the action itself."""
    own = action.modifiers if isinstance(action, Click | Drag | Scroll) else ()
    return (*context.held, *own)


def repeats(action: Action) -> bool:
    """Whether its keys are pressed more than once."""
    match action:
        case Chord(repeat=repeat):
            return repeat > 1
        case HoldKeys(duration_s=duration_s):
            return duration_s >= _SHORTEST_REPEAT_S
        case _:
            return isinstance(action, KeyDown)


def held_over_findings(action: Action, context: PolicyContext) -> Iterator[Finding]:
    """Findings for keys that are held while something else gets the focus: what they do there in addition to what they
    do to the control itself, which is assessed as their press."""
    held = keys_held(action, context)
    plain = [key for key in held if key not in MODIFIERS and key not in _MOVING]
    match action:
        case TypeText(at=None):
            return
        case Click() | Press() | Release() | Drag() | UseElement() | TypeText():
            yield from _modified_findings(action, frozenset(held), context)
            opens = isinstance(action, Click | Press | Release) and action.button is Button.RIGHT
            if any(_goes_on(key, context, opens=opens) for key in plain):
                yield _held(plain)
        case (
            OpenBrowser() | Navigate() | Back() | Forward() | Search() | Launch() | SwitchTab() | CloseTab()
        ):  # another window or page gets the keys, and modifiers make others of those that lead there  # fmt: skip
            if held and not isinstance(action, OpenBrowser | Launch):
                yield _held(list(held))
            elif plain:
                yield _held(plain)
        case _:
            return


def meets_control(action: Action) -> bool:
    """Whether held keys may reach the control at its point: it gets the focus, or an entry of a menu is under the
    pointer then."""
    return isinstance(action, Click | Press | Release | Drag | Move | UseElement) or (
        isinstance(action, TypeText) and action.at is not None
    )


def repeat_findings(keys: tuple[Key, ...], context: PolicyContext) -> Iterator[Finding]:
    """Findings for keys that are pressed again and again: what Enter and Space have opened is answered by the next."""
    control = context.control
    plain = [key for key in (*context.held, *keys) if key not in MODIFIERS]
    presses = _ENTERS.intersection(plain) or (_SPACE in plain and effect_of(control) in (Effect.ACTS, Effect.LEADS))
    if not presses or is_multi_line(control) or (is_sheet(context.app, context.title) and control.role is Role.CELL):
        return
    opens = effect_of(control) in _OPENING or (effect_of(control) is Effect.UNKNOWN and risky_if_unknown(context))
    if is_in_dialog(context) or opens or (not _ENTERS.isdisjoint(plain) and _submits_page(context)):
        yield _held(plain)


def order_findings(keys: tuple[Key, ...], context: PolicyContext) -> Iterator[Finding]:
    """Findings for several keys that are pressed in turn before any is released: the first may move the focus away from
    what is known to have it."""
    plain = [key for key in (*context.held, *keys) if key not in MODIFIERS]
    if len(plain) < 2:
        return
    leaves = _LEAVING.intersection(plain)
    answers = _ANSWERING.intersection(plain) or (_SPACE in plain and (leaves or _has_controls(context)))
    moves = (_LEAVING if takes_text(context.control) else _MOVING).intersection(plain)
    if answers and moves:
        yield _held(plain)


def held_button_findings(keys: tuple[Key, ...], context: PolicyContext) -> Iterator[Finding]:
    """Findings for chords while a button is held down: they show another window or tab under what is dragged, where a
    question about the drop would come too late."""
    plain = [key for key in keys if key not in MODIFIERS]
    if context.buttons and plain and not _COMMANDS.isdisjoint((*context.held, *keys)):
        yield Finding(risk=RiskClass.C3, rule="drops-elsewhere")


def _goes_on(key: Key, context: PolicyContext, *, opens: bool) -> bool:
    """Whether a key acts on what a press on the control opens, or on a control that is not known."""
    if opens:
        return True
    effect = effect_of(context.control)
    if key in _ANSWERING:
        return effect is not Effect.NOTHING or not takes_text(context.control)
    return effect in (Effect.ACTS, Effect.LEADS) or (key == _SPACE and effect is Effect.CHOOSES)


def _submits_page(context: PolicyContext) -> bool:
    """Whether Enter in the control submits a form of a page, which may open something else."""
    line = takes_text(context.control) and not is_search_field(context)
    return line and is_browser(context.app) and not is_terminal_place(context)


def _has_controls(context: PolicyContext) -> bool:
    """Whether Space presses something there, and does not fire or jump as in games."""
    drawn = context.control == UNKNOWN_CONTROL or context.control.role in (Role.UNKNOWN, Role.IMAGE, Role.DOCUMENT)
    return not drawn or is_in_dialog(context)


def _modified_findings(
    action: Click | Press | Release | Drag | UseElement | TypeText, held: frozenset[Key], context: PolicyContext
) -> Iterator[Finding]:
    """What modifier keys make of a press: Alt downloads what a link leads to (Chromium, Firefox with its setting); Ctrl
    opens a menu or a link in a terminal."""
    if isinstance(action, UseElement | Drag | Release):
        return
    if Key("alt") in held and is_browser(context.app) and context.control.role is Role.LINK:
        yield categorised(Category.DOWNLOAD_RUN, "downloads-link")
    if not held.isdisjoint(_COMMANDS) and is_terminal_place(context):
        yield noteworthy("opens-menu")


def _held(plain: list[Key]) -> Finding:
    return Finding(risk=RiskClass.C3, rule="held-key", values=("+".join(dict.fromkeys(plain)),))
