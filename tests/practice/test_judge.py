"""A practice run passes if every step of the runbook was logged; otherwise each missing one is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.practice.event_log import Chosen, Clicked, Drawn, PracticeEvent, Saved, Scrolled, Slid
from operator_console.practice.judge import judge

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


def test_a_complete_run_passes() -> None:
    verdict = judge(GOOD)
    assert verdict.passed
    assert verdict.words == "The practice window received every action."


@pytest.mark.parametrize("index", [index for index, event in enumerate(GOOD) if not isinstance(event, Clicked)])
def test_a_run_without_one_of_the_steps_fails(index: int) -> None:
    assert not judge(GOOD[:index] + GOOD[index + 1 :]).passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"plant": "Fen"}, "Plant was saved as “Fen” instead of “Fern”"),
        ({"room": ""}, "Room"),
        ({"notes": "Zazolc"}, "Notes"),
        ({"month": "May"}, "Month"),
        ({"water": 89}, "Water"),
        ({"strokes": 0}, "sketch"),
    ],
)
def test_wrong_content_is_named(change: dict[str, str | int], words: str) -> None:
    verdict = judge([*GOOD[:-1], replace(SAVED, by="Save", **change)])  # type: ignore[arg-type]
    assert len(verdict.missing) == 1
    assert words in verdict.words


def test_saving_once_too_often_fails() -> None:
    verdict = judge([*GOOD, replace(SAVED, by="Save")])
    assert verdict.missing == ("Save was clicked 2 times instead of once",)


def test_a_stroke_that_ends_off_its_label_fails() -> None:
    events = [replace(event, end="") if isinstance(event, Drawn) else event for event in GOOD]
    assert not judge(events).passed


def test_a_run_without_events_names_the_missing_save() -> None:
    assert "nothing was saved" in judge([]).missing
