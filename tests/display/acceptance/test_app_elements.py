"""What the console knows of a target before a session runs: asked in Set-up, on the practice window."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_console.practice.event_log import Ready, read_log
from tests.display.acceptance.app_harness import App
from tests.display.rig import AccessibleDesktop, wait_until

INK = (0x24, 0x56, 0xC7)


@pytest.mark.timeout(120)
def test_the_elements_of_the_target_are_shown_and_the_target_gets_no_input(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    app = App(accessible_desktop, tmp_path, "practice")
    app.wait("Refresh targets", enabled=True)
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
    assert app.close() == 0
