"""The picture of a VM's window is the machine's screen and nothing else, in every size of the window."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from operator_console.computers.targets import connect
from operator_console.computers.vm.capture import VmCapture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect
from tests.display.rig import AccessibleDesktop, Desktop, wait_until
from tests.display.rig.monitors import xrandr
from tests.display.rig.vnc_servers import ask_qmp
from tests.display.vm.viewers import (
    box_of,
    frame_of,
    launch_qemu,
    launch_remote_viewer,
    launch_tigervnc,
    looking,
    paint,
    resize,
    target_of,
)
from tests.display.vnc.machine import Machine

SIZES = [(430, 380), (650, 520), (1100, 760), (1200, 500), (620, 740)]
"""From half of the machine's size to more than it, and with borders on each side."""


Colours = npt.NDArray[np.uint8]
_POINTER = 32
_GRAPHICS_MODE, _TEXT_MODE = (640, 480), (720, 400)
"""QEMU's window begins with the first, and its BIOS writes in the second."""
_LIKE = 12.0
"""Mean difference of colours between two ways to scale a text."""


def colours_of(frame: Frame) -> Colours:
    size = frame.geometry.native
    return np.frombuffer(frame.pixels, dtype=np.uint8).reshape(size.height, size.width, 4)[:, :, 2::-1]


def near(found: Rect, seen: Rect) -> bool:
    edges = zip((found.x, found.y, found.right, found.bottom), (seen.x, seen.y, seen.right, seen.bottom), strict=True)
    return all(abs(one - other) <= 1 for one, other in edges)


def own_picture(folder: Path) -> Image.Image | None:
    """What QEMU itself says it shows; None until its BIOS has written something."""
    ask_qmp(folder, "screendump", filename=str(folder / "own.ppm"))
    shown = Image.open(folder / "own.ppm").convert("RGB")
    return shown if shown.size == _TEXT_MODE and shown.getbbox() is not None else None


def same_as_its_own(capture: VmCapture, folder: Path) -> Frame | None:
    """A frame that shows exactly QEMU's own picture."""
    own, seen = own_picture(folder), frame_of(capture)
    if own is None or own.size != (seen.geometry.native.width, seen.geometry.native.height):
        return None
    return seen if (np.asarray(own) == colours_of(seen)).all() else None


def like(seen: Frame, own: Image.Image | None) -> Frame | None:
    """The frame, if it shows that picture scaled."""
    if own is None:
        return None
    size = seen.geometry.native
    scaled = np.asarray(own.resize((size.width, size.height), Image.Resampling.BILINEAR)).astype(int)
    return seen if np.abs(scaled - colours_of(seen).astype(int)).mean() < _LIKE else None


def same_but_for_the_pointer(seen: Colours, machine: Machine) -> bool:
    """Whether it is what the machine's own server shows; the viewer draws the machine's pointer into it."""
    differs = (seen != np.asarray(machine.desktop.grab())).any(axis=2)
    x, y = machine.desktop.pointer()
    differs[y - _POINTER : y + _POINTER, x - _POINTER : x + _POINTER] = False
    return not differs.any()


def test_remote_viewer_shows_the_machine_to_the_pixel_and_scaled_within_one(
    telling: AccessibleDesktop, machine: Machine
) -> None:
    desktop = telling.desktop
    viewer = launch_remote_viewer(telling, machine)
    with looking(desktop, viewer) as capture:
        native = frame_of(capture)
        assert native.geometry.rect == box_of(desktop, viewer)
        assert same_but_for_the_pointer(colours_of(native), machine)
        for size in SIZES:
            resize(desktop, viewer, *size)
            assert near(frame_of(capture).geometry.rect, box_of(desktop, viewer)), size


def test_tigervncs_viewer_shows_the_machine_to_the_pixel_in_every_size(desktop: Desktop, machine: Machine) -> None:
    viewer = launch_tigervnc(desktop, machine)
    with looking(desktop, viewer) as capture:
        assert frame_of(capture).geometry.rect == box_of(desktop, viewer)
        assert same_but_for_the_pointer(colours_of(frame_of(capture)), machine)
        resize(desktop, viewer, 1000, 701)
        assert frame_of(capture).geometry.rect == box_of(desktop, viewer)


def test_a_machine_that_turns_black_keeps_its_place(telling: AccessibleDesktop, machine: Machine) -> None:
    desktop = telling.desktop
    viewer = launch_remote_viewer(telling, machine)
    resize(desktop, viewer, 1200, 500)
    with looking(desktop, viewer) as capture:
        place = frame_of(capture).geometry.rect
        paint(machine, (0, 0, 0))
        wait_until(lambda: box_of(desktop, viewer).empty, "the machine to be black")
        assert frame_of(capture).geometry.rect == place


