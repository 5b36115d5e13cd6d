"""The form of answers, and what is said about one that does not have it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operator_console.providers.structured.action_space import ACTIONS, ClickElement
from operator_console.providers.structured.answer import MOST_ACTIONS, NotInForm, answer_schema, read_answer

WHOLE = {
    "thinking": "The form is open.", "evaluation_previous_goal": "Success.", "memory": "4711", "next_goal": "Save it.",
    "action": [{"click": {"index": 12, "button": "left", "count": 1}}, {"go_back": {}}],
}  # fmt: skip


def test_all_of_it_is_read() -> None:
    read = read_answer(json.dumps(WHOLE))
    assert (read.thinking, read.evaluation, read.memory, read.next_goal) == (
        "The form is open.", "Success.", "4711", "Save it.",
    )  # fmt: skip
    assert [asked.name for asked in read.actions] == ["click", "go_back"]
    assert read.actions[0].arguments == ClickElement(index=12)


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        "<think>A click, {not} this.</think>\n{}",
        "Here is my answer:\n{}\nThat is all.",
        "\n  {}  ",
        "{}\nI used {this} number.",
        "I use {this} number.\n```json\n{}\n```",
        "Not {this}.</think>\n{}",
    ],
)
def test_what_stands_around_it_does_not_matter(text: str) -> None:
    assert read_answer(text.replace("{}", json.dumps(WHOLE))).next_goal == "Save it."


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"action": [{"click": {}}]}, "index: Field required"),
        ({"action": [{"click": {"index": "twelve"}}]}, "index"),
        ({"action": [{"click": {"index": 1, "button": "back"}}]}, "button"),
        ({"action": [{"click": {"index": 1, "force": True}}]}, "force"),
        ({"action": [{"evaluate": {"code": "1"}}]}, "no action 'evaluate'. There are: click,"),
        ({"action": [{"click": {"index": 1}, "wait": {}}]}, "one key"),
        ({"action": [{}]}, "one key"),
        ({"action": ["click"]}, "dictionary"),
        ({"action": "click"}, "list"),
        ({"action": [{"go_back": {}}] * (MOST_ACTIONS + 1)}, "at most 10"),
        ({"action": [], "next_goal": " "}, "next_goal"),
        ({"memory": 3}, "memory"),
        ({"action": [{"wait": {"seconds": float("nan")}}]}, "number"),
        ({"memory": "\ud800"}, "character"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(NotInForm, match=problem):
        read_answer(json.dumps({**WHOLE, **change}))


@pytest.mark.parametrize("text", ["Which of the two?", "", "{", "[]", "null", '{"action"', "}{", "[" * 100_000])
def test_what_is_no_object_is_said(text: str) -> None:
    with pytest.raises(NotInForm):
        read_answer(text)


def test_nothing_may_be_null_but_texts_and_arguments() -> None:
    read = read_answer(json.dumps({**WHOLE, "thinking": None, "memory": None, "action": [{"close_tab": None}]}))
    assert (read.thinking, read.memory, read.actions[0].name) == ("", "", "close_tab")


def test_the_schema_holds_each_action_once_and_functions_only_if_there_are_any() -> None:
    def names(*, with_functions: bool) -> list[str]:
        each = answer_schema(with_functions=with_functions)["properties"]["action"]["items"]["anyOf"]
        return [name for one in each for name in one["required"]]

    assert names(with_functions=True) == list(ACTIONS)
    assert set(ACTIONS) - set(names(with_functions=False)) == {"call_function"}
