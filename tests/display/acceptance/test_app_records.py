"""A session file opened for reading: the same view as live, its timeline worked by keyboard; and by a second start."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import console_env, final, grid, start_run, turn
from tests.display.acceptance.reticle import Reticle, find_reticle
from tests.display.rig import AccessibleDesktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
# Away from the square that xev draws: it is outlined as the control, and the outline would touch the ring.
POINTS = ((150, 160), (350, 250))


def test_a_record_is_shown_and_its_timeline_is_walked(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    desktop = accessible_desktop.desktop
    window = EventWindow(desktop)
    record = tmp_path / "kept.ocsession"
    clicks = [turn(("click", grid(point, SIZE))) for point in POINTS]
    with GeminiServerThread([*clicks, final("Both are pressed.")], api_key="test-key") as server:
        ran = start_run(desktop, tmp_path, server.url, "--target", f"window:{window.xid:#x}", "--session", str(record))
        assert ran.wait() == 0, ran.report()
    app = App(accessible_desktop, tmp_path, "--session", str(record))
    app.wait_text("Reading a record")

    shown = wait_until(lambda: rows(app, 6), "the timeline's rows", interval_s=0.1)
    assert "Both are pressed." in shown[0]
    assert "Started" in shown[-1]
    app.focus("Timeline", "list")
    desktop.xdo("key", "Down")
    for place, row in enumerate(shown):
        wait_until(partial(is_chosen, app, row), f"row {place}, {row!r}, to be chosen", interval_s=0.05)
        if "Click" in row:
            app.tree.press(app.wait("Before"))
            app.wait("Inspector")
            at = wait_until(partial(seen_reticle, app), "the click's reticle", interval_s=0.1)
            assert at is not None
            x, y = at.target_pixel(SIZE)
            assert min(max(abs(x - left - 0.5), abs(y - top - 0.5)) for left, top in POINTS) <= 1.0
            app.focus("Timeline", "list")
        desktop.xdo("key", "Down")
    app.press("Close record")
    wait_until(lambda: app.see("Close record") is None, "the record to be closed")

    desktop.activate(window.xid)
    again = [sys.executable, "-m", "operator_console", "--session", str(record)]
    assert subprocess.run(again, env={**console_env(desktop), **accessible_desktop.env}, timeout=30).returncode == 0
    app.wait_text("Reading a record")
    wait_until(lambda: desktop.active_window() == app.window.xid, "the first window to come forward")
    assert app.close() == 0


def rows(app: App, count: int) -> list[str]:
    """The timeline's rows, newest first, once there are so many."""
    found = [node.name for node in app.tree.find_all(role="list item", pid=app.pid)]
    return found if len(found) == count else []


def is_chosen(app: App, row: str) -> bool:
    """Whether that row, and no other, is chosen."""
    return [n.name for n in app.tree.find_all(role="list item", pid=app.pid) if "selected" in n.states] == [row]


def seen_reticle(app: App) -> Reticle | None:
    """The reticle on the step's picture."""
    preview = app.wait("Live preview").extents  # the inspector below it takes some of its height
    assert preview is not None
    return find_reticle(app.desktop.grab(), preview)
