"""All actions of the computer tools, as documented and otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.responses import ComputerAction
from pydantic import TypeAdapter

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
from operator_console.domain.errors import ActionError, OutOfRange
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.providers.openai.actions import ACTIONS, parse_action

P = NativePoint
HALF = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(2000, 1000), sent=Size(1000, 500))
PLAIN = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(1000, 500), sent=Size(1000, 500))

DOCUMENTED: list[tuple[dict[str, Any], Action]] = [
    ({"type": "click", "button": "left", "x": 405, "y": 157}, Click(at=P(405, 157))),
    ({"type": "click", "button": "right", "x": 0, "y": 0}, Click(at=P(0, 0), button=Button.RIGHT)),
    ({"type": "click", "button": "wheel", "x": 999, "y": 499}, Click(at=P(999, 499), button=Button.MIDDLE)),
    ({"type": "click", "button": "back", "x": 1, "y": 2}, Click(at=P(1, 2), button=Button.BACK)),
    ({"type": "click", "button": "forward", "x": 1, "y": 2}, Click(at=P(1, 2), button=Button.FORWARD)),
    (
        {"type": "click", "button": "left", "x": 1, "y": 2, "keys": ["CTRL", "SHIFT"]},
        Click(at=P(1, 2), modifiers=(Key("ctrl"), Key("shift"))),
    ),
    ({"type": "double_click", "x": 1, "y": 2, "keys": None}, Click(at=P(1, 2), count=2)),
    (
        {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}], "keys": ["ALT"]},
        Drag(path=(P(1, 2), P(3, 4), P(5, 6)), modifiers=(Key("alt"),)),
    ),
    ({"type": "keypress", "keys": ["CTRL", "L"]}, Chord(keys=(Key("ctrl"), Key("l")))),
    ({"type": "keypress", "keys": ["ENTER"]}, Chord(keys=(Key("enter"),))),
    ({"type": "keypress", "keys": ["ARROWLEFT"]}, Chord(keys=(Key("left"),))),
    ({"type": "keypress", "keys": ["CMD", "c"]}, Chord(keys=(Key("super"), Key("c")))),
    ({"type": "move", "x": 1, "y": 2}, Move(at=P(1, 2))),
    ({"type": "screenshot"}, Screenshot()),
    ({"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 300}, Scroll(at=P(1, 2), dy=3)),
    ({"type": "scroll", "x": 1, "y": 2, "scroll_x": -120, "scroll_y": -20}, Scroll(at=P(1, 2), dx=-1, dy=-1)),
    (
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": -500, "keys": ["CTRL"]},
        Scroll(at=P(1, 2), dy=-5, modifiers=(Key("ctrl"),)),
    ),
    ({"type": "type", "text": "penguin\n“ł” 你好"}, TypeText(text="penguin\n“ł” 你好")),
    ({"type": "wait"}, Wait(duration_s=2.0)),
]


@pytest.mark.parametrize(("given", "action"), DOCUMENTED, ids=lambda value: str(value)[:60])
def test_documented(given: dict[str, Any], action: Action) -> None:
    TypeAdapter(ComputerAction).validate_python(given)  # it is what the SDK says
    assert parse_action(given["type"], given, PLAIN).action == action


def test_every_action_of_the_sdk_is_understood() -> None:
    kinds = {each["type"] for each, _ in DOCUMENTED}
    schema = TypeAdapter(ComputerAction).json_schema()
    stated = {each["properties"]["type"]["const"] for each in schema["$defs"].values() if "type" in each["properties"]}
    assert kinds == stated == set(ACTIONS)


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"type": "click", "x": "12", "y": 2.6}, Click(at=P(12, 3))),
        ({"type": "click", "button": "middle", "x": 1, "y": 2}, Click(at=P(1, 2), button=Button.MIDDLE)),
        ({"type": "scroll", "x": 1, "y": 2, "scroll_y": 100}, Scroll(at=P(1, 2), dy=1)),
        ({"type": "keypress", "keys": "ctrl+s"}, Chord(keys=(Key("ctrl"), Key("s")))),
    ],
    ids=str,
)
def test_forms_that_differ(given: dict[str, Any], action: Action) -> None:
    assert parse_action(given["type"], given, PLAIN).action == action


def test_points_and_distances_are_pixels_of_the_picture() -> None:
    assert parse_action("move", {"x": 10, "y": 20}, HALF).action == Move(at=P(21, 41))
    scrolled = parse_action("scroll", {"x": 0, "y": 0, "scroll_x": 100, "scroll_y": -100}, HALF).action
    assert scrolled == Scroll(at=P(1, 1), dx=2, dy=-2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"type": "fly"}, "no function 'fly'"),
        ({"type": "click", "y": 1}, "'x' is missing"),
        ({"type": "click", "x": True, "y": 1}, "not a number"),
        ({"type": "click", "x": 1, "y": 1, "button": "both"}, "must be left, right"),
        ({"type": "click", "x": 1, "y": 1, "keys": ["NOSUCH"]}, "Unknown key"),
        ({"type": "click", "x": 1, "y": 1, "keys": True}, "not a text"),
        ({"type": "drag"}, "'path' is missing"),
        ({"type": "drag", "path": [{"x": 1, "y": 1}]}, "2 to 1000 points"),
        ({"type": "drag", "path": [[1, 1], [2, 2]]}, "2 to 1000 points"),
        ({"type": "drag", "path": [{"x": 1, "y": 1}] * 1001}, "2 to 1000 points"),
        ({"type": "keypress", "keys": []}, "names no key"),
        ({"type": "move", "x": 1, "y": 1, "keys": ["CTRL"]}, "not supported"),
        ({"type": "scroll", "x": 1, "y": 1, "scroll_x": 0, "scroll_y": 0}, "missing"),
        ({"type": "scroll", "x": 1, "y": 1, "scroll_y": 1e6}, "must be between"),
        ({"type": "type"}, "'text' is missing"),
        ({"type": "type", "text": ["a"]}, "not a text"),
    ],
    ids=str,
)
def test_what_cannot_be_understood(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ActionError) as caught:
        parse_action(given["type"], given, PLAIN)
    assert words in caught.value.text


@pytest.mark.parametrize(("x", "y"), [(-1, 5), (1001, 5), (5, 501), (1e308, 5)])
def test_points_outside_the_picture(x: float, y: float) -> None:
    with pytest.raises(OutOfRange):
        parse_action("click", {"x": x, "y": y}, PLAIN)


def test_an_action_that_is_withheld() -> None:
    with pytest.raises(ActionError, match="not available"):
        parse_action("drag", {}, PLAIN, frozenset({"drag"}))
