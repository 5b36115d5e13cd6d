"""Translates the tool uses of Claude to domain actions.

The members of the toolset and the actions of the dated tools have the same names and arguments. Coordinates are pixels
of the picture that was sent. Source: the computer use page of the Claude API documentation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from operator_console.domain import scrolling
from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    Move,
    Press,
    Release,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
    Zoom,
)
from operator_console.domain.errors import ActionError, OutOfRange
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.arguments import (
    MAX_WHEEL_CLICKS,
    Arguments,
    ParsedCall,
    Reader,
    read_direction,
    read_with,
)
from operator_console.providers.shared.own_tools import Vocabulary, in_picture, unknown_function
from operator_console.providers.shared.written_values import given_point, written_point

COMPUTER = "computer"
"""The family of the toolset, and the name of the dated tools."""

MAX_DURATION_S = 300.0
MAX_REPEAT = 100


def parse_action(
    name: str, arguments: Mapping[str, object], geometry: FrameGeometry, vocabulary: Vocabulary
) -> ParsedCall:
    """Translate an action of the computer tool. Raises ActionError, whose text is for the model."""
    if name in vocabulary.excluded:
        raise ActionError(notice(NoticeCode.FUNCTION_NOT_OFFERED, name=name))
    reader = MEMBERS.get(name)
    if reader is None:
        raise unknown_function(name, frozenset(MEMBERS) - vocabulary.excluded)
    return read_with(reader, in_picture(arguments, geometry))


def _numbers(arguments: Arguments, name: str, count: int) -> tuple[float, ...]:
    """The numbers of a list, which may be given as text. Raises ActionError."""
    value = arguments.values.get(name)
    if value is None:
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument=name))
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise _no_number(name, value) from None
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise _no_number(name, value)
    each = replace(arguments, values={str(index): item for index, item in enumerate(value)})
    try:
        return tuple(each.number(str(index)) for index in range(count))
    except ActionError:
        raise _no_number(name, value) from None


def _no_number(name: str, value: object) -> ActionError:
    return ActionError(notice(NoticeCode.ARGUMENT_NOT_NUMBER, argument=name, value=str(value)[:40]))


def _point(arguments: Arguments, name: str = "coordinate") -> NativePoint:
    return written_point(arguments, name)[0]


def _point_if_given(arguments: Arguments) -> NativePoint | None:
    return given_point(arguments)[0]


def _modifiers(arguments: Arguments) -> tuple[Key, ...]:
    """Keys that are held during a pointer action: `text`; `key` in the vendor's older samples."""
    return arguments.held("text")


def _click(arguments: Arguments, *, button: Button = Button.LEFT, count: int = 1) -> Action:
    return Click(at=_point_if_given(arguments), button=button, count=count, modifiers=_modifiers(arguments))


def _drag(arguments: Arguments) -> Action:
    return Drag(path=(_point(arguments, "start_coordinate"), _point(arguments)), modifiers=_modifiers(arguments))


def _scroll(arguments: Arguments) -> Action:
    dx, dy = read_direction(arguments, "scroll_direction")
    notches = scrolling.from_clicks(arguments.within("scroll_amount", 1, MAX_WHEEL_CLICKS, 1))
    return Scroll(at=_point_if_given(arguments), dx=dx * notches, dy=dy * notches, modifiers=_modifiers(arguments))


def _key(arguments: Arguments) -> Action:
    return Chord(
        keys=arguments.chord("text", reads=("repeat",)), repeat=round(arguments.within("repeat", 1, MAX_REPEAT, 1))
    )


def _hold_key(arguments: Arguments) -> Action:
    return HoldKeys(
        keys=arguments.chord("text", reads=("duration",)), duration_s=arguments.within("duration", 0, MAX_DURATION_S, 1)
    )


def _zoom(arguments: Arguments) -> Action:
    """The native pixels under a region whose right and lower edges are not part of it."""
    left, top, right, bottom = _numbers(arguments, "region", 4)
    sent, native = arguments.geometry.sent, arguments.geometry.native
    for axis, value, limit in (
        ("x", left, sent.width), ("x", right, sent.width), ("y", top, sent.height), ("y", bottom, sent.height),
    ):  # fmt: skip
        if not 0 <= value <= limit:
            raise OutOfRange(axis=axis, value=str(value), limit=f"0..{limit}")
    if not (left < right and top < bottom):
        raise ActionError(notice(NoticeCode.EDGES_IN_WRONG_ORDER))
    across, down = native.width / sent.width, native.height / sent.height
    x, y = math.floor(left * across), math.floor(top * down)
    return Zoom(region=Rect(x, y, math.ceil(right * across) - x, math.ceil(bottom * down) - y))


MEMBERS: Mapping[str, Reader] = {
    "left_click": _click,
    "right_click": partial(_click, button=Button.RIGHT),
    "middle_click": partial(_click, button=Button.MIDDLE),
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "left_click_drag": _drag,
    "left_mouse_down": lambda _: Press(),
    "left_mouse_up": lambda _: Release(),
    "mouse_move": lambda arguments: Move(at=_point(arguments)),
    "scroll": _scroll,
    "type": lambda arguments: TypeText(text=arguments.text("text")),
    "key": _key,
    "hold_key": _hold_key,
    "wait": lambda arguments: Wait(duration_s=arguments.within("duration", 0, MAX_DURATION_S, 1)),
    "screenshot": lambda _: Screenshot(),
    "cursor_position": lambda _: CursorPosition(),
    "zoom": _zoom,
}
"""The reader for the arguments of each action, by name."""
