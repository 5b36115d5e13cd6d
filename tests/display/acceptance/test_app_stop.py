"""Stopped by the button while the agent types: latched, said in the window, left by two acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.harness import final, insistent, turn
from tests.display.acceptance.test_stop import LONG_TEXT, status
from tests.display.rig import AccessibleDesktop, launch_xterm, wait_until
from tests.display.rig.witness import Witness
from tests.servers.gemini_server import GeminiServerThread


@pytest.mark.full
def test_a_stop_latches_and_is_left_in_two_acts(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: the button in wayland/test_window_on_wayland.py, receipt and reset in stories.py, a stop while it
    types in test_stop.py."""
    desktop = accessible_desktop.desktop
    launch_xterm(desktop)
    turns = insistent(turn(("type", {"text": LONG_TEXT})), final("Again."), first_again=False)
    with Witness(desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        before = len(witness.acts())
        app.start("rig xterm")
        app.wait_record("question")
        app.wait("Stop", BUTTON)  # looked up before there is any hurry
        app.decide("Approve")
        witness.wait_count(before + 150)
        app.press("Stop")
        stopped = app.wait_record("stopped", reason="button")
        assert stopped["latched"] is True
        assert 0 < stopped["delivered"] < stopped["total"]
        assert desktop.keys_down() == []
        assert desktop.buttons_down() == []
        app.wait_text("Nothing can act until you reset")
        app.wait_text("Stop receipt")
        app.wait_text("Stop button")
        said = status(desktop)
        assert (said["state"], said["reason"]) == ("stopped", "button")

        asked = len(server.received)
        start = app.wait("Start", BUTTON)
        assert not start.enabled
        assert start.description.startswith("Reset the stop first")
        assert len([event for event in app.records() if event["kind"] == "session_started"]) == 1
        assert status(desktop)["state"] == "stopped"

        app.press("Reset")
        wait_until(lambda: status(desktop)["state"] == "idle", "the latch to be reset")
        assert len(server.received) == asked
        first = app.record()
        app.press("Start")
        wait_until(lambda: app.record() != first, "a record of a new session")
        app.wait_record("ended", outcome="finished")
        assert server.violations == []
        assert app.close() == 0
