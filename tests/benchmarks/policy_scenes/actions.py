"""The notation of a scene's steps, and the action of the product that each stands for.

click  double  right  middle  move  press  release      at the marked place
drag                                                    from `*` to `**`
move2  release2                                         at `**`
type:TEXT   typeat:TEXT                                 at the focus, or clicking the marked place first;
                                                        a final ⏎ submits, ⇥ and ↵ inside are Tab and Enter
key:ctrl+Return   down:ctrl   up:ctrl
navigate:ADDRESS   launch:PROGRAM
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    Press,
    Release,
    TypeText,
)
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, parse_chord

_AT_THE_FIRST = frozenset(("click", "double", "right", "middle", "move", "press", "drag"))
_AT_THE_SECOND = frozenset(("drag", "move2", "release2"))

Places = Mapping[int, NativePoint]
"""Where the marked places are: 1 and 2."""


def action_of(step: str, places: Places) -> Action:
    """The action of one step."""
    name, _, argument = step.partition(":")
    match name:
        case "type" | "typeat":
            text = argument.removesuffix("⏎").replace("↵", "\n").replace("⇥", "\t")
            return TypeText(text=text, at=places[1] if name == "typeat" else None, submit=argument.endswith("⏎"))
        case "key":
            return Chord(keys=parse_chord(argument))
        case "down":
            return KeyDown(key=Key(argument))
        case "up":
            return KeyUp(key=Key(argument))
        case "navigate":
            return Navigate(url=argument)
        case "launch":
            return Launch(app=argument)
        case _:
            return _of_pointer(step, places)


def _of_pointer(step: str, places: Places) -> Action:
    match step:
        case "click" | "double" | "right" | "middle":
            button = {"right": Button.RIGHT, "middle": Button.MIDDLE}.get(step, Button.LEFT)
            return Click(at=places[1], button=button, count=2 if step == "double" else 1)
        case "move" | "move2":
            return Move(at=places[2 if step == "move2" else 1])
        case "press":
            return Press(at=places[1])
        case "release" | "release2":
            return Release(at=places[2] if step == "release2" else None)
        case "drag":
            return Drag(path=(places[1], places[2]))
        case _:
            raise ValueError(f"no step is called {step!r}")


def needs_focus(step: str) -> bool:
    """Whether the marked place must have the keyboard focus before the step."""
    return step.partition(":")[0] in ("type", "key", "down")


def needed_places(steps: Sequence[str]) -> frozenset[int]:
    """The marked places that steps point at."""
    first = {1 for step in steps if step in _AT_THE_FIRST or step.startswith("typeat:")}
    return frozenset(first | {2 for step in steps if step in _AT_THE_SECOND})
