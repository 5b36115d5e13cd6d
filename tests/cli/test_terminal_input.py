"""Questions on a real terminal (a pty): which input is an answer, and which is not."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import pytest

from tests.cli.command import ROOT

DEADLINE_S = 30.0


class Console:
    """A child process on a pty."""

    def __init__(self, *questions: str, terminal: bool = True, type_ahead: str = "", nohup: bool = False) -> None:
        self._master, slave = pty.openpty()
        go_read, self._go = os.pipe()
        self._shown = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.terminal_child", str(go_read), *questions],
            stdin=slave if terminal else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=slave,
            pass_fds=(go_read,),
            start_new_session=True,
            cwd=ROOT,
            env={**os.environ, "HANG_UP": "ignored" if nohup else "heeded"},
        )
        os.close(slave)
        os.close(go_read)
        assert self._process.stdout is not None
        self._out = self._process.stdout
        self._type_ahead = type_ahead

    def press(self, text: str) -> None:
        """Type text."""
        os.write(self._master, text.encode())

    def wait_for(self, text: str) -> str:
        """Wait for `text` on the terminal. Returns the output before it, since the last call."""
        deadline = time.monotonic() + DEADLINE_S
        while text not in self._shown:
            ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} never came; shown: {self._shown!r}"
            self._shown += os.read(self._master, 65536).decode("utf-8", "replace")
        before, _, self._shown = self._shown.partition(text)
        return before

    def end(self) -> tuple[int, list[str]]:
        """Wait for the end. Returns the exit code and the recorded answers."""
        out, _ = self._process.communicate(timeout=DEADLINE_S)
        events = [json.loads(line) for line in out.splitlines()]
        assert events[-1]["kind"] == "ended"
        return self._process.returncode, [event["answer"] for event in events if event["kind"] == "answered"]

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def __enter__(self) -> Self:
        assert self._out.readline() == b"ready\n"
        self.press(self._type_ahead)
        os.write(self._go, b"!")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._out.close()
        os.close(self._go)
        os.close(self._master)


PROMPT = "Allow? [yes/no]: "


def test_y_and_yes_approve_alike_and_anything_else_is_asked_again() -> None:
    with Console(*["review"] * 6) as console:
        for text in ("yes", "y", " Y ", "no", "n"):
            console.wait_for(PROMPT)
            console.press(f"{text}\n")
        console.wait_for(PROMPT)
        for text in ("yes please", "", "ye"):
            console.press(f"{text}\n")
            console.wait_for("Type yes or no: ")
        console.press("\x04")
        assert console.end() == (0, ["yes", "yes", "yes", "declined", "declined", "declined"])


def test_what_is_risky_takes_the_whole_word_and_y_does_not_deny_it() -> None:
    with Console("confirm", "confirm") as console:
        console.wait_for(PROMPT)
        for text in ("y", "YES", "yes please", ""):
            console.press(f"{text}\n")
            console.wait_for("Type the whole word yes, or no: ")
        console.press(" yes \n")
        console.wait_for(PROMPT)
        console.press("n\n")
        assert console.end() == (0, ["yes", "declined"])


def test_input_before_and_in_the_first_second_is_ignored() -> None:
    with Console("confirm", "confirm", type_ahead="yes\nyes\nye") as console:
        console.wait_for("Question q0?")
        console.press("yes\nyes")  # within the first second
        console.wait_for(PROMPT)
        console.press("\n")  # does not complete earlier input
        console.wait_for("Type the whole word yes, or no: ")
        console.press("no\n")
        console.wait_for(PROMPT)
        console.press("yes\n")
        assert console.end() == (0, ["declined", "yes"])


def test_a_choice_is_answered_by_number_and_a_text_by_text() -> None:
    with Console("choose", "choose", "likely", "text", "text") as console:
        shown = console.wait_for("Type a number, or press Enter for none: ")
        assert "1. left" in shown
        assert "2. right" in shown
        assert "(at 25, 40)" in shown
        assert "\x1b" not in shown
        for text in ("3", "0", "right"):
            console.press(f"{text}\n")
            console.wait_for("Type a number from 1 to 2, or press Enter for none: ")
        console.press("2\n")
        console.wait_for("Type a number, or press Enter for none: ")
        console.press("\n")
        console.wait_for("Type a number, or press Enter for 2: ")
        console.press("\n")
        console.wait_for("Type your answer, or press Enter to decline: ")
        console.press("Zażółć 你好\n")
        console.wait_for("Type your answer, or press Enter to decline: ")
        console.press("\x04")
        assert console.end() == (0, ["1", "declined", "1", "Zażółć 你好", "declined"])


def test_an_expired_question_is_withdrawn_and_the_next_one_is_asked() -> None:
    with Console("lapse", "confirm") as console:
        console.wait_for(PROMPT)
        console.press("ye")  # never finished
        console.wait_for("Question q1?")
        console.wait_for(PROMPT)
        console.press("yes\n")
        assert console.end() == (0, ["declined", "yes"])


@pytest.mark.parametrize("how", ["key", "term", "hang up"])
def test_a_signal_ends_the_run(how: str) -> None:
    with Console("confirm") as console:
        console.wait_for(PROMPT)
        match how:
            case "key":
                console.press("\x03")
            case "term":
                console.send_signal(signal.SIGTERM)
            case _:
                console.send_signal(signal.SIGHUP)
        console.wait_for(": ending the run (repeat to quit at once)")
        assert console.end() == (3, [])


def test_a_hang_up_that_nohup_ignores_ends_nothing() -> None:
    with Console("confirm", nohup=True) as console:
        console.wait_for(PROMPT)
        console.send_signal(signal.SIGHUP)
        console.press("yes\n")
        assert console.end() == (0, ["yes"])


@pytest.fixture
def not_a_terminal() -> Iterator[Console]:
    with Console("confirm", "choose", terminal=False) as console:
        yield console


def test_without_a_terminal_every_question_is_declined_at_once(not_a_terminal: Console) -> None:
    assert not_a_terminal.end() == (0, ["declined", "declined"])
