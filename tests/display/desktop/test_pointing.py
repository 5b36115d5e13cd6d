"""Choosing a window by pointing, and the frame on the real desktop: no click is passed on, no picture shows them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from operator_console.computers.targets import resolve, snapshot
from operator_console.computers.window_pointing import point_at_window
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import FRAME_COLOUR, open_target_frame
from operator_console.desktop.values import TargetDrawing
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
    assert len(window.buttons()) == 2, "the pointer is free again"

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
        assert len(window.buttons()) == 4, "clicks on the ring reach the window"
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
