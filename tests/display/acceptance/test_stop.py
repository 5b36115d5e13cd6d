"""Stopped by a human while the agent types: nothing later than 100 ms, nothing held, latched, said everywhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.display.acceptance.harness import Console, console_env, final, insistent, start_run, turn
from tests.display.rig import Desktop, launch_xterm, wait_until
from tests.display.rig.witness import Witness, later_by_ms
from tests.servers.gemini_server import GeminiServerThread

LIMIT_MS = 100
# 40,040 characters: seconds of typing; capitals are typed with Shift held.
LONG_TEXT = "The Quick Brown Fox Jumps Over It. " * 1144


def command(desktop: Desktop, *args: str) -> subprocess.CompletedProcess[str]:
    """A command of the console from another terminal."""
    return subprocess.run(
        [sys.executable, "-m", "operator_console", *args],
        env=console_env(desktop, DISPLAY=desktop.name),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def status(desktop: Desktop) -> dict[str, object]:
    """`status --json`."""
    answer = command(desktop, "status", "--json")
    loaded: dict[str, object] = json.loads(answer.stdout)
    return loaded


def under_way(console: Console, witness: Witness, count: int) -> None:
    """Wait until that many presses came; a run that ended instead says why."""

    def pressed() -> bool:
        assert console.child.running, console.report()
        return len(witness.acts(synthetic=True)) >= count

    wait_until(pressed, f"{count} presses", timeout_s=60)


def test_the_chord_stops_typing_at_once_and_latches(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    """Other layouts and locks: tests/display/guard/test_stop.py."""
    desktop = xephyr_desktop
    launch_xterm(desktop)
    desktop.set_layout("us,ru")
    turns = insistent(turn(("type", {"text": LONG_TEXT})), final())
    with Witness(desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--allow", "terminal", "--autonomy", "auto")
        under_way(console, witness, 150)
        desktop.human_xdo("key", "Caps_Lock")
        desktop.human_xdo("keydown", "ctrl", "keydown", "alt", "keydown", "x")
        desktop.human_xdo("keyup", "x", "keyup", "alt", "keyup", "ctrl")
        assert console.wait() == 3, console.report()
        events = witness.events()
    code = desktop.keycode("x")
    chord = next(e for e in events if not e.synthetic and e.kind == "key_down" and e.detail == code)
    late = [e for e in events if e.synthetic and e.acts and later_by_ms(e.time_ms, chord.time_ms) > LIMIT_MS]
    assert late == []
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []
    stopped = next(event for event in console.events() if event["kind"] == "stopped")
    assert stopped["reason"] == "hotkey"
    assert stopped["latched"] is True
    assert 0 < stopped["delivered"] < stopped["total"]
    said = status(desktop)
    assert (said["state"], said["reason"]) == ("stopped", "hotkey")


@pytest.mark.full
def test_ctrl_c_ends_a_run_in_order_and_does_not_latch(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/app/test_run_without_display.py."""
    launch_xterm(desktop)
    turns = insistent(turn(("type", {"text": LONG_TEXT})), final())
    with Witness(desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url)
        under_way(console, witness, 100)
        os.killpg(console.child.pid, signal.SIGINT)  # a terminal sends it to the whole group
        assert console.wait() == 3, console.report()
    stopped = next(event for event in console.events() if event["kind"] == "stopped")
    assert (stopped["reason"], stopped["latched"]) == ("interrupt", False)
    wait_until(lambda: status(desktop)["state"] == "idle", "the latch file to be cleared")
    assert desktop.keys_down() == []
