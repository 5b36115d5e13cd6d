"""Translates the calls of UI-TARS to domain actions.

Source: the prompts and `action_parser.py` of UI-TARS, and Doubao's documentation. The versions name arguments
differently (`start_box`, `point`, `start_point`); all names are accepted from every version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Button,
    CallFunction,
    Chord,
    Click,
    Drag,
    Finish,
    KeyDown,
    KeyUp,
    Move,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import Arguments, ParsedCall, Reader, read_direction, read_with
from operator_console.providers.shared.written_values import written_point

WAIT_S = 5.0
SCROLL_NOTCHES = 5
"""The reference implementation scrolls by this much; the model names only the direction."""

_STARTS = ("start_box", "point", "start_point", "box", "bbox", "coordinate", "start_coordinate", "0")
_ENDS = ("end_box", "end_point", "end_coordinate", "1")
_BETWEEN_TEXTS = re.compile(r"['\"]\s*[,，]\s*['\"]")
_NOT_OFFERED = frozenset({own_tools.ZOOM})


def parse_call(
    name: str, arguments: Arguments, *, tools: frozenset[str], said: str, browser: bool = False
) -> ParsedCall:
    """Translate a call to an action with points in native pixels.

    Args:
        name: Name of the action or function.
        arguments: What was written between its brackets.
        tools: Functions of the session; they take precedence.
        said: What the model said before. It is the question of `call_user`, which has no text of its own.
        browser: Whether the target is a managed browser.

    Raises:
        ActionError: The call cannot be translated; the text is for the model.
    """
    if name in tools:
        given = json.dumps(dict(arguments.values), ensure_ascii=False)
        return ParsedCall(action=CallFunction(name=name, arguments_json=given))
    if name == "call_user":
        return ParsedCall(action=AskOperator(question=_first_text(arguments, "content", "question", "0") or said))
    if name == "finished":
        return ParsedCall(action=Finish(message=_first_text(arguments, "content", "answer", "0") or said))
    reader = (_BROWSER_READERS if browser else _READERS).get(name)
    if reader is None:
        names = ", ".join(sorted(known(tools, browser=browser)))
        raise ActionError(notice(NoticeCode.NO_SUCH_FUNCTION, name=name[:80], functions=names))
    return read_with(reader, arguments)


def known(tools: frozenset[str], *, browser: bool = False) -> frozenset[str]:
    """The names of all actions and functions."""
    return frozenset(_BROWSER_READERS if browser else _READERS) | {"call_user", "finished"} | tools


def _first_text(arguments: Arguments, *names: str) -> str:
    return next((arguments.text(name).strip() for name in names if arguments.has(name)), "")


def _name_of(arguments: Arguments, names: tuple[str, ...]) -> str:
    """The one of these arguments that is given; the first if none is."""
    return next((name for name in names if arguments.has(name)), names[0])


def _of_keys(arguments: Arguments) -> tuple[Arguments, tuple[str, ...]]:
    """The arguments with keys that stand side by side, which are read as one text (`'ctrl', 'c'`), apart; and the
    names of those that are given without one."""
    values = {
        name: _BETWEEN_TEXTS.split(value) if isinstance(value, str) and value[:1] != "[" else value
        for name, value in arguments.values.items()
        if value != ""
    }
    return replace(arguments, values=values), tuple(filter(str.isdecimal, values))


def _start(arguments: Arguments) -> tuple[NativePoint, Rect | None]:
    if not any(map(arguments.has, _STARTS)) and arguments.has("x", "y"):
        return arguments.point(), None
    return written_point(arguments, _name_of(arguments, _STARTS))


def _click(arguments: Arguments, *, button: Button = Button.LEFT, count: int = 1) -> ParsedCall:
    at, box = _start(arguments)
    return ParsedCall(action=Click(at=at, button=button, count=count, modifiers=arguments.held()), box=box)


def _move(arguments: Arguments) -> ParsedCall:
    at, box = _start(arguments)
    return ParsedCall(action=Move(at=at), box=box)


def _drag(arguments: Arguments) -> ParsedCall:
    start, box = _start(arguments)
    end, _ = written_point(arguments, _name_of(arguments, _ENDS))
    return ParsedCall(action=Drag(path=(start, end), modifiers=arguments.held()), box=box)


def _scroll(arguments: Arguments) -> ParsedCall:
    dx, dy = read_direction(arguments, "direction")
    has_place = any(map(arguments.has, _STARTS)) and arguments.values[_name_of(arguments, _STARTS)] != ""
    at, box = _start(arguments) if has_place else (None, None)
    scroll = Scroll(at=at, dx=dx * SCROLL_NOTCHES, dy=dy * SCROLL_NOTCHES, modifiers=arguments.held())
    return ParsedCall(action=scroll, box=box)


def _key_down(arguments: Arguments) -> Action:
    given, unnamed = _of_keys(arguments)
    return KeyDown(key=given.key("key", "press", *unnamed))


def _key_up(arguments: Arguments) -> Action:
    given, unnamed = _of_keys(arguments)
    return KeyUp(key=given.key("key", "release", *unnamed))


def _hotkey(arguments: Arguments) -> Action:
    given, unnamed = _of_keys(arguments)
    return Chord(keys=given.chord("key", *unnamed))


def _type(arguments: Arguments) -> Action:
    """Type at the focus. A line break at the end submits.

    A second argument is taken for a part of the text whose quotes are not escaped.
    """
    if len(arguments.values) > 1:
        raise ActionError(notice(NoticeCode.ARGUMENTS_NOT_EXPECTED))
    text = arguments.text(_name_of(arguments, ("content", "text", "0")))
    return TypeText(text=text.removesuffix("\n"), submit=text.endswith("\n"))


_READERS: Mapping[str, Reader] = {
    "click": _click,
    "left_single": _click,
    "left_click": _click,
    "left_double": partial(_click, count=2),
    "double_click": partial(_click, count=2),
    "right_single": partial(_click, button=Button.RIGHT),
    "right_click": partial(_click, button=Button.RIGHT),
    "middle_click": partial(_click, button=Button.MIDDLE),
    "hover": _move,
    "mouse_move": _move,
    "drag": _drag,
    "select": _drag,
    "scroll": _scroll,
    "hotkey": _hotkey,
    "press": _key_down,
    "keydown": _key_down,
    "release": _key_up,
    "keyup": _key_up,
    "type": _type,
    "wait": lambda _: Wait(duration_s=WAIT_S),
    "navigate": lambda arguments: own_tools.read_navigate(arguments, _name_of(arguments, ("content", "url", "0"))),
    "navigate_back": lambda _: Back(),
    **{name: reader for name, reader in own_tools.READERS.items() if name not in _NOT_OFFERED},
}
_BROWSER_READERS: Mapping[str, Reader] = {**own_tools.BROWSER_READERS, **_READERS}
