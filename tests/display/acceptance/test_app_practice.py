"""The practice run in the window, judged by the practice window's own file."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.practice.event_log import read_log
from operator_console.practice.judge import judge
from tests.display.acceptance.app_harness import App
from tests.display.rig import AccessibleDesktop


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_practice_succeeds_in_the_app(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    app = App(accessible_desktop, tmp_path, "practice")
    app.wait("Refresh targets", enabled=True)  # they are listed
    assert "Runbook" in app.wait("Model", "combo box").name
    assert "Plant diary" in app.wait("Target", "combo box").name
    app.press("Start")
    app.wait_record("ended", outcome="finished", timeout_s=150)
    logs = sorted((app.home / "sessions").glob("*.practice.jsonl"))
    assert len(logs) == 1
    assert judge(read_log(logs[0])).missing == ()
    assert app.close() == 0
