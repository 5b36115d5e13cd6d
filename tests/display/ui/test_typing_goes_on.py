"""What the console shows by itself while somebody types elsewhere leaves the keyboard where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.rig import Desktop, wait_until
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
    desktop = person.desktop
    for _ in range(QUESTIONS):
        _ask_while_typing(console, person, delay_ms)
        wait_until(lambda: desktop.top_window() == desktop.wait_window(title="Question").xid, "the question to be seen")
        person.end()
        assert (person.received, person.focus_left()) == (person.sent, 0)
        console.do("answer")


@pytest.mark.parametrize("delay_ms", [15, *(pytest.param(each, marks=pytest.mark.full) for each in (2, 50))])
def test_a_question_waits_for_who_types_into_the_console_itself(beside: Beside, tmp_path: Path, delay_ms: int) -> None:
    """The console's own line gets every character; the question gets the keyboard once the person rests."""
    console, person = beside
    text, written = "a quick brown fox jumps over it " * round(40 / delay_ms + 1), tmp_path / "message.txt"
    console.do("message")
    person.desktop.wait_window(title="Operator console", active=True)
    person.begin_elsewhere(delay_ms, text)
    wait_until(lambda: len(_written(console, written)) > 4, "the typing to be under way")
    console.do("dialog")
    assert person.typing, "the question came too late to disturb"
    person.desktop.wait_window(title="Question")
    person.typed_to_the_end()
    wait_until(lambda: _written(console, written) == text, "every character in the console's line")
    person.desktop.wait_window(title="Question", active=True)


def _ask_while_typing(console: AskingConsole, person: TypingPerson, delay_ms: int) -> None:
    """Ask again where the person had typed all before the question came."""
    while True:
        person.begin(delay_ms)
        console.do("dialog")
        if person.typing:
            return
        person.end()
        console.do("answer")
        person.take_keyboard()


def _written(console: AskingConsole, file: Path) -> str:
    console.do(f"written {file}")
    return file.read_text()


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
