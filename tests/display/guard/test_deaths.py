"""Each process killed or frozen while the agent acts: it ends, nothing stays held, and the latch says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.guard.test_stop import nothing_is_down, sink
from tests.display.rig import Desktop, Witness, later_by_ms, now_ms, process_alive, start_xvfb, wait_until

_PROGRAM = Path(__file__).with_name("console_main.py")
_ROOT = Path(__file__).parents[3]


class Console:
    """The stand-in and what it said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def until(self, text: str) -> str:
        while (line := self.line()) and not line.startswith(text):
            continue
        assert line, f"the console ended before it said {text!r}"
        return line


@contextmanager
def console(desktop: Desktop, *what: str) -> Iterator[Console]:
    env = {**desktop.env, "OPERATOR_CONSOLE_HOME": os.environ["OPERATOR_CONSOLE_HOME"], "PYTHONPATH": str(_ROOT)}
    with subprocess.Popen(
        [sys.executable, str(_PROGRAM), *what], env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield Console(process)
        finally:
            process.kill()


def pids(desktop: Desktop) -> tuple[int, int]:
    """Guard and injector."""
    ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
    injector = ledger.get(Word.INJECTOR_PID)
    ledger.close()
    os.close(fd)
    guard = int(Path(f"/proc/{injector}/stat").read_text().rpartition(")")[2].split()[1])
    return guard, injector


def borrowed(desktop: Desktop) -> list[tuple[int, ...]]:
    return [row for row in desktop.keyboard_mapping() if 0x01000142 in row or 0x1B3 in row]


@pytest.mark.parametrize("what", [("hold", "type"), ("hold",), ("paused",)], ids=" ".join)
def test_a_killed_console_is_stopped_within_a_second(desktop: Desktop, tmp_path: Path, what: tuple[str, ...]) -> None:
    sink(desktop, tmp_path / "out.txt")
    with console(desktop, *what) as victim, Witness(desktop) as witness:
        victim.until("armed")
        if "type" in what:
            witness.wait_count(60)
        children = pids(desktop)
        killed_ms, killed_s = now_ms(), time.monotonic()
        victim.process.kill()
        wait_until(lambda: not any(process_alive(pid) for pid in children), "guard and injector to end")
        assert time.monotonic() - killed_s <= 1.0
        late = [later_by_ms(e.time_ms, killed_ms) for e in witness.wait_quiet() if e.acts]
        assert max(late, default=0) <= 100
    nothing_is_down(desktop)
    assert borrowed(desktop) == []
    status = latch.read_status(desktop.name)
    assert (status.state, status.reason, status.session) == (LatchState.STOPPED, "console_died", "victim")
    assert latch.reset(desktop.name).state is LatchState.IDLE


@pytest.mark.parametrize(
    ("what", "state", "reason"), [("disarmed", LatchState.IDLE, ""), ("stopped", LatchState.STOPPED, "hotkey")]
)
def test_a_console_that_dies_while_nothing_can_act_changes_no_latch(
    desktop: Desktop, what: str, state: LatchState, reason: str
) -> None:
    with console(desktop, what) as victim:
        guard = int(victim.until("armed").split()[1])
        if what == "stopped":
            desktop.xdo("key", "ctrl+alt+x")
            assert victim.until("stop") == "stop hotkey"
        victim.process.kill()
        wait_until(lambda: not process_alive(guard), "the guard to end")
    status = latch.read_status(desktop.name)
    assert (status.state, status.reason) == (state, reason)


def test_a_frozen_console_is_paused_then_stopped(desktop: Desktop, tmp_path: Path) -> None:
    sink(desktop, tmp_path / "out.txt")
    with console(desktop, "hold", "type") as victim, Witness(desktop) as witness:
        victim.until("armed")
        witness.wait_count(60)
        frozen_ms = now_ms()
        victim.process.send_signal(signal.SIGSTOP)
        events = witness.wait_quiet(1000)
        assert max(later_by_ms(e.time_ms, frozen_ms) for e in events if e.acts) <= 700, "no pause after 500 ms"
        wait_until(lambda: latch.read_file(desktop.name).state is LatchState.STOPPED, "the lapse")
        wait_until(lambda: not process_alive(pids_or_dead(desktop)), "the injector to end")
        nothing_is_down(desktop)
        victim.process.send_signal(signal.SIGCONT)
        said = [victim.until("pause"), victim.until("stop")]
        assert said == ["pause lease", "stop lapse"]


def pids_or_dead(desktop: Desktop) -> int:
    ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
    injector = ledger.get(Word.INJECTOR_PID)
    ledger.close()
    os.close(fd)
    return injector


def test_a_console_that_answers_again_goes_on_by_itself(desktop: Desktop) -> None:
    with console(desktop) as victim:
        victim.until("armed")
        victim.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: latch.read_file(desktop.name).state is LatchState.PAUSED, "the pause")
        victim.process.send_signal(signal.SIGCONT)
        assert [victim.until("pause"), victim.until("resume")] == ["pause lease", "resume lease"]
        assert latch.read_status(desktop.name).state is LatchState.RUNNING


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_guard_leaves_nothing_held_and_counts_as_stopped(
    desktop: Desktop, tmp_path: Path, number: signal.Signals
) -> None:
    sink(desktop, tmp_path / "out.txt")
    with console(desktop, "hold", "type") as victim, Witness(desktop) as witness:
        victim.until("armed")
        witness.wait_count(60)
        guard, injector = pids(desktop)
        killed_ms = now_ms()
        os.kill(guard, number)
        assert victim.until("stop") == "stop guard_died"
        wait_until(lambda: not process_alive(injector), "the injector to end")
        late = [later_by_ms(e.time_ms, killed_ms) for e in witness.wait_quiet() if e.acts]
        assert max(late) <= 100
        nothing_is_down(desktop)
        assert borrowed(desktop) == []
        status = latch.read_status(desktop.name)
        assert (status.state, status.reason) == (LatchState.STOPPED, "guard_died")


