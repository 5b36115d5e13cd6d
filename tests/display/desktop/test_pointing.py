"""Choosing a window by pointing, and the frame on the real desktop: no click is passed on, no picture shows them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from operator_console.computers.target_choice import point_at_window
from operator_console.computers.targets import resolve, snapshot
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import FRAME_COLOUR, open_target_frame
from operator_console.desktop.values import TargetDrawing
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.click_through import ClickThrough
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect, ScreenPoint
from operator_console.domain.stopping import StopCause
from tests.display.acceptance.event_window import EventWindow
from tests.display.guard.acting import guarded
from tests.display.rig import Desktop, wait_until

RING = 0xC2410C
_MIDDLE = 2
"""How far within a side of the frame its colour is, in pixels: the outermost line is white."""


def colours(frame: Frame) -> set[int]:
    """Which of the two drawn colours a picture holds."""
    native = frame.geometry.native
    return drawn(Image.frombuffer("RGB", (native.width, native.height), bytes(frame.pixels), "raw", "BGRX"))


def drawn(image: Image.Image) -> set[int]:
    """Which of the two drawn colours a picture holds."""
    found = np.unique(np.asarray(image.convert("RGB"), np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32))
    return {FRAME_COLOUR, RING}.intersection(found.tolist())


@pytest.fixture
def own() -> OwnWindows:
    """What this process shows counts as the console's."""
    return OwnWindows(pids=[os.getpid()])


async def until_drawn(desktop: Desktop, wanted: set[int]) -> None:
    await asyncio.to_thread(wait_until, lambda: drawn(desktop.grab()) == wanted, f"{wanted} on the screen")


async def test_a_window_is_chosen_by_pointing_and_gets_no_click(desktop: Desktop, own: OwnWindows) -> None:
    window = EventWindow(desktop)
    x, y = window.application.window.centre
    desktop.xdo("mousemove", "900", "700")
    pointing = asyncio.create_task(point_at_window(own, desktop.name))
    desktop.xdo("mousemove", str(x), str(y))
    await until_drawn(desktop, {FRAME_COLOUR})
    assert colours(snapshot(resolve("monitor:1", own, desktop.name), own)) == set(), "no picture shows the outline"
    desktop.xdo("click", "1")
    assert await pointing == f"window:{window.xid:#x}"
    await until_drawn(desktop, set())
    assert window.buttons() == []
    desktop.xdo("click", "1")
    # A window manager takes each press first, and passes it on.
    await asyncio.to_thread(wait_until, lambda: len(window.buttons()) == 2, "a click: the pointer is free again")

    for cancel in (("key", "Escape"), ("click", "3")):
        pointing = asyncio.create_task(point_at_window(own, desktop.name))
        await until_drawn(desktop, {FRAME_COLOUR})
        desktop.xdo(*cancel)
        assert await pointing == ""
    assert len(window.buttons()) == 2


async def test_the_stop_chord_works_while_the_pointer_is_held(desktop: Desktop, own: OwnWindows) -> None:
    window = EventWindow(desktop)
    x, y = window.application.window.centre
    async with guarded(desktop) as acting:
        desktop.xdo("mousemove", str(x), str(y))
        pointing = asyncio.create_task(point_at_window(own, desktop.name))
        await until_drawn(desktop, {FRAME_COLOUR})
        desktop.xdo("key", "ctrl+alt+x")
        await acting.ears.wait(lambda: acting.ears.stops)
        assert acting.ears.stops[0].reason is StopCause.HOTKEY
        pointing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pointing
        await until_drawn(desktop, set())


