"""The agent's own input so far: keys and buttons held down, text typed into the current field, pointer position.

Policy needs it to judge Enter by the text before it; the pointer is restored after the human has moved the mouse. It
says what was sent, not what the screen shows.
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

_LEAVES_FIELD = frozenset(Key(name) for name in ("enter", "kp_enter", "tab", "esc"))
MAX_TYPED = 4000


class InputState:
    """Tracks the input that a session has sent.

    Attributes:
        keys: keys held down by earlier calls.
        buttons: buttons held down by earlier calls.
        typed: the text typed since the field got the focus, as far as known.
        field: the text at the field, and texts near it, when it was clicked.
        pointer: the agent's own pointer position in input units; None: not known.
        sent_since_frame: input was sent since the last frame, so the focus may have moved.
    """

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.buttons: list[Button] = []
        self.typed = ""
        self.field: tuple[str, tuple[str, ...]] = ("", ())
        self.pointer: tuple[int, int] | None = None
        self.sent_since_frame = False

    def new_frame(self) -> None:
        """A fresh frame was captured, with the current focus."""
        self.sent_since_frame = False

    def clear_held(self) -> None:
        """All keys and buttons were released."""
        self.keys.clear()
        self.buttons.clear()

    def forget(self) -> None:
        """A human may have used the target meanwhile: discard everything."""
        self.clear_held()
        self.typed, self.field, self.pointer = "", ("", ()), None

    def note_sent(self, action: Action, context: PolicyContext, outcome: Outcome) -> None:
        """Record an action that was sent, wholly or in part."""
        self.sent_since_frame = True
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
        whole = (before + action.text)[-MAX_TYPED:]
        self.typed = "" if action.submit else whole.rsplit("\n", 1)[-1]

    def _pressed(self, keys: tuple[Key, ...]) -> None:
        plain = [key for key in keys if key not in MODIFIERS]
        if any(key in _LEAVES_FIELD for key in plain):
            self.typed, self.field = "", ("", ())
        elif len(plain) == 1 and len(plain[0]) == 1 and len(plain) == len(keys):
            self.typed = (self.typed + plain[0])[-MAX_TYPED:]
        elif Key("backspace") in plain:
            self.typed = self.typed[:-1]
