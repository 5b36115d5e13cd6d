"""What the agent's hands have done: keys and buttons it holds, text typed since the field got the focus, its pointer.

Kept so that policy can judge Enter by what was typed before it, and so that the agent's own pointer can be restored
after the human moved the mouse. A memory of what was sent, never of what the screen shows.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Press,
    Release,
    TypeText,
)
from operator_console.domain.decisions import Outcome
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.policy import PolicyContext

_MOVES_ON = frozenset(Key(name) for name in ("enter", "kp_enter", "tab", "esc"))
TYPED_KEPT = 4000


class InputState:
    """One session's memory of its own input.

    Attributes:
        keys: held down by an earlier call.
        buttons: held down by an earlier call.
        typed: since the field got the focus, as far as it is known.
        field: the text at the field, and texts near it, when it was clicked.
        pointer: where the agent's own pointer is, in input units; None: not known.
        acted: something was sent since the last frame, so that the frame's focus may no longer be the focus.
    """

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.buttons: list[Button] = []
        self.typed = ""
        self.field: tuple[str, tuple[str, ...]] = ("", ())
        self.pointer: tuple[int, int] | None = None
        self.acted = False

    def new_frame(self) -> None:
        """A fresh frame tells the focus again."""
        self.acted = False

    def released(self) -> None:
        """Everything held was let go."""
        self.keys.clear()
        self.buttons.clear()

    def elsewhere(self) -> None:
        """A human worked meanwhile: nothing is known any more."""
        self.released()
        self.typed, self.field, self.pointer = "", ("", ()), None

    def did(self, action: Action, context: PolicyContext, outcome: Outcome) -> None:
        """Take note of an action that was sent, wholly or in part."""
        self.acted = True
        if outcome.pointer is not None:
            self.pointer = outcome.pointer
        match action:
            case Click() | Drag():
                self._focused(context)
            case Press(button=button):
                self._focused(context)
                self.buttons.append(button)
            case Release(button=button):
                self.buttons = [held for held in self.buttons if held is not button]
            case TypeText():
                self._typed(action, context)
            case KeyDown(key=key):
                self.keys.append(key)
                self._pressed((key,))
            case KeyUp(key=key):
                self.keys = [held for held in self.keys if held != key]
            case Chord(keys=keys) | HoldKeys(keys=keys):
                self._pressed(keys)
            case _:
                pass

    def _focused(self, context: PolicyContext) -> None:
        self.typed, self.field = "", (context.label, context.nearby)

    def _typed(self, action: TypeText, context: PolicyContext) -> None:
        if action.at is not None:
            self._focused(context)
        before = "" if action.clear else self.typed
        whole = (before + action.text)[-TYPED_KEPT:]
        self.typed = "" if action.submit else whole.rsplit("\n", 1)[-1]

    def _pressed(self, keys: tuple[Key, ...]) -> None:
        plain = [key for key in keys if key not in MODIFIERS]
        if any(key in _MOVES_ON for key in plain):
            self.typed, self.field = "", ("", ())
        elif len(plain) == 1 and len(plain[0]) == 1 and len(plain) == len(keys):
            self.typed = (self.typed + plain[0])[-TYPED_KEPT:]
        elif Key("backspace") in plain:
            self.typed = self.typed[:-1]
