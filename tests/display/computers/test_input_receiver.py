"""Who gets an input on a real desktop, what is refused before it, and how little of our own windows makes way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace

import pytest

from operator_console.computers.input_preparation import InputPreparation
from operator_console.computers.targets import open_capture, open_computer, resolve
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerRejected, RejectedReason
from operator_console.domain.frames import ImageNeeds, KeyboardFocus, WindowInfo
from operator_console.domain.geometry import NativePoint, Size
from operator_console.engine.ports import Computer
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, launch_mousepad, launch_xterm, wait_until
from tests.display.rig.monitors import monitors_of

NEEDS = ImageNeeds()
BLUE, RED, GREEN = (30, 40, 230), (220, 10, 20), (10, 200, 30)

Open = Callable[[str], Awaitable[Computer]]


@pytest.fixture
def own() -> OwnWindows:
    return OwnWindows()


@pytest.fixture
async def opened(desktop: Desktop, own: OwnWindows) -> AsyncIterator[Open]:
    computers: list[Computer] = []

    async def open_(spec: str) -> Computer:
        computers.append(await open_computer(spec, own, desktop.name))
        await computers[-1].observe(NEEDS)
        return computers[-1]

    yield open_
    for computer in computers:
        await computer.close()


@pytest.fixture
def two_monitors(desktop: Desktop) -> Iterator[None]:
    """The screen as two monitors side by side."""
    with monitors_of(desktop, {"L": (0, 0, 640, 800), "R": (640, 0, 640, 800)}):
        yield


def known(window: WindowInfo | None) -> WindowInfo:
    assert window is not None
    return window


async def test_a_press_reaches_the_window_at_its_point_and_keys_the_focus(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    shell = launch_xterm(desktop, title="shell", geometry="50x20+20+20")
    notes = launch_mousepad(desktop)
    desktop.move_window(notes.window.xid, 700, 300)
    desktop.activate(notes.window.xid)
    computer = await opened("monitor:1")
    at = known(await computer.receiver(NativePoint(120, 120)))
    assert (at.window_id, at.title, at.app, at.own) == (shell.window.xid, "shell", "XTerm", False)
    keys = known(await computer.receiver(None))
    assert (keys.window_id, keys.app) == (notes.window.xid, "Mousepad")
    assert await computer.receiver(NativePoint(1270, 5)) is None
    with Painted(desktop, (60, 60, 200, 150), RED, title="console") as console:
        own.add(window_ids=[console.xid])
        assert known(await computer.receiver(NativePoint(120, 120))).title == "shell"


async def test_where_the_keyboard_focus_is_is_told_without_moving_it(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    shell = launch_xterm(desktop, title="shell", geometry="50x20+20+20")
    window, monitor = await opened(f"window:{shell.window.xid:#x}"), await opened("monitor:1")

    async def focus() -> tuple[KeyboardFocus, KeyboardFocus]:
        return await window.keyboard_focus(), await monitor.keyboard_focus()

    assert await focus() == (KeyboardFocus.TARGET, KeyboardFocus.TARGET)
    with Painted(desktop, (600, 60, 200, 150), RED, title="other") as other:
        desktop.activate(other.xid)
        assert await focus() == (KeyboardFocus.ELSEWHERE, KeyboardFocus.TARGET)
        own.add(window_ids=[other.xid])
        assert await focus() == (KeyboardFocus.NOBODY, KeyboardFocus.NOBODY)
        assert desktop.active_window() == other.xid
    desktop.xdo("windowminimize", hex(shell.window.xid))
    wait_until(lambda: desktop.active_window() is None, "no window to be active")
    assert await monitor.keyboard_focus() is KeyboardFocus.NOBODY


@pytest.mark.parametrize("says_whose", [True, False])
async def test_a_menu_speaks_for_the_window_that_opened_it(desktop: Desktop, opened: Open, says_whose: bool) -> None:
    with Painted(desktop, (100, 120, 300, 200), BLUE, title="Passwords") as window:
        desktop.activate(window.xid)
        with Painted(
            desktop,
            (120, 140, 80, 300),
            GREEN,
            title="",
            override=True,
            transient_for=window.xid if says_whose else None,
        ) as menu:
            computer = await opened("monitor:1")
            found = known(await computer.receiver(NativePoint(140, 400)))
            assert menu.xid != found.window_id
            assert (found.window_id, found.title) == (window.xid, "Passwords")


async def test_a_window_target_is_judged_by_itself_whatever_covers_it(desktop: Desktop, opened: Open) -> None:
    with (
        Painted(desktop, (100, 120, 300, 200), BLUE, title="target") as target,
        Painted(desktop, (120, 140, 100, 60), GREEN, title="Really delete?", transient_for=target.xid) as dialog,
    ):
        computer = await opened("window:^target")
        launch_xterm(desktop, title="Somebody else", geometry="20x8+260+200")
        assert known(await computer.receiver(NativePoint(180, 120))).window_id == target.xid
        assert known(await computer.receiver(NativePoint(40, 40))).window_id == dialog.xid
        assert known(await computer.receiver(None)).window_id == target.xid


@pytest.mark.usefixtures("two_monitors")
async def test_keys_do_not_reach_another_monitor(desktop: Desktop, opened: Open) -> None:
    notes = launch_mousepad(desktop)
    desktop.move_window(notes.window.xid, 800, 200)
    desktop.activate(notes.window.xid)
    computer = await opened("monitor:1")
    assert await computer.receiver(None) is None
    with pytest.raises(ComputerRejected, match="Mousepad") as caught:
        await computer.prepare_input(None, needs_focus=True)
    assert caught.value.reason is RejectedReason.NO_FOCUS
    with pytest.raises(ComputerRejected) as caught:
        await computer.prepare_input(NativePoint(900, 300), needs_focus=False)
    assert caught.value.reason is RejectedReason.OUT_OF_RANGE
    other = await opened("monitor:2")
    assert known(await other.receiver(None)).window_id == notes.window.xid
    await other.prepare_input(None, needs_focus=True)


async def test_text_at_the_wallpaper_is_refused(desktop: Desktop, opened: Open) -> None:
    notes = launch_mousepad(desktop)
    desktop.move_window(notes.window.xid, 500, 300)
    computer = await opened("monitor:1")
    with pytest.raises(ComputerRejected) as caught:
        await computer.prepare_input(NativePoint(20, 20), needs_focus=True)
    assert caught.value.reason is RejectedReason.NO_FOCUS
    await computer.prepare_input(NativePoint(20, 20), needs_focus=False)


async def test_a_drag_that_ends_on_another_window_is_refused(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (100, 120, 300, 200), BLUE, title="target"):
        computer = await opened("window:^target")
        launch_xterm(desktop, title="Somebody else", geometry="20x8+250+200")
        with pytest.raises(ComputerRejected, match="Somebody else") as caught:
            await computer.prepare_input(NativePoint(10, 10), needs_focus=False, path=[NativePoint(180, 120)])
        assert caught.value.reason is RejectedReason.COVERED
        await computer.prepare_input(NativePoint(10, 10), needs_focus=False, path=[NativePoint(30, 30)])


async def test_ours_can_be_clicked_beside_the_point_all_the_while(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (100, 120, 400, 300), BLUE, title="target") as target,
        Painted(desktop, (150, 150, 200, 200), RED, override=True) as console,
    ):
        own.add(window_ids=[console.xid])
        computer = await opened("monitor:1")
        await computer.prepare_input(NativePoint(170, 170), needs_focus=False, path=[NativePoint(300, 300)])
        for x, y in ((170, 170), (180, 170), (300, 300)):
            desktop.xdo("mousemove", str(x), str(y), "click", "1")
        wait_until(lambda: target.presses() == [(70, 50), (200, 180)], "the drag's ends to be open")
        wait_until(lambda: console.presses() == [(30, 20)], "our window to take clicks beside them")
        await computer.after_input()
        desktop.xdo("mousemove", "170", "170", "click", "1")
        wait_until(lambda: console.presses() == [(30, 20), (20, 20)], "the gap to be closed")
        assert len(target.presses()) == 2


async def test_a_shape_that_a_window_had_is_given_back(desktop: Desktop, opened: Open, own: OwnWindows) -> None:
    with (
        Painted(desktop, (100, 120, 400, 300), BLUE, title="target") as target,
        Painted(desktop, (150, 150, 200, 200), RED, override=True) as console,
    ):
        own.add(window_ids=[console.xid])
        console.take_input_only_in((0, 0, 100, 200))
        computer = await opened("monitor:1")
        await computer.prepare_input(NativePoint(170, 170), needs_focus=False)
        await computer.after_input()
        desktop.xdo("mousemove", "300", "170", "click", "1", "mousemove", "170", "170", "click", "1")
        wait_until(lambda: target.presses() == [(200, 50)], "the part that lets input through to do so still")
        wait_until(lambda: console.presses() == [(20, 20)], "the other part to take it")


async def test_the_terminal_that_runs_us_is_not_reshaped_but_refused(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    terminal = launch_xterm(desktop, title="our terminal", geometry="60x20+100+100")
    own.add(window_ids=[terminal.window.xid])
    with Painted(desktop, (100, 500, 300, 200), BLUE, title="target"):
        computer = await opened("monitor:1")
        for at, path in (((200, 200), ()), ((150, 550), (NativePoint(200, 200),))):
            with pytest.raises(ComputerRejected) as caught:
                await computer.prepare_input(NativePoint(*at), needs_focus=False, path=path)
            assert caught.value.reason is RejectedReason.OWN_WINDOW
        await computer.prepare_input(NativePoint(150, 550), needs_focus=False)


@pytest.mark.parametrize("kind", ["monitor", "window"])
async def test_a_point_of_a_picture_with_two_input_units_a_pixel_is_sought_in_input_units(
    desktop: Desktop, own: OwnWindows, kind: str
) -> None:
    worker = Worker("input units")
    with Painted(desktop, (600, 400, 200, 100), GREEN) as window:
        spec = "monitor:1" if kind == "monitor" else f"window:0x{window.xid:x}"
        capture = open_capture(resolve(spec, own, desktop.name), own)
        try:
            frame = capture.preview(NEEDS)
            native = Size(frame.geometry.native.width // 2, frame.geometry.native.height // 2)
            geometry = replace(frame.geometry, native=native, sent=native, input_scale=2.0)
            at = NativePoint((700 - geometry.origin.x) // 2, (450 - geometry.origin.y) // 2)
            # Text at a point of a monitor needs a window there; there is none at the pixel's own numbers.
            typed = kind == "monitor"
            InputPreparation(capture, worker).prepare(replace(frame, geometry=geometry), [at], needs_focus=typed)
        finally:
            await worker.close(capture.close)
