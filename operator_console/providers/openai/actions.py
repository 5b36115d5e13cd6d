"""Translates actions of OpenAI's computer tools to domain actions.

Coordinates and distances are pixels of the picture that was sent. Both tools have the same actions. Source: the
computer use page of the OpenAI API documentation, and the types of its SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from operator_console.domain import scrolling
from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    Move,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.arguments import Arguments, ParsedCall, Reader, read_with
from operator_console.providers.shared.own_tools import in_picture, unknown_function

MAX_SCROLL_PX = 10_000
MAX_PATH_POINTS = 1_000

# The action has no duration; the samples of the documentation sleep so long.
_WAIT = Wait(duration_s=2.0)

_BUTTONS: Mapping[str, Button] = {
    "left": Button.LEFT,
    "right": Button.RIGHT,
    "wheel": Button.MIDDLE,
    "middle": Button.MIDDLE,
    "back": Button.BACK,
    "forward": Button.FORWARD,
}


def parse_action(
    name: str, arguments: Mapping[str, object], geometry: FrameGeometry, excluded: frozenset[str] = frozenset()
) -> ParsedCall:
    """Translate an action of the computer tool, by its type. Raises ActionError, whose text is for the model."""
    if name in excluded:
        raise ActionError(notice(NoticeCode.FUNCTION_NOT_OFFERED, name=name))
    reader = ACTIONS.get(name)
    if reader is None:
        raise unknown_function(name, frozenset(ACTIONS) - excluded)
    return read_with(reader, in_picture(arguments, geometry))


def _held(arguments: Arguments) -> tuple[Key, ...]:
    """Keys that are held during a pointer action."""
    return arguments.held("keys")


def _click(arguments: Arguments) -> Action:
    word = arguments.text("button", "left").strip().lower()
    if word not in _BUTTONS:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_BUTTON, argument="button", value=word[:40]))
    return Click(at=arguments.point(), button=_BUTTONS[word], modifiers=_held(arguments))


def _drag(arguments: Arguments) -> Action:
    path = arguments.values.get("path")
    if path is None:
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="path"))
    if not isinstance(path, list) or not 2 <= len(path) <= MAX_PATH_POINTS:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_PATH, argument="path", most=MAX_PATH_POINTS))
    return Drag(path=tuple(_point_of(item, arguments) for item in path), modifiers=_held(arguments))


def _point_of(item: object, arguments: Arguments) -> NativePoint:
    if not isinstance(item, dict):
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_PATH, argument="path", most=MAX_PATH_POINTS))
    return replace(arguments, values=item).point()


def _move(arguments: Arguments) -> Action:
    if _held(arguments):
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_SUPPORTED, argument="keys", name="move"))
    return Move(at=arguments.point())


def _scroll(arguments: Arguments) -> Action:
    geometry = arguments.geometry
    if not (arguments.values.get("scroll_x") or arguments.values.get("scroll_y")):
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="scroll_y"))
    across, down = (arguments.within(name, -MAX_SCROLL_PX, MAX_SCROLL_PX, 0) for name in ("scroll_x", "scroll_y"))
    return Scroll(
        at=arguments.point(),
        dx=_notches(across * geometry.native.width / geometry.sent.width),
        dy=_notches(down * geometry.native.height / geometry.sent.height),
        modifiers=_held(arguments),
    )


def _notches(distance_px: float) -> int:
    if not distance_px:
        return 0
    notches = scrolling.from_pixels(abs(distance_px))
    return notches if distance_px > 0 else -notches


ACTIONS: Mapping[str, Reader] = {
    "click": _click,
    "double_click": lambda arguments: Click(at=arguments.point(), count=2, modifiers=_held(arguments)),
    "drag": _drag,
    "keypress": lambda arguments: Chord(keys=arguments.chord("keys")),
    "move": _move,
    "screenshot": lambda _: Screenshot(),
    "scroll": _scroll,
    "type": lambda arguments: TypeText(text=arguments.text("text")),
    "wait": lambda _: _WAIT,
}
"""The reader for the arguments of each action, by type."""
