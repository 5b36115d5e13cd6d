"""A Gemini session in the window: the reticle tells the truth; approve, edit, skip, take over, message, follow-up."""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import final, grid, insistent, turn
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


def test_what_is_shown_is_hit_the_human_decides_each_call_takes_over_and_is_heard(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """Three sessions of one window."""
    window = EventWindow(accessible_desktop.desktop, geometry=GEOMETRY)
    decided = (*map(click_at, POINTS), final("All three were looked at."))
    heard = (click_at(POINTS[0]), click_at(POINTS[0]), final("Done."), final("That too."))
    with GeminiServerThread(insistent(*decided, *heard), api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        _decide_each(app, window, server)
        _take_over_and_write(app, window, server)
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

    app.press("Edit")
    x, y = app.wait("X"), app.wait("Y")
    assert [x.value, y.value] == list(POINTS[1])
    assert not app.wait("Text").enabled
    app.tree.set_value(x, 222)
    app.tree.set_value(y, 111)
    moved = wait_until(
        lambda: now if abs((now := measured(app)).target_pixel(SIZE)[0] - 222.5) < 2 else None,
        "the reticle to follow the edit",
    )
    app.decide("Approve")
    app.wait_record("performed", 2, result="done")
    assert window.buttons()[2:] == pressed((222, 111))
    assert moved is not None
    assert_shown_at(moved, window.buttons()[2])
    app.wait_record("decided", decision="modify", by="human")

    app.press("Skip")
    app.enter("Feedback", "Not there: the heading is enough.")
    app.wait_record("ended", outcome="finished")
    assert "Not there: the heading is enough." in words_of(server, -1)
    assert len(window.buttons()) == 4
    assert app.wait_record("decided", decision="skip")["by"] == "human"


def _take_over_and_write(app: App, window: EventWindow, server: GeminiServer) -> None:
    """A new session, and one that goes on from it."""
    desktop = app.desktop
    before, record = len(window.buttons()), app.record()
    app.press("Start")
    wait_until(lambda: app.record() != record, "a record of its own")
    app.wait_record("question")
    asked = len(server.received)
    app.press("Take over")
    app.wait_record("handed_over")
    app.wait("Hand back", enabled=True)
    desktop.activate(window.xid)
    place = window.application.now()
    seen = len(app.records())
    for dx in (10, 50, 90):
        desktop.xdo("mousemove", str(place.x + dx), str(place.y + 150), "click", "1")
    wait_until(lambda: len(window.buttons()) == before + 6, "the human's own clicks")
    assert len(server.received) == asked
    assert [event["kind"] for event in app.records()[seen:] if event["kind"] != "warned"] == []
    app.fill("Message", "I opened the form myself.")
    app.press("Hand back")
    app.wait_record("handed_back", note="I opened the form myself.")
    wait_until(lambda: [e["kind"] for e in app.records()[seen:]][:2] == ["handed_back", "observed"], "a fresh look")
    app.wait("Approve", enabled=True)
    assert len(window.buttons()) == before + 6
    assert "I opened the form myself." in words_of(server, asked)

    app.enter("Message", "Please hurry, the shop closes.")
    app.wait_record("message", text="Please hurry, the shop closes.")
    app.decide("Approve")
    app.wait_record("ended", 1, outcome="finished")
    assert "Please hurry, the shop closes." in words_of(server, -1)
    assert window.buttons()[before + 6 :] == pressed(POINTS[0])

    app.enter("Message", "Now close it again.")
    app.wait_record("session_started", resumed=True, task="Now close it again.")
    app.wait_record("ended", 2, outcome="finished")
    assert "Now close it again." in words_of(server, -1)
