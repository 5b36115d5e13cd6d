"""Questions of `run` in a real xterm beside the editor that it works: where the operator's answer arrives."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from operator_console.domain.actions import Action, Chord, Finish, TypeText, Wait
from operator_console.domain.codec import encode
from operator_console.domain.keys import Key
from tests.cli.command import ROOT
from tests.display.rig import Desktop, launch_mousepad, launch_xterm
from tests.display.rig.apps import Application
from tests.display.rig.processes import wait_until

PROMPT = "? [yes/no]: "
ELSEWHERE = "  Type the answer in this terminal: the keyboard focus may be elsewhere."
TEXT = "Dear reader\n"
Q = TypeText(text="q")
SELECT_ALL, SAVE = Chord(keys=(Key("ctrl"), Key("a"))), Chord(keys=(Key("ctrl"), Key("s")))
DELETE = Chord(keys=(Key("delete"),))


class Run:
    """`run --autonomy step` on Mousepad, in an xterm that has the focus."""

    def __init__(self, desktop: Desktop, folder: Path, *actions: Action, knows_window: bool = True) -> None:
        self.file = folder / "letter.txt"
        self.file.write_text(TEXT)
        self.mousepad = launch_mousepad(desktop, self.file)
        self._shown = folder / "shown"
        turns = folder / "turns.json"
        turns.write_text(json.dumps([{"calls": [{"action": encode(action)}]} for action in (*actions, Finish())]))
        words = [sys.executable, "-m", "operator_console", "run", "Write", "--model", str(turns)]
        words += ["--target", f"window:{self.mousepad.window.xid:#x}", "--autonomy", "step"]
        start = shlex.join(words) if knows_window else f"env -u WINDOWID {shlex.join(words)}"
        # script shows its output here, too; the shell keeps the window open and tells the end.
        script = shlex.join(["script", "--quiet", "--flush", "--return", "--command", start, str(self._shown)])
        end = folder / "code"
        self._end = end
        command = f"cd {shlex.quote(str(ROOT))}; {script}; echo $? > {shlex.quote(str(end))}.new; "
        command += f"mv {shlex.quote(str(end))}.new {shlex.quote(str(end))}; cat"
        self.terminal: Application = launch_xterm(desktop, "sh", "-c", command, geometry="90x20+600+500")

    def shown(self) -> str:
        return self._shown.read_text(errors="replace") if self._shown.exists() else ""

    def question(self, number: int) -> None:
        """Wait until the answer to a question is read, counted from 1."""
        wait_until(lambda: self.shown().count(PROMPT) >= number, f"question {number}")

    def saved(self, text: str) -> None:
        """Wait until the editor has saved this text."""
        wait_until(lambda: self.file.read_text() == text, f"{text!r} in {self.file.read_text()!r}")

    def code(self) -> int:
        wait_until(self._end.exists, "the end of the run")
        return int(self._end.read_text())


def answers(run: Run, say: Callable[..., str], count: int) -> None:
    """The operator looks at the terminal and types, wherever the focus is."""
    for number in range(1, count + 1):
        run.question(number)
        say("type", "--delay", "20", "yes\n")


def test_the_answers_arrive_in_the_terminal_and_not_in_the_document(desktop: Desktop, tmp_path: Path) -> None:
    run = Run(desktop, tmp_path, Q, SELECT_ALL, SAVE, DELETE)
    answers(run, desktop.xdo, 3)
    run.question(4)
    run.saved(f"q{TEXT}")
    desktop.xdo("type", "no\n")
    run.code()
    assert "the keyboard focus may be elsewhere" not in run.shown()
    assert desktop.active_window() == run.terminal.window.xid


def test_whoever_works_elsewhere_keeps_the_focus(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    desktop = xephyr_desktop
    elsewhere = launch_xterm(desktop, title="elsewhere", geometry="24x8+20+640")
    run = Run(desktop, tmp_path, Q, Wait(duration_s=6.0), SAVE)
    run.question(1)
    desktop.human_xdo("type", "--delay", "20", "yes\n")
    wait_until(lambda: desktop.active_window() == run.mousepad.window.xid, "the editor to be activated")
    wait_until(lambda: "\n   1  " in run.shown().replace("\r", ""), "the first step to be done")
    x, y = elsewhere.window.centre
    desktop.human_xdo("mousemove", str(x), str(y), "click", "1")
    desktop.human_xdo("type", "--delay", "100", "a note")  # for longer than what belongs to the answer
    run.question(2)
    assert desktop.active_window() == elsewhere.window.xid
    assert run.shown().count("the keyboard focus may be elsewhere") == 1
    desktop.activate(run.terminal.window.xid)
    desktop.human_xdo("type", "--delay", "20", "yes\n")
    if "Continue?" in run.shown():  # the hand came so soon after the letter that the run gave way
        run.question(3)
        desktop.human_xdo("type", "--delay", "20", "yes\n")
    assert run.code() == 0
    run.saved(f"q{TEXT}")


def test_an_unknown_terminal_says_where_to_answer(desktop: Desktop, tmp_path: Path) -> None:
    run = Run(desktop, tmp_path, Q, knows_window=False)
    run.question(1)
    assert run.shown().count("the keyboard focus may be elsewhere") == 1
    desktop.xdo("type", "no\n")
    run.code()