def test_qemus_menu_is_not_in_the_picture_nor_its_borders(desktop: Desktop, tmp_path: Path) -> None:
    """Its window tells no accessibility bus here: it asks the window manager for the sizes of screen and menu."""
    viewer = launch_qemu(desktop, tmp_path)
    with looking(desktop, viewer) as capture:
        seen = wait_until(lambda: same_as_its_own(capture, tmp_path), "QEMU's window to show what it has")
        assert seen is not None
        window = viewer.now()
        assert (seen.geometry.origin.x, seen.geometry.rect.right) == (window.x, window.x + window.width)
        assert seen.geometry.rect.bottom == window.y + window.height


@pytest.mark.parametrize("scale", [0.75, *(pytest.param(each, marks=pytest.mark.full) for each in (0.5, 1.3))])
def test_qemus_screen_is_found_when_it_is_scaled(desktop: Desktop, tmp_path: Path, scale: float) -> None:
    viewer = launch_qemu(desktop, tmp_path, "gtk,zoom-to-fit=on")
    with looking(desktop, viewer) as capture:
        wait_until(lambda: own_picture(tmp_path), "QEMU's BIOS to show")
        menu = viewer.window.height - _GRAPHICS_MODE[1]
        wide, high = int(_TEXT_MODE[0] * scale), int(_TEXT_MODE[1] * scale)

        def resized() -> bool:  # asked again: its least size follows the machine's a moment later
            desktop.xdo("windowsize", str(viewer.window.xid), str(wide + 60), str(high + menu))
            return viewer.now().width == wide + 60

        wait_until(resized, "the window to be resized", interval_s=0.1)
        window = viewer.now()
        expected = Rect(window.x + 30, window.y + menu, wide, high)
        wait_until(lambda: near(frame_of(capture).geometry.rect, expected), "the screen to be found there")
        scaled = wait_until(lambda: like(frame_of(capture), own_picture(tmp_path)), "its own picture, scaled")
        assert scaled is not None
        assert near(scaled.geometry.rect, expected)


async def test_a_machine_that_changes_its_resolution_is_not_clicked_by_a_picture_of_before(
    telling: AccessibleDesktop, machine: Machine
) -> None:
    desktop = telling.desktop
    viewer = await asyncio.to_thread(launch_remote_viewer, telling, machine)
    desktop.xdo("mousemove", *map(str, viewer.now().centre), "key", "F11")
    full = viewer.desktop.server.size
    await asyncio.to_thread(wait_until, lambda: (viewer.now().width, viewer.now().height) == full, "full screen")
    await asyncio.to_thread(wait_until, lambda: box_of(desktop, viewer).height == full[1], "the machine to fill it")
    computer = await connect(target_of(desktop, viewer), OwnWindows())
    try:
        await computer.observe(ImageNeeds())
        await computer.prepare_input(NativePoint(5, 5), needs_focus=False)
        await asyncio.to_thread(xrandr, machine.desktop, "-s", "1280x720")
        await asyncio.to_thread(
            wait_until, lambda: box_of(desktop, viewer).width == full[0], "the viewer to show it as wide as it is now"
        )
        assert (viewer.now().width, viewer.now().height) == full
        with pytest.raises(ComputerRejected, match="another place or size"):
            await computer.prepare_input(NativePoint(5, 5), needs_focus=False)
        after = await computer.observe(ImageNeeds())
        assert near(after.geometry.rect, await asyncio.to_thread(box_of, desktop, viewer))
    finally:
        await computer.close()


def test_a_tool_bar_that_slides_over_the_machine_is_waited_for_and_told(
    telling: AccessibleDesktop, machine: Machine
) -> None:
    desktop = telling.desktop
    viewer = launch_remote_viewer(telling, machine)
    with looking(desktop, viewer) as capture:
        desktop.xdo("mousemove", *map(str, viewer.now().centre), "key", "F11")
        full = desktop.server.size
        wait_until(lambda: (viewer.now().width, viewer.now().height) == full, "full screen")
        with pytest.raises(ComputerUnavailable, match="A tool bar of the viewer lies over"):
            capture.preview(ImageNeeds())
        seen = frame_of(capture)
        assert near(seen.geometry.rect, box_of(desktop, viewer))
        assert (colours_of(seen)[1, :, 2] > colours_of(seen)[1, :, 0]).all(), "nothing of the bar is in the picture"


def test_sdls_window_is_all_machine_and_tells_that_it_holds_the_pointer(desktop: Desktop, tmp_path: Path) -> None:
    viewer = launch_qemu(desktop, tmp_path, "sdl")
    with looking(desktop, viewer) as capture:
        wait_until(lambda: same_as_its_own(capture, tmp_path), "QEMU's window to show what it has")
        window = viewer.now()
        assert frame_of(capture).geometry.rect == Rect(window.x, window.y, window.width, window.height)
        desktop.xdo("mousemove", *map(str, window.centre), "click", "1")
        wait_until(lambda: "Press" in viewer.now().title, "QEMU to hold the pointer")
        with pytest.raises(ComputerUnavailable, match="takes only steps"):
            frame_of(capture)
