"""Where an action lands, whether it needs the keyboard's focus, and how long its effect may take to be seen. Pure."""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    OpenBrowser,
    Press,
    Release,
    Scroll,
    TypeText,
    target_point,
)
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key

# (lower, upper) bounds of the wait for a settled picture, in seconds. The lower one gives the application a chance to
# begin; the upper one is for pages that never come to rest.
_QUICK = (0.02, 0.4)
_USUAL = (0.03, 1.5)
_SLOW = (0.10, 4.0)
_LAUNCH = (0.30, 6.0)


def is_keyboard(action: Action) -> bool:
    """Whether it sends keys, so that it needs the focus."""
    return isinstance(action, TypeText | Chord | KeyDown | KeyUp | HoldKeys)


def is_input(action: Action) -> bool:
    """Whether the injector does it."""
    return is_keyboard(action) or isinstance(action, Move | Click | Press | Release | Drag | Scroll)


def points(action: Action, frame: Frame) -> tuple[NativePoint, ...]:
    """The points whose surroundings matter: a drag's both ends, a target, or the pointer where it names none."""
    if isinstance(action, Drag):
        return (action.path[0], action.path[-1])
    at = target_point(action)
    if at is not None:
        return (at,)
    if isinstance(action, Click | Press | Scroll) and frame.pointer is not None:
        return (frame.pointer,)
    return ()


def check_points(action: Action, frame: Frame) -> tuple[NativePoint, ...]:
    """The points at which the screen must still look as in the frame; none for moves, releases and keys.

    A release ends what was begun: a button left down because the picture changed under it would be worse. A point
    outside the frame has none either; the injector refuses it as out of range.
    """
    if isinstance(action, Move | Release):
        return ()
    native = frame.geometry.native
    return tuple(p for p in points(action, frame) if 0 <= p.x < native.width and 0 <= p.y < native.height)


def settle_bounds(action: Action) -> tuple[float, float]:
    """Lower and upper bound of the wait after it, in seconds."""
    match action:
        case Move() | KeyDown() | KeyUp() | Press():
            return _QUICK
        case TypeText(submit=True) | Click(count=2):
            return _SLOW
        case Chord(keys=keys) if Key("enter") in keys or Key("f5") in keys:
            return _SLOW
        case OpenBrowser() | Launch():
            return _LAUNCH
        case _:
            return _SLOW if not is_input(action) else _USUAL
