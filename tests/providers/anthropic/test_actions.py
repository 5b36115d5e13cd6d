"""Every action of the computer tool, as documented and as models vary it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import pytest
from anthropic.types import ComputerMemberName, ComputerToolsetConfigsParam

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
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.providers.anthropic.actions import MEMBERS, parse_action
from operator_console.providers.shared.own_tools import Vocabulary

GEOMETRY = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(2000, 1000), sent=Size(1000, 500))
AT = NativePoint(21, 41)
CTRL, SHIFT = Key("ctrl"), Key("shift")

UNDERSTOOD: list[tuple[str, dict[str, Any], Action]] = [
    ("left_click", {"coordinate": [10, 20]}, Click(at=AT)),
    ("left_click", {}, Click(at=None)),
    ("left_click", {"coordinate": "[10, 20]"}, Click(at=AT)),
    ("left_click", {"coordinate": ["10", 20.0]}, Click(at=AT)),
    ("left_click", {"coordinate": [10, 20], "text": "ctrl+shift"}, Click(at=AT, modifiers=(CTRL, SHIFT))),
    ("left_click", {"coordinate": [10, 20], "key": "ctrl"}, Click(at=AT, modifiers=(CTRL,))),
    ("right_click", {"coordinate": [10, 20]}, Click(at=AT, button=Button.RIGHT)),
    ("middle_click", {"coordinate": [10, 20]}, Click(at=AT, button=Button.MIDDLE)),
    ("double_click", {"coordinate": [10, 20]}, Click(at=AT, count=2)),
    ("triple_click", {"coordinate": [10, 20]}, Click(at=AT, count=3)),
    ("mouse_move", {"coordinate": [10, 20]}, Move(at=AT)),
    ("left_mouse_down", {}, Press()),
    ("left_mouse_up", {}, Release()),
    (
        "left_click_drag",
        {"start_coordinate": [0, 0], "coordinate": [10, 20]},
        Drag(path=(NativePoint(1, 1), AT)),
    ),
    (
        "scroll",
        {"coordinate": [10, 20], "scroll_direction": "down", "scroll_amount": 3},
        Scroll(at=AT, dy=3),
    ),
    ("scroll", {"scroll_direction": "left", "scroll_amount": 1}, Scroll(at=None, dx=-1)),
    (
        "scroll",
        {"scroll_direction": "up", "scroll_amount": 2, "text": "ctrl"},
        Scroll(at=None, dy=-2, modifiers=(CTRL,)),
    ),
    ("type", {"text": "abc\n"}, TypeText(text="abc\n")),
    ("key", {"text": "ctrl+s"}, Chord(keys=(CTRL, Key("s")))),
    ("key", {"text": "s", "key": "ctrl"}, Chord(keys=(CTRL, Key("s")))),
    ("key", {"text": "Page_Down", "repeat": 3}, Chord(keys=(Key("page_down"),), repeat=3)),
    ("key", {"text": "Return"}, Chord(keys=(Key("enter"),))),
    ("hold_key", {"text": "shift", "duration": 2}, HoldKeys(keys=(SHIFT,), duration_s=2.0)),
    ("wait", {"duration": 2}, Wait(duration_s=2.0)),
    ("screenshot", {}, Screenshot()),
    ("cursor_position", {}, CursorPosition()),
    ("zoom", {"region": [10, 20, 110, 70]}, Zoom(region=Rect(20, 40, 200, 100))),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), UNDERSTOOD, ids=str)
def test_what_is_understood(name: str, arguments: Mapping[str, object], expected: Action) -> None:
    assert parse_action(name, arguments, GEOMETRY, Vocabulary()).action == expected


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("left_click", {"coordinate": [1001, 5]}, "outside"),
        ("left_click", {"coordinate": [-1, 5]}, "outside"),
        ("left_click", {"coordinate": [5]}, "not a point"),
        ("left_click", {"coordinate": [True, 5]}, "not a point"),
        ("left_click", {"coordinate": "__import__('os')"}, "not a point"),
        ("left_click", {"coordinate": [float("nan"), 5]}, "not a point"),
        ("left_click", {"text": "hyperdrive"}, "hyperdrive"),
        ("left_click_drag", {"coordinate": [1, 1]}, "start_coordinate"),
        ("mouse_move", {}, "missing"),
        ("scroll", {"scroll_direction": "sideways", "scroll_amount": 1}, "sideways"),
        ("scroll", {"scroll_direction": "up", "scroll_amount": 1000}, "scroll_amount"),
        ("key", {"text": "ctrl+s", "repeat": 101}, "repeat"),
        ("key", {"text": ""}, "key"),
        ("key", {"text": "space", "duration": 2}, "'duration'"),
        ("hold_key", {"text": "shift", "duration": 301}, "duration"),
        ("wait", {"duration": -1}, "duration"),
        ("type", {}, "missing"),
        ("type", {"text": ["a"]}, "not a text"),
        ("format_disk", {}, "format_disk"),
    ],
    ids=str,
)
def test_what_is_not_understood_is_explained(name: str, arguments: Mapping[str, object], words: str) -> None:
    with pytest.raises(ActionError, match=words):
        parse_action(name, arguments, GEOMETRY, Vocabulary())


def test_it_knows_the_members_of_the_sdks_toolset_and_no_others() -> None:
    assert set(MEMBERS) == set(get_type_hints(ComputerToolsetConfigsParam)) == set(get_args(ComputerMemberName))
