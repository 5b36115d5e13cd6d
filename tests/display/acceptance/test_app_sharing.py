"""The console on the monitor that is worked: never in a picture, never hit, and it costs the agent no focus."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import final, grid, insistent, turn
from tests.display.acceptance.recorded import read_picture
from tests.display.rig import AccessibleDesktop, Application, WindowInfo, launch_mousepad, wait_until
from tests.servers.gemini_server import GeminiServerThread

ALIKE = 24
"""Channels that differ by less are the same: fonts and title bars are drawn a little differently without the focus."""
SHARE = 0.02
"""How much of the covered area may differ: a caret, a title bar that lost the focus."""


def different(picture: Image.Image, beneath: Image.Image, window: WindowInfo) -> float:
    """The share of the console's area in which a picture is not what lies beneath it."""
    width, height = picture.size
    box = (
        max(0, window.x),
        max(0, window.y),
        min(width, window.x + window.width),
        min(height, window.y + window.height),
    )
    one, other = (np.asarray(image.convert("RGB").crop(box)).astype(np.int16) for image in (picture, beneath))
    return float((np.abs(one - other).max(axis=2) >= ALIKE).mean())


def pictures(app: App) -> list[Image.Image]:
    """Every picture that the model was sent."""
    record = app.record()
    assert record is not None
    digests = [event["picture"] for event in app.records() if event["kind"] == "observed"]
    return [Image.open(io.BytesIO(read_picture(record, digest))) for digest in digests]


def approve_by_pointer(app: App) -> None:
    """A human's click on Approve, with the console in front as a person would have it."""
    app.wait("Approve")
    app.desktop.activate(app.window.xid)  # else Approve waits until the pointer rests on the card
    app.wait("Approve", enabled=True)
    app.decide("Approve", lambda node: app.click(node, human=True))


@pytest.mark.full
def test_it_is_never_in_a_picture_never_hit_and_costs_no_focus(
    accessible_xephyr_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: desktop/test_screen_capture.py and computers/test_driving.py, with other windows for it."""
    desktop = accessible_xephyr_desktop.desktop
    note = tmp_path / "note.txt"
    editor: Application = launch_mousepad(desktop, note)
    desktop.move_window(editor.window.xid, 40, 90)
    events = EventWindow(desktop, geometry="300x200+700+420")
    size = desktop.server.size
    place = events.application.now()
    hit = (place.x + 211, place.y + 77)
    beneath = desktop.grab()
    turns = insistent(
        turn(("click", grid(hit, size))),
        turn(("click", grid(editor.now().centre, size))),
        turn(("type", {"text": "Written beneath the console."})),
        turn(("hotkey", {"keys": ["ctrl", "s"]})),
        final(),
    )
    with GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_xephyr_desktop, tmp_path, url=server.url)
        app.start("Monitor 1")
        covered = desktop.window(app.window.xid)
        assert covered.x <= hit[0] < covered.x + covered.width
        assert covered.y <= hit[1] < covered.y + covered.height
        assert different(desktop.grab(), beneath, covered) > 0.5
        approve_by_pointer(app)
        app.wait_record("performed", 1, result="done")
        # The window manager sees a press into a window without the focus first, and passes it on.
        clicked = [ButtonEvent("Press", 211, 77, 1), ButtonEvent("Release", 211, 77, 1)]
        wait_until(lambda: events.buttons() == clicked, "the click to reach the window beneath")
        for count in (2, 3, 4):
            approve_by_pointer(app)
            app.wait_record("performed", count, result="done")
        app.wait_record("ended", outcome="finished")
        assert server.violations == []
        assert events.buttons() == clicked
        shown = pictures(app)
        assert len(shown) >= 5
        for picture in shown:
            assert picture.size == size
            assert different(picture, beneath, covered) < SHARE
        assert app.close() == 0
    wait_until(note.exists, "the note to be saved")
    assert note.read_text(encoding="utf-8").strip() == "Written beneath the console."
