"""What the console shows by itself while somebody types elsewhere leaves the keyboard where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.rig import Desktop
from tests.display.ui.typing_person import AskingConsole, TypingPerson, typing_beside_console

Beside = tuple[AskingConsole, TypingPerson]
QUESTIONS = 2
"""For each pace: `python -m tests.benchmarks typing_goes_on` asks 100."""


@pytest.fixture
def beside(xephyr_desktop: Desktop, tmp_path: Path) -> Iterator[Beside]:
    with typing_beside_console(xephyr_desktop, tmp_path / "written.txt") as both:
        yield both


@pytest.mark.parametrize("delay_ms", [2, *(pytest.param(each, marks=pytest.mark.full) for each in (15, 50))])
def test_no_question_takes_the_keyboard_at_any_pace_of_typing(beside: Beside, delay_ms: int) -> None:
    console, person = beside
    for _ in range(QUESTIONS):
        person.begin(delay_ms)
        console.do("dialog")
        assert person.typing, "the question came too late to disturb"
        question = person.desktop.wait_window(title="Question")
        assert person.desktop.top_window() == question.xid, "it is seen"
        person.end()
        assert (person.received, person.focus_left()) == (person.sent, 0)
        console.do("answer")


@pytest.mark.parametrize("commands", [pytest.param(("card",), marks=pytest.mark.full), ("hand over", "take back")])
def test_nothing_else_that_the_console_shows_by_itself_takes_the_keyboard(
    beside: Beside, commands: tuple[str, ...]
) -> None:
    console, person = beside
    *before, last = commands
    for command in before:
        console.do(command)
    person.take_keyboard()
    person.begin(15)
    console.do(last)
    assert person.typing
    person.end()
    assert (person.received, person.focus_left()) == (person.sent, 0)


def test_a_person_who_rests_keeps_the_keyboard(beside: Beside) -> None:
    console, person = beside
    person.begin(15)
    console.do("dialog")
    person.end()
    person.begin(15, rest_s=1.5)
    person.end()
    assert (person.received, person.focus_left()) == (person.sent, 0)


@pytest.mark.parametrize("chosen", ["Question", pytest.param("Operator console", marks=pytest.mark.full)])
def test_the_taskbar_gives_the_question_the_keyboard(beside: Beside, chosen: str) -> None:
    console, person = beside
    console.do("dialog")
    window = person.desktop.wait_window(title=chosen)
    person.desktop.xdo("windowactivate", str(window.xid))
    person.desktop.wait_window(title="Question", active=True)


def test_a_click_into_the_question_gives_it_the_keyboard(beside: Beside) -> None:
    console, person = beside
    person.begin(15)
    console.do("dialog")
    question = person.desktop.wait_window(title="Question")
    person.desktop.human_xdo("mousemove", str(question.x + 30), str(question.y + 12), "click", "1")
    person.desktop.wait_window(title="Question", active=True)
