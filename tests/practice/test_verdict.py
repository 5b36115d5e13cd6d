"""The judge: passes what the runbook asks for, and names each thing that did not arrive."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.practice.log import Chosen, Clicked, Drawn, PracticeEvent, Saved, Scrolled, Slid
from operator_console.practice.verdict import judge, pressed_saves

SAVED = Saved(
    by="Ctrl+S", plant="Fern", room="Kitchen", notes="Zażółć gęślą jaźń", month="October", water=100, strokes=1
)
GOOD: tuple[PracticeEvent, ...] = (
    Scrolled(first="July"),
    Chosen(item="December", how="pinned"),
    Chosen(item="October", how="starred"),
    Slid(value=100),
    Drawn(points=((1, 1), (9, 9)), start="Root", end="Leaf"),
    SAVED,
    Clicked(button="Save"),
    replace(SAVED, by="Save"),
)


def test_everything_arrived() -> None:
    verdict = judge(GOOD)
    assert verdict.passed
    assert verdict.words == "Everything arrived in the practice window."


@pytest.mark.parametrize("index", [index for index, event in enumerate(GOOD) if not isinstance(event, Clicked)])
def test_what_is_left_out_is_missed(index: int) -> None:
    assert not judge(GOOD[:index] + GOOD[index + 1 :]).passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"plant": "Fen"}, "Plant was saved as “Fen” instead of “Fern”"),
        ({"room": ""}, "Room"),
        ({"notes": "Zazolc"}, "Notes"),
        ({"month": "May"}, "month"),
        ({"water": 89}, "water"),
        ({"strokes": 0}, "sketch"),
    ],
)
def test_wrong_content_is_named(change: dict[str, str | int], words: str) -> None:
    verdict = judge([*GOOD[:-1], replace(SAVED, by="Save", **change)])  # type: ignore[arg-type]
    assert len(verdict.missing) == 1
    assert words in verdict.words


def test_a_thing_done_twice_is_not_right_either() -> None:
    verdict = judge([*GOOD, replace(SAVED, by="Save")])
    assert verdict.missing == ("Save was clicked 2 times instead of once",)


def test_a_stroke_that_missed_is_no_line() -> None:
    events = [replace(event, end="") if isinstance(event, Drawn) else event for event in GOOD]
    assert not judge(events).passed


def test_nothing_done() -> None:
    assert "nothing was saved" in judge([]).missing


def test_which_save_was_pressed() -> None:
    assert pressed_saves([Clicked(button="Save water"), Clicked(button="Clear")]) == ["Save water"]
