"""Translates the calls of Qwen to domain actions: the function `computer_use`, and other functions.

Source: the function's schema in Qwen's cookbooks, in which `scroll` counts pixels, up if positive, and
`left_click_drag` begins at the pointer, which is followed from call to call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from operator_console.domain import scrolling
from operator_console.domain.actions import (
    Action,
    AskOperator,
    Button,
    CallFunction,
    Chord,
    Click,
    Drag,
    Finish,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import (
    MAX_WHEEL_CLICKS,
    Arguments,
    ParsedCall,
    read_direction,
    read_with,
)
from operator_console.providers.shared.written_values import given_point, written_point

COMPUTER_USE = "computer_use"
MAX_WAIT_S = 60.0
_MAX_PIXELS = MAX_WHEEL_CLICKS * scrolling.PX_PER_NOTCH
_NOT_OFFERED = frozenset({own_tools.ZOOM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a call refers to besides its arguments.

    Attributes:
        tools: Functions of the session; they take precedence.
        said: What the model said before.
        pointer: Where the pointer is.
        resolution: The size of the screen that the model was told.
        browser: Whether the target is a managed browser.
    """

    tools: frozenset[str]
    said: str
    pointer: NativePoint | None
    resolution: Size
    browser: bool = False


def parse_call(name: str, arguments: Arguments, situation: Situation) -> ParsedCall:
    """Translate a call to an action with points in native pixels. Raises ActionError, whose text is for the model."""
    if name in situation.tools:
        given = json.dumps(dict(arguments.values), ensure_ascii=False)
        return ParsedCall(action=CallFunction(name=name, arguments_json=given))
    own = own_tools.readers(browser=situation.browser)
    if name in own and name not in _NOT_OFFERED:
        return read_with(own[name], arguments)
    action = arguments.text("action", "").strip().lower().replace("-", "_") if name == COMPUTER_USE else name
    reader = _ACTIONS.get(action)
    if reader is None:
        known = (
            sorted({COMPUTER_USE, *own, *situation.tools} - _NOT_OFFERED) if name != COMPUTER_USE else sorted(_ACTIONS)
        )
        raise ActionError(notice(NoticeCode.NO_SUCH_FUNCTION, name=action[:80], functions=", ".join(known)))
    made = reader(arguments, situation)
    return made if isinstance(made, ParsedCall) else ParsedCall(action=made)


def _click(arguments: Arguments, situation: Situation, *, button: Button = Button.LEFT, count: int = 1) -> ParsedCall:
    at, box = given_point(arguments)
    return ParsedCall(action=Click(at=at, button=button, count=count, modifiers=arguments.held()), box=box)


def _move(arguments: Arguments, situation: Situation) -> ParsedCall:
    at, box = given_point(arguments)
    if at is None:
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="coordinate"))
    return ParsedCall(action=Move(at=at), box=box)


def _drag(arguments: Arguments, situation: Situation) -> ParsedCall:
    match arguments.values.get("coordinate"):
        case [list() as first, list() as last] if not arguments.has("start_coordinate"):
            ends = {"start_coordinate": first, "coordinate": last}
            arguments = replace(arguments, values={**arguments.values, **ends})
    end, box = written_point(arguments, "coordinate")
    if arguments.has("start_coordinate"):
        start, _ = written_point(arguments, "start_coordinate")
    elif situation.pointer is not None:
        start = situation.pointer
    else:
        raise ActionError(notice(NoticeCode.POINTER_UNKNOWN))
    return ParsedCall(action=Drag(path=(start, end), modifiers=arguments.held()), box=box)


def _scroll(arguments: Arguments, situation: Situation, *, sideways: bool) -> ParsedCall:
    """Scroll by pixels of the screen that the model was told, at least one notch; the way that is named, if any."""
    pixels = arguments.within("pixels", -_MAX_PIXELS, _MAX_PIXELS, 0)
    if arguments.has("direction"):
        dx, dy = read_direction(arguments, "direction")
        sideways, pixels = dx != 0, abs(pixels) * (dx - dy)
    native, told = arguments.geometry.native, situation.resolution
    scale = native.width / told.width if sideways else native.height / told.height
    notches = min(MAX_WHEEL_CLICKS, scrolling.from_pixels(abs(pixels) * scale))
    at, box = given_point(arguments)
    if pixels == 0:
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="pixels"))
    held = arguments.held()
    if sideways:
        return ParsedCall(action=Scroll(at=at, dx=notches if pixels > 0 else -notches, modifiers=held), box=box)
    return ParsedCall(action=Scroll(at=at, dy=-notches if pixels > 0 else notches, modifiers=held), box=box)


def _type(arguments: Arguments, situation: Situation) -> ParsedCall:
    at, box = given_point(arguments)
    note = notice(NoticeCode.CLICKS_POINT_FIRST) if at is not None else ""
    return ParsedCall(action=TypeText(text=arguments.text("text"), at=at), box=box, note=note)


def _wait(arguments: Arguments, situation: Situation) -> Action:
    name = next(filter(arguments.has, ("time", "seconds", "duration")), "time")
    return Wait(duration_s=arguments.within(name, 0, MAX_WAIT_S, 1))


def _question(arguments: Arguments, situation: Situation) -> Action:
    """What the model answers or asks, for the operator to reply to."""
    question = arguments.text("text", "").strip() or situation.said
    if not question:
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="text"))
    return AskOperator(question=question)


def _terminate(arguments: Arguments, situation: Situation) -> Action:
    word = arguments.text("status", "success").strip().lower()
    message = arguments.text("text", "").strip() or situation.said
    return Finish(message=message, success=word in {"success", "successful", "succeeded", "done"})


_ACTIONS: Mapping[str, Callable[[Arguments, Situation], Action | ParsedCall]] = {
    "key": lambda arguments, _: Chord(keys=arguments.chord("keys", "text")),
    "type": _type,
    "mouse_move": _move,
    "left_click": _click,
    "left_click_drag": _drag,
    "right_click": partial(_click, button=Button.RIGHT),
    "middle_click": partial(_click, button=Button.MIDDLE),
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "scroll": partial(_scroll, sideways=False),
    "hscroll": partial(_scroll, sideways=True),
    "wait": _wait,
    "answer": _question,
    "interact": _question,
    "terminate": _terminate,
}
ACTIONS = tuple(_ACTIONS)
"""Names of the actions of `computer_use`."""


def pointer_after(action: Action | None, pointer: NativePoint | None) -> NativePoint | None:
    """The position after an action, if it was at `pointer` before."""
    match action:
        case Move(at=at) | Click(at=at) | Press(at=at) | Release(at=at) | Scroll(at=at) | TypeText(at=at):
            return at if at is not None else pointer
        case Drag(path=path):
            return path[-1]
        case _:
            return pointer


def pointer_after_results(results: Sequence[CallResult], pointer: NativePoint | None) -> NativePoint | None:
    """The position after what was carried out of a turn, if it was at `pointer` before."""
    for result in results:
        if result.status is CallStatus.DONE:
            pointer = pointer_after(result.executed or result.call.action, pointer)
    return pointer
