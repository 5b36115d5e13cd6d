"""The practice session in the window: what the console knows of its target before, and the file that judges it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_console.practice.event_log import Ready, read_log
from operator_console.practice.judge import judge
from tests.display.acceptance.app_harness import App
from tests.display.rig import AccessibleDesktop, wait_until

INK = (0x24, 0x56, 0xC7)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_elements_of_the_target_are_shown_without_any_input_and_practice_succeeds(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: the practice task in practice/test_practice_run.py, its first step in the window in stories.py, the
    elements in ui/test_console.py."""
    app = App(accessible_desktop, tmp_path, "practice")
    app.wait("Refresh targets", enabled=True)
    assert "Runbook" in app.wait("Model", "combo box").name
    assert "Plant diary" in app.wait("Target", "combo box").name
    stage = app.wait("Live preview")
    assert stage.extents is not None
    x, y, width, height = stage.extents

    def preview() -> NDArray[np.uint8]:
        seen = np.asarray(app.desktop.grab(app.window.xid).convert("RGB"))
        return seen[y - app.window.y : y - app.window.y + height, x - app.window.x : x - app.window.x + width]

    def outlined() -> int:
        return int((preview() == np.array(INK, np.uint8)).all(axis=2).sum())

    # The practice window is light, the empty preview dark.
    wait_until(lambda: (preview() > 200).all(axis=2).mean() > 0.05, "the first picture")
    before = outlined()
    button = app.wait("Show elements", enabled=True)
    app.tree.press(button)
    words = app.wait_text("elements known")
    found = re.match(r"(\d+) elements known", words)
    assert found is not None
    assert int(found[1]) >= 9, "three fields, the list and its months that can be seen, two buttons"
    assert "Accessibility is switched on" in words
    wait_until(lambda: outlined() > before + 1_000, "the outlines")
    app.tree.press(button)
    wait_until(lambda: outlined() <= before + 100, "the outlines to go")
    assert not [text for text in app.texts() if "elements known" in text]
    (log,) = (app.home / "sessions").glob("*.practice.jsonl")
    assert [type(event) for event in read_log(log)] == [Ready]

    app.press("Start")
    app.wait_record("ended", outcome="finished", timeout_s=150)
    assert judge(read_log(log)).missing == ()
    assert app.close() == 0
