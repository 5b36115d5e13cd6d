"""Carrying out one admitted grant: numbers in range, then the pointer's hands or the keyboard's.

Everything that can refuse does so before the first event, and again where the screen can change under what goes on.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Chord,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    InputAction,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.decisions import Grant
from operator_console.domain.errors import RejectedReason
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender, Refused
from operator_console.injector.keyboard.key_actions import Keying
from operator_console.injector.keyboard.typist import Progress, Typist
from operator_console.injector.pointer import Pointing
from operator_console.injector.target_check import Surroundings

_MOST_CLICKS, _MOST_NOTCHES, _MOST_REPEATS, _LONGEST_HOLD_S, _MOST_CHARACTERS = 5, 2000, 200, 120.0, 100_000


class Effects:
    """Acts on one display."""

    def __init__(
        self, sender: InputSender, typist: Typist, surroundings: Surroundings, input_method: InputMethod
    ) -> None:
        self._sender = sender
        self._pointing = Pointing(sender, typist, surroundings)
        self._keying = Keying(sender, typist, surroundings, self._pointing, input_method)

    def perform(self, grant: Grant, progress: Progress) -> str:
        """Do it; returns the outcome's `output`. Raises Refused, Untypable, ForeignModifier, Halted, Unsure."""
        action = grant.action
        self._keying.settle()
        match action:
            case CursorPosition():
                x, y = self._sender.position()
                return f"{x},{y}"
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                _within_limits(action)
                self._pointing.perform(grant, action, progress)
            case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
                _within_limits(action)
                self._keying.perform(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, f"The injector does not do {action.kind!r}.")
        return ""


def _within_limits(action: InputAction) -> None:
    """Numbers that no honest call has."""
    match action:
        case Click(count=count):
            bad = not 1 <= count <= _MOST_CLICKS
        case Scroll(dx=dx, dy=dy):
            bad = abs(dx) + abs(dy) > _MOST_NOTCHES
        case Chord(keys=keys, repeat=repeat):
            bad = not keys or not 1 <= repeat <= _MOST_REPEATS
        case HoldKeys(keys=keys, duration_s=duration_s):
            bad = not keys or not 0 <= duration_s <= _LONGEST_HOLD_S
        case Drag(path=path):
            bad = len(path) < 2
        case TypeText(text=text):
            bad = len(text) > _MOST_CHARACTERS
        case _:
            bad = False
    if bad:
        raise Refused(RejectedReason.UNSUPPORTED, f"The numbers of this {action.kind} are out of range.")
