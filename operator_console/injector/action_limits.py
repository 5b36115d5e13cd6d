"""Limits of the numbers in an action, of its points and of its pace, whatever it acts on."""

from __future__ import annotations

from operator_console.domain.actions import Action, Chord, Click, Drag, HoldKeys, Scroll, TypeText
from operator_console.domain.errors import OutOfRange, RejectedReason
from operator_console.domain.geometry import NativePoint, ScreenPoint
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused

PRESS_ARRIVES_S = 0.2
"""How long after a press on another machine nothing else is sent but its release, in seconds: a window manager there
may hold the press back, and then keys overtake it, and the release counts where the pointer is by then. Nothing tells
when a window has it."""
BETWEEN_CLICKS_S = 0.03
"""Between the clicks of a double click where nothing tells when one has arrived: in a browser and on another machine.
On a display of this computer the server tells, and less is needed."""
NOTCHES_APART_S = 0.02
"""Between notches of the wheel. Chromium adds up those of one of its frames and scrolls by the height of what is
scrolled at most: without a pause a short list moved by less than it was told."""
LOOK_AT_HELD_S = 0.05
"""How often it is looked at whether held keys still reach what they were pressed for, in seconds."""
_MAX_CLICKS, _MAX_NOTCHES, _MAX_REPEATS, _MAX_HOLD_S, _MAX_CHARACTERS = 5, 2000, 200, 120.0, 100_000


def check_limits(action: Action) -> None:
    """Raises Refused for numbers that are out of range."""
    match action:
        case Click(count=count):
            bad = not 1 <= count <= _MAX_CLICKS
        case Scroll(dx=dx, dy=dy):
            bad = abs(dx) + abs(dy) > _MAX_NOTCHES
        case Chord(keys=keys, repeat=repeat):
            bad = not keys or not 1 <= repeat <= _MAX_REPEATS
        case HoldKeys(keys=keys, duration_s=duration_s):
            bad = not keys or not 0 <= duration_s <= _MAX_HOLD_S
        case Drag(path=path):
            bad = len(path) < 2
        case TypeText(text=text):
            bad = len(text) > _MAX_CHARACTERS
        case _:
            bad = False
    if bad:
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ACTION_NUMBERS_OUT_OF_RANGE, kind=action.kind))


def place_of(grant: Grant, point: NativePoint) -> ScreenPoint:
    """The point in input units, where the picture was taken. Raises Refused if it lies outside the picture."""
    try:
        return grant.geometry.to_screen(point)
    except OutOfRange as error:
        raise Refused(
            RejectedReason.OUT_OF_RANGE,
            notice(NoticeCode.POINT_OUT_OF_RANGE, axis=error.axis, value=error.value, limit=error.limit),
        ) from error
