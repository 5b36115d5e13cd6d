"""kill -9 of the window's process: nothing lives on, nothing is held, the latch says so, the next start offers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.deaths import kill, last_kind, latched, product_processes, told_of
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import grid, start_run, turn
from tests.display.acceptance.test_stop import command, status
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


def begin(app: App, *, autonomy: str = "Step") -> None:
    """A session of its own record that runs; what was chosen before is chosen still."""
    known = app.record()
    if known is None or autonomy != "Step":
        app.set_up("Event window", task=TASK, autonomy=autonomy)
    else:
        app.fill("Task", TASK)
    app.press("Start")
    wait_until(lambda: app.record() not in (None, known), "a record")


def offered(app: App) -> None:
    """This start says it beside the latch."""
    assert "Nothing can act until you reset" in app.wait_text("The last session broke off")
    assert TASK in app.wait_text("Its record is kept")


def stands_at(app: App, kind: str) -> bool:
    """Whether that is the last that happened; a busy machine's own pause may come before it."""
    last = app.records()[-1:]
    return [(event["kind"], event.get("by", "human")) for event in last] == [(kind, "human")]


def die(place: Place, app: App, button: str, event: str) -> None:
    """Begin a session, bring it into a state, and kill the window there."""
    begin(app)
    wait_until(lambda: stands_at(app, "question"), "the question")
    if button:
        app.press(button)
        wait_until(lambda: stands_at(app, event), event)
    place.kill(app)
    assert place.latched() == "console_died"
    died = app.record()
    assert died is not None
    assert last_kind(died) == event
    place.told_of(died, "not done")


def test_a_run_and_then_the_window_reviewing_die_and_the_next_start_offers_each(place: Place) -> None:
    """The run's record lies in a folder of its own."""
    record = place.folder / "elsewhere.ocsession"
    window = f"window:{place.window.xid:#x}"
    desktop = place.accessible.desktop
    ran = start_run(desktop, place.folder, place.server.url, "--target", window, "--session", str(record), task=TASK)
    ran.wait_event("performed")
    kill(desktop, ran.child, place.before)
    hit = place.window.buttons()
    assert [event.kind for event in hit] == ["Press", "Release"]
    place.told_of(record, "done")

    app = place.open()
    offered(app)
    place.reset()
    die(place, app, "", "question")
    assert place.window.buttons() == hit
    app = place.open()
    offered(app)
    app.press("Open record")
    app.wait_text("Its last action was step 1, call 1; it was not done")
    assert {"Reading a record", TASK} <= set(app.texts())
    assert app.close() == 0


def test_the_window_paused_and_then_handed_over_dies_and_the_next_start_offers_it(place: Place) -> None:
    die(place, place.open(), "Pause", "paused")
    app = place.open()
    offered(app)
    place.reset()
    die(place, app, "Take over", "handed_over")
    assert place.window.buttons() == []
    app = place.open()
    offered(app)
    assert app.close() == 0


def test_the_window_killed_while_nothing_can_act(place: Place) -> None:
    """Idle, stopped, ended: nothing is latched by the death, and nothing broke off."""
    app = place.open()
    app.wait("Refresh targets", enabled=True)
    place.kill(app)
    assert place.latched() is None
    assert app.record() is None

    app = place.open()
    begin(app)
    app.wait_record("question")
    place.accessible.desktop.xdo("key", "ctrl+alt+x")
    app.wait_record("ended", outcome="stopped")
    place.kill(app)
    assert place.latched() == "hotkey"
    place.told_of(app.record(), "not done", cut_off=False)

    app = place.open()
    app.wait_text("Nothing can act until you reset")
    assert not [text for text in app.texts() if "broke off" in text]
    place.reset()
    begin(app, autonomy="Observe")
    app.wait_record("ended")
    wait_until(lambda: status(place.accessible.desktop)["state"] == "idle", "the end of the end")
    place.kill(app)
    assert place.latched() is None
    place.told_of(app.record(), "not done", cut_off=False)