def test_a_frozen_guard_stops_the_injector_and_is_said(desktop: Desktop, tmp_path: Path) -> None:
    sink(desktop, tmp_path / "out.txt")
    with console(desktop, "hold", "type") as victim, Witness(desktop) as witness:
        victim.until("armed")
        witness.wait_count(60)
        guard, injector = pids(desktop)
        frozen_ms = now_ms()
        os.kill(guard, signal.SIGSTOP)
        events = witness.wait_quiet(1000)
        assert max(later_by_ms(e.time_ms, frozen_ms) for e in events if e.acts) <= 800
        assert victim.until("pause") == "pause stop_not_live"
        assert victim.until("stop") == "stop guard_died"
        wait_until(lambda: not process_alive(injector), "the injector to end")
        nothing_is_down(desktop)


def test_guard_and_injector_killed_together_are_cleaned_up_by_reset(desktop: Desktop, tmp_path: Path) -> None:
    sink(desktop, tmp_path / "out.txt")
    with console(desktop, "hold", "type") as victim, Witness(desktop) as witness:
        victim.until("armed")
        witness.wait_count(60)
        guard, injector = pids(desktop)
        os.kill(guard, signal.SIGSTOP)
        os.kill(injector, signal.SIGKILL)
        os.kill(guard, signal.SIGKILL)
        victim.until("stop")
    assert desktop.buttons_down() == [1], "the test's premise: a kill leaves things held"
    assert latch.read_status(desktop.name).state is LatchState.STOPPED
    assert latch.reset(desktop.name).state is LatchState.IDLE
    nothing_is_down(desktop)
    assert borrowed(desktop) == []


def test_a_stop_latches_while_the_display_hangs(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    server = start_xvfb(tmp_path / "x")
    desktop = Desktop.start(server, tmp_path / "x")
    try:
        with console(desktop) as victim:
            victim.until("armed")
            _, injector = pids(desktop)
            os.kill(server.child.pid, signal.SIGSTOP)
            found = latch.request_stop(desktop.name)
            assert [(s.state, s.reason) for s in found] == [(LatchState.STOPPED, "command")]
            wait_until(lambda: not process_alive(injector), "the injector to end")
    finally:
        os.kill(server.child.pid, signal.SIGCONT)
        desktop.close()
        server.stop()
