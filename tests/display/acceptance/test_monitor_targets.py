"""A monitor that changes between the model's look and its click: refused in words, and a fresh picture is sent."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.display.acceptance.harness import final, start_run, turn
from tests.display.rig import Desktop
from tests.display.rig.monitors import delete_monitor, monitors_of, set_monitor
from tests.display.rig.sheet import Sheet
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen, Turn


@pytest.mark.full
def test_a_monitor_that_changed_is_looked_at_again(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: computers/test_monitors.py."""
    looked: list[tuple[int, int]] = []

    def clicking(change: Callable[[], None] = lambda: None) -> Callable[[Seen], dict[str, Any]]:
        def say(seen: Seen) -> dict[str, Any]:
            looked.append(Image.open(io.BytesIO(seen.png)).size)
            change()
            return turn(("click", {"x": 500, "y": 500}))

        return say

    turns: list[Turn] = [
        clicking(lambda: set_monitor(desktop, "work", (640, 0, 640, 480))),
        clicking(lambda: set_monitor(desktop, "work", (540, 100, 640, 480))),
        clicking(),
        clicking(lambda: delete_monitor(desktop, "work")),
        final(),
    ]
    places = {"other": (0, 0, 640, 800), "work": (640, 0, 640, 800)}
    with (
        monitors_of(desktop, places),
        Sheet(desktop, (0, 0, 1280, 800)) as sheet,
        GeminiServerThread(turns, api_key="test-key") as server,
    ):
        console = start_run(desktop, tmp_path, server.url, "--target", "monitor:2")
        assert console.wait() == 4, console.report()  # paused, and nobody there to go on
        assert server.violations == []
        hits = [(hit.root_x, hit.root_y) for hit in sheet.hits()]
    done = [event for event in console.events() if event["kind"] == "performed"]
    assert [(event["result"], event["status"], event["reason"]) for event in done] == [
        ("failed", "not_done", "stale"), ("failed", "not_done", "stale"), ("done", "done", ""),
        ("failed", "failed", "hidden"),
    ]  # fmt: skip
    assert "changed its size" in done[0]["detail"]
    assert "was moved" in done[1]["detail"]
    assert "switched off or unplugged" in done[3]["detail"]
    assert looked == [(640, 800), (640, 480), (640, 480), (640, 480)]
    assert hits == [(540 + 320, 100 + 240)]
    paused = console.wait_event("paused", by="target")
    assert "Switch it on again" in paused["detail"]
