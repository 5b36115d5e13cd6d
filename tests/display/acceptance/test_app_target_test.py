"""The Test of a target in the window: on a monitor that the console stands on itself, to its Reset."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.rig import AccessibleDesktop, wait_until
from tests.display.rig.sheet import Sheet


@pytest.mark.full
def test_the_chosen_monitor_is_tested_and_the_stop_reset(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: tests/ui/dialogs/test_target_test.py, and acceptance/test_target_test.py."""
    with Sheet(accessible_desktop.desktop, (0, 700, 1280, 100)):  # a monitor that shows nothing is refused
        judge(App(accessible_desktop, tmp_path))


def judge(app: App) -> None:
    app.wait_text("Monitor 1")
    app.press("Test the target")
    app.wait_text("It ends with a stop")
    app.press("Start the test")
    app.wait_text("All is well", timeout_s=60)
    assert app.wait_text("Stopped after")
    assert sum("Error: 0 px." in text for text in app.texts()) >= 3
    app.press("Copy the result")
    app.press("Close")
    assert not app.wait("Start", BUTTON).enabled, "it is stopped"
    app.press("Reset")
    wait_until(lambda: app.wait("Start", BUTTON).enabled, "Start to be possible again")
    assert app.close() == 0
