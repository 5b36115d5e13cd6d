"""What each action of the closed set means on a screen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Button,
    CallFunction,
    Choice,
    Chord,
    Click,
    CloseTab,
    Finish,
    Navigate,
    QuestionKind,
    QuoteText,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    Wait,
)
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Call
from operator_console.providers.structured.action_space import ACTIONS
from operator_console.providers.structured.actions import Situation, calls_of
from operator_console.providers.structured.answer import read_answer
from operator_console.providers.structured.chat_models import IN_PICTURE
from operator_console.providers.structured.numbered_elements import Numbered, Screen
from tests.providers.conftest import geometry
from tests.providers.structured.screens import NAME, SAVE, element

MONTH = element("Month", (100, 300, 120, 30), Role.COMBO_BOX)
MAY = element("May", (100, 330, 120, 20), Role.LIST_ITEM)
SCREEN = Screen(
    numbered=tuple(Numbered(number=i, element=e, box=e.box) for i, e in enumerate((SAVE, NAME, MONTH, MAY), start=1))
)


def calls(*actions: dict[str, Any], goal: str = "Fill it in.") -> tuple[Call, ...]:
    answer = read_answer(json.dumps({"next_goal": goal, "action": actions}))
    situation = Situation(
        tools=frozenset({"book_room"}),
        screen=SCREEN,
        geometry=geometry(),
        arguments_of=lambda values: IN_PICTURE.arguments_of(values, geometry()),
    )
    return calls_of(answer, situation)


MEANT: list[tuple[str, dict[str, Any], Action]] = [
    ("click", {"index": 1}, Click(at=NativePoint(140, 115))),
    ("click", {"index": 1, "count": 2}, Click(at=NativePoint(140, 115), count=2)),
    ("click", {"index": 1, "button": "right"}, Click(at=NativePoint(140, 115), button=Button.RIGHT)),
    ("click_at", {"x": 7, "y": 9, "button": "middle"}, Click(at=NativePoint(7, 9), button=Button.MIDDLE)),
    (
        "input",
        {"index": 2, "text": "Ada", "clear": True, "submit": True},
        TypeText(text="Ada", at=NativePoint(250, 215), clear=True, submit=True),
    ),
    ("type", {"text": "Ada"}, TypeText(text="Ada")),
    ("select", {"index": 3, "option": "May"}, Click(at=NativePoint(160, 340))),
    ("scroll", {"index": 3, "direction": "up"}, Scroll(at=NativePoint(160, 315), dy=-5)),
    ("scroll", {"index": 0, "direction": "down", "notches": 9}, Scroll(at=NativePoint(720, 450), dy=9)),
    ("scroll_at", {"x": 7, "y": 9, "direction": "right", "notches": 1}, Scroll(at=NativePoint(7, 9), dx=1)),
    ("send_keys", {"keys": "Control+S"}, Chord(keys=(Key("ctrl"), Key("s")))),
    ("switch_tab", {"number": 2}, SwitchTab(number=2)),
    ("new_tab", {"url": "a.example"}, Navigate(url="https://a.example", new_tab=True)),
    ("new_tab", {}, Search()),
    ("close_tab", {}, CloseTab()),
    ("navigate", {"url": "about:blank"}, Navigate(url="about:blank")),
    ("go_back", {}, Back()),
    ("search", {"query": "weather"}, Search(query="weather")),
    ("wait", {"seconds": 2}, Wait(duration_s=2.0)),
    ("extract", {"index": 2}, QuoteText(region=Rect(100, 200, 300, 30), variable="text")),
    (
        "extract",
        {"index": 0, "scroll_to_end": True},
        QuoteText(region=Rect(0, 0, 1440, 900), variable="text", auto_scroll=True),
    ),
    (
        "ask_user",
        {"question": "Really?", "answer": "confirm"},
        AskOperator(question="Really?", answer=QuestionKind.CONFIRM),
    ),
    (
        "ask_user",
        {"question": "Which?", "choices": ["a", "b"]},
        AskOperator(question="Which?", answer=QuestionKind.CHOOSE, choices=(Choice(label="a"), Choice(label="b"))),
    ),
    ("yield_to_user", {"reason": "Sign in."}, AskOperator(question="Sign in.")),
    ("done", {"text": "No.", "success": False}, Finish(message="No.", success=False)),
    (
        "call_function",
        {"name": "book_room", "arguments_json": '{"night": 2}'},
        CallFunction(name="book_room", arguments_json='{"night": 2}'),
    ),
]


@pytest.mark.parametrize(("name", "arguments", "action"), MEANT)
def test_what_an_action_means(name: str, arguments: dict[str, Any], action: Action) -> None:
    (call,) = calls({name: arguments})
    assert (call.action, call.error) == (action, "")
    assert json.loads(call.arguments_json) == arguments


def test_the_table_has_each_action() -> None:
    assert {name for name, _, _ in MEANT} == set(ACTIONS)


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("click", {"index": 5}, "number 5 on this screen"),
        ("click", {"index": 0}, "number 0"),
        ("click", {"index": -1}, "number -1"),
        ("input", {"index": 10**30, "text": "x"}, "on this screen"),
        ("select", {"index": 9, "option": "May"}, "number 9"),
        ("select", {"index": 3, "option": " "}, "option"),
        ("extract", {"index": 7}, "number 7"),
        ("click_at", {"x": 1441, "y": 5}, "outside"),
        ("click_at", {"x": -1, "y": 5}, "outside"),
        ("scroll_at", {"x": 5, "y": 5, "direction": "up", "notches": 101}, "notches"),
        ("scroll", {"index": 0, "direction": "up", "notches": 0}, "notches"),
        ("send_keys", {"keys": "hyper+q"}, "hyper"),
        ("switch_tab", {"number": 10}, "number"),
        ("navigate", {"url": " "}, "url"),
        ("wait", {"seconds": 61}, "seconds"),
        ("ask_user", {"question": ""}, "question"),
        ("call_function", {"name": "fly", "arguments_json": "{}"}, "fly"),
        ("call_function", {"name": "book_room", "arguments_json": "[]"}, "JSON object"),
    ],
)
def test_what_cannot_be_done_is_an_error_to_the_model(name: str, arguments: dict[str, Any], error: str) -> None:
    (call,) = calls({name: arguments})
    assert call.action is None
    assert error in call.error


def test_an_option_that_cannot_be_seen_is_chosen_by_keys() -> None:
    made = calls({"select": {"index": 3, "option": "June"}}, {"wait": {}})
    assert [call.index for call in made] == [0, 1, 2, 3]
    assert [call.action for call in made[:3]] == [
        Click(at=NativePoint(160, 315)), TypeText(text="June"), Chord(keys=(Key("enter"),)),
    ]  # fmt: skip
    assert all("Enter pressed" in call.note for call in made[:3])


def test_the_operator_sees_the_goal_and_the_element_in_words() -> None:
    (call,) = calls({"click": {"index": 1}}, goal="Save\nit.")
    assert call.intent == "Save it. [button “Save”]"
    assert call.box == SAVE.box
