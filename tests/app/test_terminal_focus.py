"""When the terminal of `run` gets the keyboard focus back before a question, and when it must not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from operator_console.app.services import our_windows, terminal_window
from operator_console.app.terminal_focus import ANSWERING_S, TerminalFocus

TERMINAL, TARGET, ANOTHER = 1, 2, 3


@dataclass
class Scene:
    """A desktop: which window has the focus, the time, and when a person last used a device."""

    focused: int = TERMINAL
    now_s: float = 100.0
    human_s: float | None = None

    def terminal(self, window_id: int | None = TERMINAL) -> TerminalFocus:
        return TerminalFocus(
            ":7", window_id, lambda: self.human_s, clock=lambda: self.now_s, has=self._has, give=self._give
        )

    def act(self, terminal: TerminalFocus) -> None:
        """The agent's input, which activates the target."""
        self.now_s += 1.0
        terminal.before_input(self.focused == TERMINAL)
        self.focused = TARGET
        self.now_s += 1.0

    def person(self, *, to: int | None = None) -> None:
        """A person uses a device, perhaps to go to another window."""
        self.now_s += 1.0
        self.human_s = self.now_s
        self.focused = to or self.focused

    def _has(self, _display: str, window_id: int) -> bool:
        return self.focused == window_id

    def _give(self, _display: str, window_id: int) -> bool:
        self.focused = window_id
        return True


async def test_what_the_agent_took_is_given_back() -> None:
    scene = Scene()
    terminal = scene.terminal()
    await terminal.begin()
    scene.person()  # before the agent acts, in the terminal
    for _ in range(3):
        scene.act(terminal)
    assert await terminal.before_question()
    assert scene.focused == TERMINAL


async def test_a_program_that_was_launched_without_input_took_it_too() -> None:
    scene = Scene()
    terminal = scene.terminal()
    await terminal.begin()
    scene.focused = ANOTHER
    assert await terminal.before_question()


async def test_releasing_the_enter_key_of_an_answer_is_no_work_elsewhere() -> None:
    scene = Scene()
    terminal = scene.terminal()
    await terminal.begin()
    assert await terminal.before_question()
    await terminal.answered()
    answered_s = scene.now_s
    terminal.before_input(True)
    scene.focused, scene.now_s, scene.human_s = TARGET, answered_s + 0.2, answered_s + 0.1
    assert await terminal.before_question()
    await terminal.answered()
    terminal.before_input(True)
    scene.focused, scene.now_s = TARGET, answered_s + 2.0
    scene.human_s = answered_s + 0.2 + ANSWERING_S + 0.1
    assert not await terminal.before_question()
    assert scene.focused == TARGET


async def test_a_person_at_work_elsewhere_keeps_it() -> None:
    scene = Scene()
    terminal = scene.terminal()
    await terminal.begin()
    scene.act(terminal)
    scene.person(to=ANOTHER)
    assert not await terminal.before_question()
    assert scene.focused == ANOTHER
    scene.act(terminal)  # takes the focus from the other window, not from the terminal
    assert not await terminal.before_question()
    scene.person(to=TERMINAL)
    assert await terminal.before_question()
    await terminal.answered()
    scene.act(terminal)
    assert await terminal.before_question()


async def test_a_person_elsewhere_from_the_start_keeps_it() -> None:
    scene = Scene(focused=ANOTHER)
    terminal = scene.terminal()
    await terminal.begin()
    scene.act(terminal)
    assert not await terminal.before_question()
    assert scene.focused == TARGET


async def test_an_unknown_terminal_is_given_nothing() -> None:
    scene = Scene()
    terminal = scene.terminal(None)
    await terminal.begin()
    scene.act(terminal)
    assert not await terminal.before_question()
    assert scene.focused == TARGET


@pytest.mark.parametrize(
    ("said", "window_id"), [("4194316", 4194316), ("", None), ("0", None), ("0x400", None), ("²", None)]
)
def test_the_terminal_says_which_window_it_is(
    monkeypatch: pytest.MonkeyPatch, said: str, window_id: int | None
) -> None:
    monkeypatch.setenv("WINDOWID", said)
    assert terminal_window() == window_id
    assert our_windows().window_ids == ({window_id} if window_id else set())


async def test_a_hand_that_the_agent_gave_way_to_keeps_the_focus() -> None:
    scene = Scene()
    terminal = scene.terminal()
    await terminal.begin()
    scene.act(terminal)
    terminal.person_came()  # told before the device is
    assert not await terminal.before_question()
    assert scene.focused == TARGET
