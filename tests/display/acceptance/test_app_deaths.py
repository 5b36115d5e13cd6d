"""kill -9 of the window's process: nothing lives on, nothing is held, the latch says so, the next start offers it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import final, grid, turn
from tests.display.acceptance.test_deaths import DEATH_LIMIT_S
from tests.display.acceptance.test_stop import command, status
from tests.display.rig import AccessibleDesktop, wait_until
from tests.display.rig.processes import processes_with_env
from tests.servers.gemini_server import GeminiServerThread


@pytest.mark.parametrize("moment", ["reviewing", "paused"])
def test_the_window_killed_while(moment: str, accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    desktop = accessible_desktop.desktop
    window = EventWindow(desktop)
    mark = f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"
    before = set(processes_with_env(mark))
    with GeminiServerThread([turn(("click", grid((50, 60), (400, 300)))), final()], api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.start("Event window", task="Buy the green one.")
        app.wait_record("question")
        if moment == "paused":
            app.press("Pause")
            app.wait_record("paused")
        os.kill(app.pid, signal.SIGKILL)
        killed_s = time.monotonic()
        app.child.popen.wait()
        wait_until(lambda: set(processes_with_env(mark)) <= before, "guard and injector to end", interval_s=0.005)
        assert time.monotonic() - killed_s <= DEATH_LIMIT_S
        assert desktop.keys_down() == []
        assert desktop.buttons_down() == []
        assert window.buttons() == []
        told = status(desktop)
        assert (told["state"], told["reason"]) == ("stopped", "console_died")
        record = app.record()
        assert record is not None
        verified = command(desktop, "sessions", "verify", str(record))
        assert verified.returncode == 0, verified.stdout + verified.stderr

        again = App(accessible_desktop, tmp_path, url=server.url)
        again.wait_text("The last session broke off")
        again.press("Open record")
        again.wait_text("Reading a record")
        again.wait_text("Buy the green one.")
        again.wait("Timeline", "list")
        assert again.close() == 0
