"""Where an action lands, whether it needs the keyboard's focus, and how long its effect may take to be seen. Pure."""

from __future__ import annotations

import math

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
    QuoteText,
    Release,
    Scroll,
    TypeText,
    target_point,
)
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key

CROP_RADIUS_PX = 48

# (lower, upper) bounds of the wait for a settled picture, in seconds. The lower one gives the application a chance to
# begin; the upper one is for pages that never come to rest.
_QUICK = (0.02, 0.4)
_USUAL = (0.03, 1.5)
_CLICK = (0.03, 3.0)  # long enough to await the first change (computers/stillness.py)
_SLOW = (0.10, 4.0)
_LAUNCH = (0.30, 6.0)
_COPIES = (frozenset((Key("ctrl"), Key("c"))), frozenset((Key("ctrl"), Key("insert"))))


def is_keyboard(action: Action) -> bool:
    """Whether it sends keys, so that it needs the focus."""
    return isinstance(action, TypeText | Chord | KeyDown | KeyUp | HoldKeys)


def is_input(action: Action) -> bool:
    """Whether the injector does it."""
    return is_keyboard(action) or isinstance(action, Move | Click | Press | Release | Drag | Scroll)


def points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points whose surroundings matter: a drag's both ends, a target, or the agent's pointer where it names none.

    Args:
        action: the action.
        frame: the frame it was proposed on.
        pointer: the agent's own pointer in input units (not the human's, which the frame shows); None: not known.
    """
    if isinstance(action, Drag):
        return (action.path[0], action.path[-1])
    at = target_point(action)
    if at is not None:
        return (at,)
    if isinstance(action, QuoteText) and action.auto_scroll:
        return (middle(action.region),)
    if isinstance(action, Click | Press | Scroll):
        own = frame.pointer if pointer is None else _native(pointer, frame)
        return () if own is None else (own,)
    return ()


def middle(region: Rect) -> NativePoint:
    """The pixel in the middle of a region."""
    return NativePoint(*region.centre)


def _native(pointer: tuple[int, int], frame: Frame) -> NativePoint | None:
    geometry = frame.geometry
    x = math.floor((pointer[0] - geometry.origin.x) / geometry.input_scale)
    y = math.floor((pointer[1] - geometry.origin.y) / geometry.input_scale)
    inside = 0 <= x < geometry.native.width and 0 <= y < geometry.native.height
    return NativePoint(x, y) if inside else None


def check_points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points at which the screen must still look as in the frame; none for moves, releases and keys.

    A release ends what was begun: a button left down because the picture changed under it would be worse. A point
    outside the frame has none either; the injector refuses it as out of range.
    """
    if isinstance(action, Move | Release):
        return ()
    native = frame.geometry.native
    return tuple(p for p in points(action, frame, pointer) if 0 <= p.x < native.width and 0 <= p.y < native.height)


def owner_points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points that must still belong to the windows that they belonged to in the frame: of moves and the whole way
    of a drag too, of releases and keys none."""
    native = frame.geometry.native
    if isinstance(action, Release):
        return ()
    found = action.path if isinstance(action, Drag) else points(action, frame, pointer)
    return tuple(p for p in dict.fromkeys(found) if 0 <= p.x < native.width and 0 <= p.y < native.height)


def screen_regions(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[Rect, ...]:
    """Squares of the frame around every point that matters, each once."""
    native = frame.geometry.native
    squares = (Rect.around(point, CROP_RADIUS_PX, native) for point in check_points(action, frame, pointer))
    return tuple(dict.fromkeys(square for square in squares if not square.empty))


def must_show(action: Action) -> bool:
    """Whether an action that took effect is seen on the screen; moves, holds and copying need not be."""
    match action:
        case Click() | Drag() | Scroll() | Release():
            return True
        case TypeText(text=text, clear=clear, submit=submit):
            return bool(text) or clear or submit
        case Chord(keys=keys):
            return not any(set(keys) == copying for copying in _COPIES)
        case _:
            return False


def settle_bounds(action: Action) -> tuple[float, float]:
    """Lower and upper bound of the wait after it, in seconds."""
    match action:
        case Move() | KeyDown() | KeyUp() | Press():
            return _QUICK
        case TypeText(submit=True) | Click(count=2):
            return _SLOW
        case Chord(keys=keys) if Key("enter") in keys or Key("f5") in keys:
            return _SLOW
        case Click():
            return _CLICK
        case OpenBrowser() | Launch():
            return _LAUNCH
        case _:
            return _SLOW if not is_input(action) else _USUAL