async def test_the_targets_frame_follows_it_lets_clicks_through_and_is_in_no_picture(
    desktop: Desktop, own: OwnWindows, tmp_path: Path
) -> None:
    window = EventWindow(desktop)
    target = resolve(f"window:{window.xid:#x}", own, desktop.name)
    x, y = window.application.window.centre
    frame = open_target_frame(own, desktop.name)
    try:
        drawing = TargetDrawing(rect=Rect(0, 0, 1, 1), window_id=window.xid, ring=ScreenPoint(x, y), ring_colour=RING)
        frame.show(drawing)
        await until_drawn(desktop, {FRAME_COLOUR, RING})
        for ref in (target, resolve("monitor:1", own, desktop.name)):
            assert colours(snapshot(ref, own)) == set()
        # Also after a hole was cut into the console's windows and closed again, as around each click of the agent.
        display = Display(desktop.name)
        layers, holes = WindowLayers(display, own), ClickThrough(display)
        holes.open(layers.own_layers(), ScreenPoint(x + 20, y))
        holes.restore()
        for dx in (-20, 20):
            desktop.xdo("mousemove", str(x + dx), str(y), "click", "1")
        await asyncio.to_thread(wait_until, lambda: len(window.buttons()) == 4, "clicks on the ring in the window")
        desktop.move_window(window.xid, 400, 300)
        frame.show(drawing)
        left = desktop.window(window.xid).x

        def followed() -> bool:
            sides = [each.rect for each in layers.own_layers() if each.rect.width <= 4]
            return bool(sides) and left - 12 < min(each.x for each in sides) < left

        await asyncio.to_thread(wait_until, followed, "it to follow")
        desktop.xdo("windowminimize", str(window.xid))
        frame.show(drawing)
        await until_drawn(desktop, set())
        frame.show(TargetDrawing(rect=Rect(0, 0, 1280, 800)))
        await until_drawn(desktop, {FRAME_COLOUR})
        display.close()
    finally:
        frame.close()
        frame.join(5)
    await until_drawn(desktop, set())


def framed(image: Image.Image, outer: Rect) -> bool:
    """Whether each side of a rectangle has the frame's colour in its middle."""
    x, y = outer.centre
    right, bottom = outer.right - 1 - _MIDDLE, outer.bottom - 1 - _MIDDLE
    sides = ((x, outer.y + _MIDDLE), (x, bottom), (outer.x + _MIDDLE, y), (right, y))
    wanted = (FRAME_COLOUR >> 16, FRAME_COLOUR >> 8 & 0xFF, FRAME_COLOUR & 0xFF)
    return all(image.convert("RGB").getpixel(place) == wanted for place in sides)


async def test_a_target_at_the_edge_of_the_screen_is_framed_on_all_four_sides(
    desktop: Desktop, own: OwnWindows, caplog: pytest.LogCaptureFixture
) -> None:
    window = EventWindow(desktop)
    display = Display(desktop.name)
    frame = open_target_frame(own, desktop.name)
    width, height = desktop.grab().size
    screen = Rect(0, 0, width, height)

    def place() -> Rect:
        found = windows.describe(display, window.xid)
        assert found is not None
        return found.frame_rect

    async def framed_at(x: int, y: int) -> None:
        """The frame's outer edge around the window there, as far as it is on the screen."""
        desktop.xdo("windowmove", str(window.xid), str(x), str(y))
        await asyncio.to_thread(wait_until, lambda: (place().x, place().y) == (x, y), f"the window at {x}, {y}")
        now = place()
        outer = Rect(now.x - 4, now.y - 4, now.width + 8, now.height + 8).intersect(screen)
        ring = ScreenPoint(max(x, 0), max(y, 0))  # at the corner of the screen a part of it is beyond
        frame.show(TargetDrawing(rect=Rect(0, 0, 1, 1), window_id=window.xid, ring=ring, ring_colour=RING))
        await asyncio.to_thread(wait_until, lambda: framed(desktop.grab(), outer), f"the frame at {x}, {y}")
        await until_drawn(desktop, {FRAME_COLOUR, RING})

    try:
        right, bottom = width - place().width, height - place().height
        for x in (-60, 0, 100, right, right + 60):
            for y in (-60, 0, 100, bottom, bottom + 60):
                await framed_at(x, y)
        desktop.xdo("windowsize", str(window.xid), str(width), str(height))
        await asyncio.to_thread(wait_until, lambda: place().width >= width, "the window to fill the screen")
        frame.show(TargetDrawing(rect=Rect(0, 0, 1, 1), window_id=window.xid))
        await asyncio.to_thread(wait_until, lambda: framed(desktop.grab(), place().intersect(screen)), "its frame")
    finally:
        frame.close()
        frame.join(5)
        display.close()
    assert not [each for each in caplog.records if "no longer shown" in each.message]
