"""All functions of both sets, and forms of calls that differ from the documentation."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Button,
    CallFunction,
    Choice,
    Chord,
    Click,
    Drag,
    Forward,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuestionKind,
    Release,
    Screenshot,
    Scroll,
    Search,
    TypeText,
    Wait,
)
from operator_console.domain.codec import decode, encode
from operator_console.domain.errors import ActionError, OutOfRange
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notices_of, render, worded
from operator_console.domain.notices import Notice
from operator_console.providers.gemini.actions import parse_call
from tests.providers.conftest import geometry

# 1000 x 1000: a grid number is its pixel; 2000 x 1000 tells the axes apart.
SQUARE = geometry(Size(1000, 1000))
WIDE = geometry(Size(2000, 1000))
P = NativePoint


def _read(name: str, **arguments: Any) -> Action:
    return parse_call(name, arguments, WIDE).action


LEGACY: list[tuple[str, dict[str, Any], Action]] = [
    ("open_web_browser", {}, OpenBrowser()),
    ("wait_5_seconds", {}, Wait(duration_s=5)),
    ("go_back", {}, Back()),
    ("go_forward", {}, Forward()),
    ("search", {}, Search()),
    ("navigate", {"url": "https://a.example/x"}, Navigate(url="https://a.example/x")),
    ("navigate", {"url": "a.example"}, Navigate(url="https://a.example")),
    ("navigate", {"url": "about:blank"}, Navigate(url="about:blank")),
    ("click_at", {"y": 500, "x": 250}, Click(at=P(500, 500))),
    ("hover_at", {"y": 500, "x": 250}, Move(at=P(500, 500))),
    ("type_text_at", {"y": 1, "x": 1, "text": "ł"}, TypeText(text="ł", at=P(2, 1), clear=True, submit=True)),
    (
        "type_text_at",
        {"y": 1, "x": 1, "text": "a", "press_enter": False, "clear_before_typing": "false"},
        TypeText(text="a", at=P(2, 1)),
    ),
    ("key_combination", {"keys": "Control+C"}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("key_combination", {"keys": "enter"}, Chord(keys=(Key("enter"),))),
    ("scroll_document", {"direction": "down"}, Chord(keys=(Key("page_down"),))),
    ("scroll_document", {"direction": "up"}, Chord(keys=(Key("page_up"),))),
    ("scroll_document", {"direction": "right"}, Scroll(at=P(1000, 500), dx=10)),
    ("scroll_at", {"y": 500, "x": 500, "direction": "down"}, Scroll(at=P(1000, 500), dy=8)),
    ("scroll_at", {"y": 0, "x": 0, "direction": "left", "magnitude": 100}, Scroll(at=P(0, 0), dx=-2)),
    (
        "drag_and_drop",
        {"y": 10, "x": 20, "destination_y": 30, "destination_x": 40},
        Drag(path=(P(40, 10), P(80, 30))),
    ),
]

NEWER: list[tuple[str, dict[str, Any], Action]] = [
    ("click", {"y": 0, "x": 0}, Click(at=P(0, 0))),
    ("click", {"y": 1000, "x": 1000}, Click(at=P(1999, 999))),
    ("double_click", {"y": 5, "x": 5}, Click(at=P(10, 5), count=2)),
    ("triple_click", {"y": 5, "x": 5}, Click(at=P(10, 5), count=3)),
    ("middle_click", {"y": 5, "x": 5}, Click(at=P(10, 5), button=Button.MIDDLE)),
    ("right_click", {"y": 5, "x": 5}, Click(at=P(10, 5), button=Button.RIGHT)),
    ("mouse_down", {"y": 5, "x": 5}, Press(at=P(10, 5))),
    ("mouse_up", {"y": 5, "x": 5}, Release(at=P(10, 5))),
    ("mouse_up", {}, Release()),
    ("move", {"y": 5, "x": 5}, Move(at=P(10, 5))),
    ("type", {"text": "a\nb"}, TypeText(text="a\nb")),
    ("type", {"text": "a", "press_enter": True}, TypeText(text="a", submit=True)),
    ("type", {"text": 12}, TypeText(text="12")),
    (
        "drag_and_drop",
        {"start_y": 10, "start_x": 20, "end_y": 30, "end_x": 40},
        Drag(path=(P(40, 10), P(80, 30))),
    ),
    ("wait", {}, Wait(duration_s=1)),
    ("wait", {"seconds": "2.5"}, Wait(duration_s=2.5)),
    ("press_key", {"key": "Enter"}, Chord(keys=(Key("enter"),))),
    ("press_key", {"key": " "}, Chord(keys=(Key("space"),))),
    ("press_key", {"key": "a"}, Chord(keys=(Key("a"),))),
    ("press_key", {"key": "A"}, Chord(keys=(Key("shift"), Key("a")))),
    ("press_key", {"key": "%"}, Chord(keys=(Key("%"),))),
    ("press_key", {"key": "Ł"}, Chord(keys=(Key("Ł"),))),
    ("hotkey", {"keys": ["A"]}, Chord(keys=(Key("shift"), Key("a")))),
    ("hotkey", {"keys": ["ctrl", "A"]}, Chord(keys=(Key("ctrl"), Key("a")))),
    ("hotkey", {"keys": "Ctrl+A"}, Chord(keys=(Key("ctrl"), Key("a")))),
    ("press_key", {"key": "c", "modifiers": ["ctrl"]}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("hotkey", {"keys": ["ctrl"], "key": "c"}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("key_down", {"key": "shift"}, KeyDown(key=Key("shift"))),
    ("key_down", {"key": "A"}, KeyDown(key=Key("a"))),
    ("key_up", {"key": "Shift"}, KeyUp(key=Key("shift"))),
    ("hotkey", {"keys": ["ctrl", "shift", "+"]}, Chord(keys=(Key("ctrl"), Key("shift"), Key("+")))),
    ("hotkey", {"keys": "ctrl+c"}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("hotkey", {"keys": ["ctrl+c"]}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("take_screenshot", {}, Screenshot()),
    ("scroll", {"y": 500, "x": 500, "direction": "down"}, Scroll(at=P(1000, 500), dy=3)),
    ("scroll", {"y": 500, "x": 500, "direction": "RIGHT", "magnitude_in_pixels": 500}, Scroll(at=P(1000, 500), dx=10)),
    ("scroll", {"y": 0, "x": 0, "direction": "up", "magnitude_in_wheel_clicks": 4}, Scroll(at=P(0, 0), dy=-4)),
    ("scroll", {"y": 0, "x": 0, "direction": "up", "magnitude": 10}, Scroll(at=P(0, 0), dy=-1)),
    ("scroll", {"direction": "up", "magnitude_in_wheel_clicks": "2"}, Scroll(at=None, dy=-2)),
    ("open_app", {"app_name": "mousepad"}, Launch(app="mousepad")),
    ("ask_user", {"question": "Which?"}, AskOperator(question="Which?")),
    (
        "ask_user",
        {"question": "Sure?", "answer": "confirm"},
        AskOperator(question="Sure?", answer=QuestionKind.CONFIRM),
    ),
    (
        "ask_user",
        {"question": "Which?", "choices": ["a", "b"]},
        AskOperator(question="Which?", answer=QuestionKind.CHOOSE, choices=(Choice(label="a"), Choice(label="b"))),
    ),
]


@pytest.mark.parametrize(("name", "arguments", "action"), LEGACY + NEWER, ids=lambda value: str(value)[:40])
def test_vocabulary(name: str, arguments: dict[str, Any], action: Action) -> None:
    assert parse_call(name, {**arguments, "intent": "why"}, WIDE).action == action


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("fly", {}, "no function 'fly'"),
        ("kliknąć", {"x": 1, "y": 1}, "no function"),
        ("click", {"y": 1}, "'x' is missing"),
        ("click", {"x": "left", "y": 1}, "not a number"),
        ("click", {"x": True, "y": 1}, "not a number"),
        ("click", {"x": [1], "y": 1}, "not a number"),
        ("click", {"x": 1001, "y": 1}, "outside 0..1000"),
        ("click", {"x": -1, "y": 1}, "outside 0..1000"),
        ("click", {"x": "nan", "y": 1}, "not a number"),
        ("click", {"x": 10**400, "y": 1}, "not a number"),
        ("type", {}, "'text' is missing"),
        ("type", {"text": ["a"]}, "not a text"),
        ("type", {"text": "a", "x": 3}, "'y' is missing"),
        ("type", {"text": "a", "press_enter": "maybe"}, "true or false"),
        ("press_key", {"key": "hyperspace"}, "Unknown key"),
        ("press_key", {}, "'key' is missing"),
        ("press_key", {"key": "Tab", "repeat": 3}, "each press"),
        ("key_down", {"key": "ctrl+c"}, "one key"),
        ("key_down", {"key": "c", "modifiers": ["ctrl"]}, "one key"),
        ("hotkey", {"keys": []}, "names no key"),
        ("scroll", {"x": 1, "y": 1, "direction": "sideways"}, "up, down, left or right"),
        ("scroll", {"x": 1, "y": 1, "direction": "up", "magnitude_in_wheel_clicks": 1000}, "between 1 and 100"),
        ("scroll", {"x": 1, "y": 1, "direction": "up", "magnitude_in_pixels": 0}, "between 1 and"),
        ("wait", {"seconds": 3600}, "between 0 and 60"),
        ("wait", {"seconds": -1}, "between 0 and 60"),
        ("navigate", {"url": "  "}, "empty"),
        ("drag_and_drop", {"start_x": 1, "start_y": 1}, "is missing"),
        ("ask_user", {"question": ""}, "empty"),
        ("long_press", {"x": 1, "y": 1}, "no function"),
    ],
)
def test_an_invalid_call_is_explained(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ActionError, match=words):
        parse_call(name, arguments, WIDE)


def test_defaults_that_matter_are_shown() -> None:
    assert "Enter" in parse_call("type_text_at", {"x": 1, "y": 1, "text": "a"}, WIDE).note
    assert parse_call("type", {"text": "a"}, WIDE).note == ""


def test_excluded_and_own_functions() -> None:
    with pytest.raises(ActionError, match="not available"):
        parse_call("click", {"x": 1, "y": 1}, WIDE, excluded=frozenset({"click"}))
    own = parse_call(
        "click", {"x": 1, "intent": "why"}, WIDE, excluded=frozenset({"click"}), tools=frozenset({"click"})
    )
    assert own.action == CallFunction(name="click", arguments_json='{"x": 1}')


_SIZES = st.builds(Size, st.integers(1, 8000), st.integers(1, 8000))
_GRID = st.integers(0, 1000) | st.floats(0, 1000)
_FORMS = st.sampled_from([lambda value: value, str, lambda value: f" {value} "])


@given(size=_SIZES, x=_GRID, y=_GRID, form=_FORMS)
def test_every_grid_point_is_the_pixel_that_holds_it(size: Size, x: float, y: float, form: Any) -> None:
    action = parse_call("click", {"x": form(x), "y": form(y)}, geometry(size)).action
    assert isinstance(action, Click)
    assert action.at is not None
    for value, pixel, pixels in ((x, action.at.x, size.width), (y, action.at.y, size.height)):
        exact = value * pixels / 1000
        assert 0 <= pixel < pixels
        assert pixel <= exact + 1e-6
        assert exact <= pixel + 1 + 1e-6


@given(st.integers() | st.floats(), st.integers(1, 8000))
def test_nothing_outside_is_ever_clamped(value: float, width: int) -> None:
    inside = math.isfinite(value) and 0 <= value <= 1000
    try:
        parse_call("click", {"x": value, "y": 0}, geometry(Size(width, 10)))
    except OutOfRange:
        assert not inside
    except ActionError:
        assert not math.isfinite(value) or abs(value) > 1e300
    else:
        assert inside


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_NAMES = sorted({name for name, _, _ in LEGACY + NEWER})
_KEYS = sorted({key for _, arguments, _ in LEGACY + NEWER for key in arguments})


@given(st.sampled_from(_NAMES), st.dictionaries(st.sampled_from(_KEYS), _JSON))
def test_any_arguments_give_an_action_or_words(name: str, arguments: dict[str, Any]) -> None:
    words: str = "parsed"
    try:
        note = parse_call(name, arguments, SQUARE).note
        assert bool(note) == bool(notices_of(note))
    except ActionError as error:
        words = error.text
        assert notices_of(words) and worded(words) == words
    assert words
    json.dumps(words)


@pytest.mark.parametrize("sent", ["{value}", "{0.__class__}", "{argument!r:>9}", "%s %(x)d", "}{", "\ud800", "\x1b[2J"])
def test_what_a_model_sent_is_never_a_format_string(sent: str) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        (sent, {}),
        ("click", {"x": sent, "y": 0}),
        ("press_key", {"key": sent * 2}),
        ("scroll", {"direction": sent}),
        ("type", {"text": "a", "press_enter": sent}),
        ("type", {"text": [sent]}),
    ]
    for name, arguments in calls:
        with pytest.raises(ActionError) as caught:
            parse_call(name, arguments, SQUARE)
        text = caught.value.text
        back: tuple[Notice, ...] = decode(tuple[Notice, ...], json.loads(json.dumps(encode(notices_of(text)))))
        assert render(back) == text
        if name in (sent, "click"):
            assert repr(sent) in text
