"""kill -9 of the console: the record opens and verifies, nothing is held, nothing lives on, and the latch names it."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.harness import final, start_run, turn
from tests.display.acceptance.test_stop import LONG_TEXT, command, status
from tests.display.rig import Desktop, launch_xterm, wait_until
from tests.display.rig.processes import processes_with_env
from tests.servers.gemini_server import GeminiServerThread

DEATH_LIMIT_S = 1.0

# What the model says, and the event after which the console dies: one case for each moment that a session can be in.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "starting": (final(), "session_started"),
    "thinking": ({**final(), "delay_s": 60}, "observed"),
    "acting": (turn(("type", {"text": LONG_TEXT})), "granted"),
    "settling": (turn(("click", {"x": 300, "y": 300})), "performed"),
    "retrying": ({"status": 503, "retry_after": 60}, "retrying"),
}


@pytest.mark.parametrize("moment", sorted(CASES))
def test_the_console_killed_while(moment: str, desktop: Desktop, tmp_path: Path) -> None:
    said, event = CASES[moment]
    launch_xterm(desktop)
    record = tmp_path / "killed.ocsession"
    mark = f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"
    before = set(processes_with_env(mark))
    with GeminiServerThread([said, final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--session", str(record))
        console.wait_event(event)
        os.kill(console.child.pid, signal.SIGKILL)
        killed_s = time.monotonic()
        console.wait()
        wait_until(lambda: set(processes_with_env(mark)) <= before, "guard and injector to end", interval_s=0.005)
        assert time.monotonic() - killed_s <= DEATH_LIMIT_S
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []
    told = status(desktop)
    assert told["state"] == "stopped"
    assert told["reason"] == "console_died"
    verified = command(desktop, "sessions", "verify", str(record))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    if moment == "acting":
        assert "unknown" in verified.stdout.lower()
    shown = command(desktop, "sessions", "show", str(record))
    assert shown.returncode == 0
    assert json.loads(command(desktop, "status", "--json").stdout)["state"] == "stopped"
