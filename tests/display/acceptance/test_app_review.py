"""A Gemini session in the window: the reticle tells the truth, then and in its record; what is written is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import console_env, final, grid, insistent, turn
from tests.display.acceptance.reticle import Reticle, find_reticle
from tests.display.rig import AccessibleDesktop, wait_until
from tests.servers.gemini_server import GeminiServer, GeminiServerThread

SIZE = (500, 330)
GEOMETRY = "500x330+60+60"
POINTS = ((123, 45), (317, 201), (40, 290))


def click_at(point: tuple[int, int]) -> dict[str, object]:
    return turn(("click", grid(point, SIZE)))


def pressed(point: tuple[int, int]) -> list[ButtonEvent]:
    return [ButtonEvent("Press", *point, 1), ButtonEvent("Release", *point, 1)]


def words_of(server: GeminiServer, number: int) -> str:
    """A request as text, to look for words in."""
    return str(server.received[number].body)


def measured(app: App) -> Reticle:
    """The reticle, on the screen's own pixels, with the window in front."""
    if app.desktop.active_window() != app.window.xid:
        app.desktop.activate(app.window.xid)
    preview = app.wait("Live preview").extents
    assert preview is not None

    def look() -> Reticle | None:
        return find_reticle(app.desktop.grab(), preview)

    found = wait_until(look, "a reticle in the preview", interval_s=0.1)
    assert found is not None
    return found


def assert_shown_at(reticle: Reticle, hit: ButtonEvent) -> None:
    """Within one pixel of the target, where the window's own pixel spans one."""
    x, y = reticle.target_pixel(SIZE)
    assert abs(x - (hit.x + 0.5)) <= 1.0, (reticle, hit)
    assert abs(y - (hit.y + 0.5)) <= 1.0, (reticle, hit)


@pytest.mark.full
def test_what_is_shown_is_hit_and_what_is_written_is_read(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """A session of a window, one that goes on from it, and its record. Deciding and taking over are in stories.py.

    In each run: ui/test_reticle_on_screen.py, injector/test_grants.py and tests/ui/review.
    """
    window = EventWindow(accessible_desktop.desktop, geometry=GEOMETRY)
    turns = (*map(click_at, POINTS), final("All three were looked at."), final("That too."))
    with GeminiServerThread(insistent(*turns), api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        _decide_each(app, window, server)
        _follow_up(app, server)
        _open_by_a_second_start(app, window)
        assert server.violations == []
        assert app.close() == 0


def _decide_each(app: App, window: EventWindow, server: GeminiServer) -> None:
    app.start("Event window")

    shown = measured(app)
    assert not window.buttons()
    app.decide("Approve")
    app.wait_record("performed", 1, result="done")
    first = window.buttons()
    assert first == pressed(POINTS[0])
    assert_shown_at(shown, first[0])

    app.enter("Message", "Please hurry, the shop closes.")
    app.wait_record("message", text="Please hurry, the shop closes.")
    app.press("Edit")
    app.tree.set_value(app.wait("X"), 222)
    app.tree.set_value(app.wait("Y"), 111)
    moved = wait_until(
        lambda: now if abs((now := measured(app)).target_pixel(SIZE)[0] - 222.5) < 2 else None,
        "the reticle to follow the edit",
    )
    app.decide("Approve")
    app.wait_record("performed", 2, result="done")
    assert window.buttons()[2:] == pressed((222, 111))
    assert moved is not None
    assert_shown_at(moved, window.buttons()[2])

    app.press("Skip")
    app.enter("Feedback", "Not there: the heading is enough.")
    app.wait_record("ended", outcome="finished")
    assert "Please hurry, the shop closes." in words_of(server, -1)
    assert "Not there: the heading is enough." in words_of(server, -1)
    assert len(window.buttons()) == 4


def _follow_up(app: App, server: GeminiServer) -> None:
    app.enter("Message", "Now close it again.")
    app.wait_record("session_started", resumed=True, task="Now close it again.")
    app.wait_record("ended", 2, outcome="finished")
    assert "Now close it again." in words_of(server, -1)


def _open_by_a_second_start(app: App, window: EventWindow) -> None:
    """It opens the file in the first window, which comes forward."""
    app.desktop.activate(window.xid)
    again = [sys.executable, "-m", "operator_console", "--session", str(app.record())]
    env = {**console_env(app.desktop), **app.place.env}
    assert subprocess.run(again, env=env, timeout=30).returncode == 0
    app.wait_text("Reading a record")
    wait_until(lambda: app.desktop.active_window() == app.window.xid, "the first window to come forward")
    app.focus("Timeline", "list")
    wait_until(lambda: _next_row_is(app, f"Click at {POINTS[0][0]}, {POINTS[0][1]}"), "the click's row", interval_s=0.1)
    app.tree.press(app.wait("Before"))
    shown = measured(app)
    assert_shown_at(shown, window.buttons()[0])


def _next_row_is(app: App, part: str) -> bool:
    app.desktop.xdo("key", "Down")
    rows = app.tree.find_all(role="list item", pid=app.pid)
    return any(part in row.name for row in rows if "selected" in row.states)
