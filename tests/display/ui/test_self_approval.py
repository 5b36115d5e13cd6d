"""Programs cannot allow: a display that tells devices apart lets the presses of a person through, and no others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.rig import Desktop, RigError, launch_xterm, wait_until
from tests.display.ui.typing_person import AskingConsole

_LONG = (pytest.mark.full, pytest.mark.timeout(7_200))
TRIES = [200, pytest.param(10_000, marks=_LONG)]
PEOPLE = [20, pytest.param(100, marks=_LONG)]


class Question:
    """A console that asks, and hands that answer."""

    def __init__(self, desktop: Desktop, folder: Path) -> None:
        self.desktop, self._file = desktop, folder / "told.txt"
        self.console = AskingConsole(desktop)
        self.console.ready()

    def ask(self) -> tuple[str, str, str]:
        """Where Allow is once it is open, and the word."""
        self.console.do("dialog")
        question = self.desktop.wait_window(title="Question")
        self.desktop.activate(question.xid)
        told = wait_until(self._open, "Allow to open")
        assert told is not None
        return told

    def _open(self) -> tuple[str, str, str] | None:
        x, y, is_open, word = self._told("places").split()
        return (x, y, word) if is_open == "1" else None

    def said(self) -> list[str]:
        return self._told("said").splitlines()

    def press(self, *, rest_s: float = 0.0) -> None:
        """A person presses in the moment in which the pointer comes, as with a pen, or after it rested."""
        x, y, is_open = self._told("button").split()
        assert is_open == "1"
        self.desktop.human_xdo("mousemove", x, y, *(("sleep", str(rest_s)) if rest_s else ()), "mousedown", "1")

    def release(self) -> None:
        self.desktop.human_xdo("mouseup", "1")

    def program_clicks(self) -> None:
        x, y, _ = self._told("button").split()
        self.desktop.xdo("mousemove", x, y, "click", "1")

    def wait_said(self, count: int) -> None:
        try:
            wait_until(lambda: len(self.said()) == count, "the yes")
        except RigError as error:
            pointer = self.desktop.pointer()
            raise RigError(f"{error}; the question says: {self._told('note')}; the pointer is at {pointer}") from None

    def _told(self, what: str) -> str:
        self.console.do(f"{what} {self._file}")
        return self._file.read_text()


@pytest.fixture
def question(xephyr_desktop: Desktop, tmp_path: Path) -> Iterator[Question]:
    made = Question(xephyr_desktop, tmp_path)
    yield made
    made.console.end()


@pytest.mark.parametrize("tries", TRIES)
def test_no_press_and_no_word_of_a_program_allows(question: Question, tries: int) -> None:
    chance = random.Random(tries)
    lapsed, (x, y, word) = 0, question.ask()
    hands: list[str] = ["mousemove", x, y]
    for _ in range(tries):
        match chance.randrange(4):
            case 0:
                hands += ["click", "1"]
            case 1:
                hands += ["click", "--repeat", "2", "--delay", "5", "1"]
            case 2:
                hands += ["key", chance.choice(["space", "Return", "ctrl+Return"])]
            case _:
                hands += ["type", "--delay", "2", word, "mousemove", x, y]
        if len(hands) > 60:
            question.desktop.xdo(*hands)
            if len(question.said()) > lapsed:  # nobody has answered for a minute, which is a no
                lapsed += 1
                question.console.do("answer")
                x, y, word = question.ask()
            hands = ["mousemove", x, y]
    question.desktop.xdo(*hands)
    assert set(question.said()) <= {"None"}


@pytest.mark.parametrize("people", PEOPLE)
def test_a_deliberate_press_of_a_person_always_allows(question: Question, people: int) -> None:
    for number in range(people):
        x, y, _ = question.ask()
        question.desktop.human_xdo("mousemove", x, y, "click", "1")
        question.wait_said(number + 1)
        question.console.do("answer")
    assert question.said() == ["yes"] * people


def test_the_word_typed_by_a_person_allows(question: Question) -> None:
    _, _, word = question.ask()
    question.desktop.human_xdo("type", "--delay", "40", word)
    wait_until(lambda: question.said() == ["yes"], "the yes")


@pytest.mark.parametrize(
    ("shown", "presses", "releases"), [("", "", "auto"), ("hold", "held", "let go"), ("limit", "", "yes")]
)
def test_the_first_tap_of_a_person_counts_and_no_click_of_a_program(
    question: Question, shown: str, presses: str, releases: str
) -> None:
    """On a level of autonomy, the button of hold-to-run and Continue."""
    console = question.desktop.wait_window(title="Operator console")
    question.desktop.activate(console.xid)
    if shown:
        question.console.do(shown)
    said: list[str] = []
    for _ in range(2):
        question.press()
        said += [presses] if presses else []
        question.wait_said(len(said))
        question.release()
        said.append(releases)
        question.wait_said(len(said))
        question.program_clicks()
    assert question.said() == said


def test_continue_counts_once_the_pointer_rested_on_its_card_in_a_window_without_the_focus(question: Question) -> None:
    other = launch_xterm(question.desktop, geometry="20x4+0+0")
    question.console.do("limit")
    question.desktop.activate(other.window.xid)
    question.press(rest_s=1.5)
    question.release()
    question.wait_said(1)
    assert question.said() == ["yes"]
