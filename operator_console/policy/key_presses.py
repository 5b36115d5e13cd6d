"""Assesses key presses by their usual effect, and by their effect in the focused application."""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_file_manager, is_messenger, is_terminal
from operator_console.policy.commands import submission_findings
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy, ordinary
from operator_console.policy.shared_rules import enter_findings, intent_findings, is_question, window_findings

_SYNONYMS = {"ctrl_r": "ctrl", "shift_r": "shift", "super_r": "super", "kp_enter": "enter"}

_CLOSING = ("alt+f4", "ctrl+w", "ctrl+q", "ctrl+f4", "ctrl+shift+w", "ctrl+shift+q", "super+q", "super+w")
_CLIPBOARD = ("ctrl+c", "ctrl+x", "ctrl+v", "ctrl+shift+c", "ctrl+shift+v", "shift+insert", "ctrl+insert",
              "super+c", "super+x", "super+v", "shift+delete")  # fmt: skip
_PASTING = ("ctrl+v", "ctrl+shift+v", "shift+insert", "super+v")
_ANSWERING = ("enter", "space", "shift+enter", "alt+enter", "shift+space", "ctrl+m", "ctrl+j")
_LAUNCHING = ("super", "alt+f2", "ctrl+alt+t", "super+r", "super+e", "ctrl+n", "ctrl+t", "ctrl+shift+n", "super+space")
_SENDING = ("ctrl+enter", "alt+s", "super+enter", "ctrl+shift+d", "ctrl+alt+s")
_SYSTEM = ("ctrl+alt+delete", "ctrl+alt+backspace", "ctrl+alt+l", "super+l", "ctrl+shift+esc", "ctrl+alt+end",
           "print_screen+alt", "ctrl+alt+esc", "super+x", "super+i", "power", "sleep")  # fmt: skip
# The console's default hotkeys: a model must not pause, stop or approve.
_CONSOLE = ("ctrl+alt+x", "ctrl+alt+p", "ctrl+alt+enter")


def chord_findings(keys: tuple[Key, ...], context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for keys pressed together, including the keys that are already held."""
    pressed = frozenset(_SYNONYMS.get(key, key) for key in (*context.held, *keys))
    found = [*window_findings(context), *intent_findings(context), *_by_table(pressed, context)]
    if _is(pressed, "delete", "shift+delete", "ctrl+d") and (
        is_file_manager(context.app) or (is_messenger(context.app, context.title) and "ctrl" not in pressed)
    ):
        found.append(categorised(Category.DELETE, "delete-key"))
    found += _submitting(pressed, context)
    found.append(ordinary("ordinary-keys"))
    return tuple(found)


def _submitting(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    terminal = is_terminal(context.app, context.title)
    if terminal and _is(pressed, "enter", "ctrl+m", "ctrl+j", "shift+enter", "ctrl+enter", "alt+enter", "ctrl+o"):
        yield from submission_findings(context.typed)
    elif terminal and _is(pressed, "ctrl+d"):
        yield noteworthy("closes")
    elif _is(pressed, *_SENDING):
        yield categorised(Category.SEND, "sends-by-key")
    elif _is(pressed, *_ANSWERING) or (_mnemonic(pressed) and is_question(context)):
        yield from enter_findings(context)


def _by_table(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    if any(frozenset(chord.split("+")) <= pressed for chord in _CONSOLE):
        yield categorised(Category.SECURITY, "console-chord")
    if _is(pressed, *_SYSTEM) or _switches_virtual_terminal(pressed):
        yield categorised(Category.SYSTEM, "system-keys")
    if _is(pressed, *_CLOSING):
        yield noteworthy("closes")
    if _is(pressed, *_PASTING) and is_terminal(context.app, context.title):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    elif _is(pressed, *_CLIPBOARD):
        yield noteworthy("clipboard")
    if _is(pressed, *_LAUNCHING):
        yield noteworthy("launches")


def _is(pressed: frozenset[str], *chords: str) -> bool:
    return any(pressed == frozenset(chord.split("+")) for chord in chords)


def _mnemonic(pressed: frozenset[str]) -> bool:
    """Whether it is one letter or digit, alone or with Alt, which can press the button with that access key."""
    rest = pressed - {"alt", "shift"}
    return len(rest) == 1 and all(len(key) == 1 and key.isalnum() for key in rest)


def _switches_virtual_terminal(pressed: frozenset[str]) -> bool:
    return {"ctrl", "alt"} <= pressed and any(key[:1] == "f" and key[1:].isdigit() for key in pressed)
