"""A window target is hit where the model saw it, wherever it has gone; what covers it is never hit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import final, grid, insistent, start_run, turn
from tests.display.rig import Desktop, launch_xterm
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
POINT = (123, 45)
COVERER = "Somebody else"


@pytest.mark.full
def test_a_window_that_moved_is_hit_at_the_right_pixel_and_one_that_is_covered_is_not(
    desktop: Desktop, tmp_path: Path
) -> None:
    """In each run: both in injector/test_grants.py."""
    window = EventWindow(desktop)
    start = desktop.window(window.xid)

    # Each turn may have to be said again, after a pause of a busy machine.
    def move_and_click(_seen: object) -> dict[str, Any]:
        if desktop.window(window.xid) == start:
            desktop.move_window(window.xid, 700, 380)
        return turn(("click", grid(POINT, SIZE)))

    def cover_and_click(_seen: object) -> dict[str, Any]:
        place = window.application.now()
        if desktop.find_window(title=COVERER) is None:
            launch_xterm(desktop, title=COVERER, geometry=f"40x10+{place.x + 40}+{place.y - 20}")
        return turn(("click", grid(POINT, SIZE)))

    turns = insistent(move_and_click, cover_and_click, final("I cannot."))
    with GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--target", f"window:{window.xid:#x}")
        assert console.wait() in {0, 1}, console.report()
        assert server.violations == []
    refused = [event for event in console.events() if event["kind"] == "performed"][-1]
    assert refused["result"] == "failed"
    assert refused["reason"] == "covered"
    assert COVERER in refused["detail"]
    assert window.buttons() == [ButtonEvent("Press", *POINT, 1), ButtonEvent("Release", *POINT, 1)]
