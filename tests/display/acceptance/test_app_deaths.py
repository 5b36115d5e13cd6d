"""kill -9 of the window's process: nothing lives on, nothing is held, the latch says so, the next start offers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.deaths import kill, last_kind, latched, product_processes, told_of, wait_recorded
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import grid, start_run, turn
from tests.display.acceptance.test_stop import command
from tests.display.rig import AccessibleDesktop, wait_until
from tests.servers.gemini_server import GeminiServer, GeminiServerThread

TASK = "Buy the green one."
CLICK = turn(("click", grid((50, 60), (400, 300))))


@dataclass(kw_only=True)
class Place:
    """A desktop with a window to work, and a server that speaks for the model."""

    accessible: AccessibleDesktop
    window: EventWindow
    server: GeminiServer
    folder: Path
    before: set[int]

    def open(self) -> App:
        """The app."""
        return App(self.accessible, self.folder, url=self.server.url)

    def kill(self, app: App) -> None:
        """Kill it."""
        kill(self.accessible.desktop, app.child, self.before)

    def latched(self) -> str | None:
        """Why the display is stopped."""
        return latched(self.accessible.desktop)

    def told_of(self, record: Path | None, fate: str, *, cut_off: bool = True) -> None:
        """What the terminal says of the record."""
        assert record is not None
        told_of(self.accessible.desktop, record, fate, cut_off=cut_off)

    def reset(self) -> None:
        """The human's, in a terminal."""
        assert command(self.accessible.desktop, "reset", "--yes").returncode == 0
        assert self.latched() is None


@pytest.fixture
def place(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> Iterator[Place]:
    window = EventWindow(accessible_desktop.desktop)
    with GeminiServerThread([CLICK] * 4, api_key="test-key") as server:
        yield Place(
            accessible=accessible_desktop, window=window, server=server, folder=tmp_path, before=product_processes()
        )


def begin(app: App) -> None:
    """A session of its own record that runs."""
    known = app.record()
    app.set_up("Event window", task=TASK)
    app.press("Start")
    wait_until(lambda: app.record() not in (None, known), "a record")


def offered(app: App) -> None:
    """This start says it beside the latch."""
    assert "Nothing can act until you reset" in app.wait_text("The last session was interrupted")
    assert TASK in app.wait_text("Its record is kept")


def asks(app: App) -> bool:
    """Whether the record ends with a question; a busy machine's own pause may come before it."""
    return [event["kind"] for event in app.records()[-1:]] == ["question"]


def die_reviewing(place: Place, app: App) -> None:
    """Begin a session, and kill the window while it asks. In other states: tests/display/guard/test_deaths.py."""
    begin(app)
    wait_until(lambda: asks(app), "the question")
    place.kill(app)
    assert place.latched() == "console_died"
    died = app.record()
    assert died is not None
    assert last_kind(died) == "question"
    place.told_of(died, "not done")


@pytest.mark.full
def test_a_run_dies_and_the_next_start_offers_it(place: Place) -> None:
    """Its record lies in a folder of its own. In each run: the window, below, and a run in test_deaths.py."""
    record = place.folder / "elsewhere.ocsession"
    window = f"window:{place.window.xid:#x}"
    desktop = place.accessible.desktop
    ran = start_run(desktop, place.folder, place.server.url, "--target", window, "--session", str(record), task=TASK)
    ran.wait_event("performed")
    wait_recorded(record, "performed")
    kill(desktop, ran.child, place.before)
    hit = place.window.buttons()
    assert [event.kind for event in hit] == ["Press", "Release"]
    place.told_of(record, "done")

    app = place.open()
    offered(app)
    place.reset()
    assert app.close() == 0


def test_the_window_dies_reviewing_and_the_next_start_offers_it(place: Place) -> None:
    die_reviewing(place, place.open())
    assert place.window.buttons() == []
    app = place.open()
    offered(app)
    app.press("Open record")
    app.wait_text("Its last action was step 1, call 1; it was not done")
    assert {"Reading a record", TASK} <= set(app.texts())
    assert app.close() == 0
