"""Stopped while the agent types, by a human's chord or the button: latched, said in the window, left by two acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.harness import final, turn
from tests.display.acceptance.test_stop import LIMIT_MS, LONG_TEXT, status
from tests.display.rig import AccessibleDesktop, launch_xterm, wait_until
from tests.display.rig.witness import Witness, later_by_ms
from tests.servers.gemini_server import GeminiServerThread

# No c: typed while the human's Ctrl is down already it would end what runs in the terminal.
TEXT = LONG_TEXT.replace("Quick", "Agile")
WORDS = {"hotkey": "hotkey", "button": "Stop button"}


@pytest.mark.parametrize("means", ["hotkey", "button"])
def test_a_stop_latches_and_is_left_in_two_acts(
    accessible_xephyr_desktop: AccessibleDesktop, tmp_path: Path, means: str
) -> None:
    desktop = accessible_xephyr_desktop.desktop
    launch_xterm(desktop)
    turns = [turn(("type", {"text": TEXT})), final("Again.")]
    with Witness(desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_xephyr_desktop, tmp_path, url=server.url)
        before = len(witness.acts())
        app.start("rig xterm", autonomy="Guarded" if means == "hotkey" else "Step")
        if means == "button":
            app.wait_record("question")
            app.wait("Stop", BUTTON)  # looked up before there is any hurry
            app.decide("Approve")
        witness.wait_count(before + 150)
        if means == "hotkey":
            desktop.human_xdo("keydown", "ctrl", "keydown", "alt", "keydown", "x")
            desktop.human_xdo("keyup", "x", "keyup", "alt", "keyup", "ctrl")
        else:
            app.press("Stop")
        stopped = app.wait_record("stopped", reason=means)
        assert stopped["latched"] is True
        assert 0 < stopped["delivered"] < stopped["total"]
        if means == "hotkey":
            assert_nothing_late(desktop.keycode("x"), witness)
        assert desktop.keys_down() == []
        assert desktop.buttons_down() == []
        app.wait_text("Nothing can act until you reset")
        app.wait_text("Stop receipt")
        app.wait_text(WORDS[means])
        said = status(desktop)
        assert (said["state"], said["reason"]) == ("stopped", means)

        app.press("Start")
        app.wait_text("The display is stopped")
        assert len([event for event in app.records() if event["kind"] == "session_started"]) == 1
        assert status(desktop)["state"] == "stopped"

        app.press("Reset")
        wait_until(lambda: status(desktop)["state"] == "idle", "the latch to be reset")
        assert len(server.received) == 1
        first = app.record()
        app.press("Start")
        wait_until(lambda: app.record() != first, "a record of a new session")
        app.wait_record("ended", outcome="finished")
        assert server.violations == []
        assert app.close() == 0


def assert_nothing_late(code: int, witness: Witness) -> None:
    """No press or motion of a program later than the limit after the human's chord."""
    events = witness.events()
    chord = next(e for e in events if not e.synthetic and e.kind == "key_down" and e.detail == code)
    late = [e for e in events if e.synthetic and e.acts and later_by_ms(e.time_ms, chord.time_ms) > LIMIT_MS]
    assert late == []
