"""Monitors and windows as computers: following, telling apart why not, focus and clicks past our own windows."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from PIL import Image

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.picture_changes import changed_box
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable, RejectedReason, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, KeyboardFocus
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.engine.ports import Computer
from tests.display.desktop.painted import Painted, colours
from tests.display.rig import Desktop, launch_galculator, launch_mousepad, launch_xterm, wait_until
from tests.display.rig.lacking import lack

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
        return computers[-1]

    yield open_
    for computer in computers:
        await computer.close()


async def test_a_window_is_followed_where_it_goes(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (100, 120, 300, 200), BLUE, title="target") as window:
        computer = await opened("window:target")
        frame = await computer.observe(NEEDS)
        assert (frame.geometry.origin, frame.geometry.native) == (ScreenPoint(100, 120), Size(300, 200))
        window.move(500, 400)
        frame = await computer.observe(NEEDS)
        assert (frame.geometry.origin, frame.geometry.native) == (ScreenPoint(500, 400), Size(300, 200))
        window.resize(350, 260)
        frame = await computer.observe(NEEDS)
        assert frame.geometry.native == Size(350, 260)
        assert frame.title == "target"


async def test_a_window_half_off_the_screen_has_a_negative_origin(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (300, 200, 300, 200), BLUE, title="target") as window:
        computer = await opened("window:target")
        window.move(-120, 300)
        frame = await computer.observe(NEEDS)
        assert frame.geometry.origin == ScreenPoint(-120, 300)
        assert colours(frame.pixels) == {BLUE}
        with pytest.raises(ComputerRejected) as caught:
            await computer.prepare_input(NativePoint(10, 10), needs_focus=False)
        assert caught.value.reason is RejectedReason.OUT_OF_RANGE
        await computer.prepare_input(NativePoint(120, 0), needs_focus=False)


async def test_why_a_window_cannot_be_seen_is_told_apart(desktop: Desktop, opened: Open) -> None:
    app = launch_galculator(desktop)
    computer = await opened(f"window:{app.window.xid:#x}")

    told: list[str] = []

    async def reason() -> UnavailableReason | None:
        try:
            await computer.observe(NEEDS)
        except ComputerUnavailable as error:
            told.append(str(error))
            return error.reason
        return None

    async def comes(expected: UnavailableReason | None) -> None:
        # The window manager unmaps first and says why a moment later.
        async with asyncio.timeout(30):
            while True:
                if await reason() is expected:
                    return

    await comes(None)
    desktop.xdo("windowminimize", str(app.window.xid))
    wait_until(lambda: not desktop.viewable(app.window.xid), "it to be minimised")
    await comes(UnavailableReason.MINIMISED)
    desktop.activate(app.window.xid)
    wait_until(lambda: desktop.viewable(app.window.xid), "it to be back")
    await comes(None)
    desktop.xdo("windowunmap", str(app.window.xid))
    wait_until(lambda: not desktop.viewable(app.window.xid), "it to be hidden")
    await comes(UnavailableReason.HIDDEN)
    app.stop()
    wait_until(lambda: not desktop.windows(), "it to be gone")
    await comes(UnavailableReason.GONE)
    assert all("galculator" in words and ("Restore" in words or "again" in words) for words in told), told


async def test_a_covered_window_is_seen_whole_but_not_clicked_there(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (100, 120, 300, 200), BLUE, title="target"):
        computer = await opened("window:target")
        launch_xterm(desktop, title="Somebody else", geometry="20x8+250+200")
        frame = await computer.observe(NEEDS)
        assert colours(frame.pixels) == {BLUE}
        with pytest.raises(ComputerRejected, match="Somebody else") as caught:
            await computer.prepare_input(NativePoint(180, 120), needs_focus=False)
        assert caught.value.reason is RejectedReason.COVERED
        await computer.prepare_input(NativePoint(10, 10), needs_focus=False)


async def test_a_menu_widens_the_picture_and_is_the_targets(desktop: Desktop, opened: Open) -> None:
    app = launch_galculator(desktop)
    place = desktop.move_window(app.window.xid, 300, 200)
    computer = await opened("window:galculator")
    plain = await computer.observe(NEEDS)
    assert plain.geometry.native == Size(place.width, place.height)
    desktop.xdo("mousemove", str(place.x + 104), str(place.y + 12), "click", "1")
    frame = plain
    while frame.geometry.native == plain.geometry.native and not _menu_shown(plain, frame):
        frame = await computer.observe(NEEDS)
    assert frame.focus_in_target
    await computer.prepare_input(NativePoint(130, 60), needs_focus=False)
    desktop.xdo("key", "Escape")


async def test_our_window_on_the_monitor_is_neither_seen_nor_hit(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (100, 120, 400, 300), BLUE, title="target") as target,
        Painted(desktop, (150, 150, 200, 200), RED, title="console") as console,
        Painted(desktop, (160, 160, 60, 60), GREEN, override=True) as menu,
    ):
        own.add(window_ids=[console.xid, menu.xid])
        computer = await opened("monitor:1")
        frame = await computer.observe(NEEDS)
        assert not {RED, GREEN} & colours(frame.pixels)
        await computer.prepare_input(NativePoint(170, 170), needs_focus=False)
        desktop.xdo("mousemove", "170", "170", "click", "1")
        await computer.after_input()
        wait_until(lambda: target.presses() == [(70, 50)], "the click to reach the target")
        assert console.presses() == menu.presses() == []
        console.raise_()
        desktop.xdo("mousemove", "300", "300", "click", "1")
        wait_until(lambda: console.presses() == [(150, 150)], "our window to take clicks again")


@pytest.mark.parametrize("lacks", [("click_through",), ("click_through", "window_owners")])
async def test_where_ours_cannot_be_clicked_through_input_beneath_them_is_refused_with_what_to_do(
    desktop: Desktop, opened: Open, own: OwnWindows, monkeypatch: pytest.MonkeyPatch, lacks: tuple[str, ...]
) -> None:
    lack(monkeypatch, *lacks)
    with (
        Painted(desktop, (100, 120, 400, 300), BLUE, title="target"),
        Painted(desktop, (150, 150, 200, 200), RED, title="console") as console,
    ):
        own.add(window_ids=[console.xid])
        computer = await opened("monitor:1")
        frame = await computer.observe(NEEDS)
        assert RED not in colours(frame.pixels), "it is left out of the picture all the same"
        with pytest.raises(ComputerRejected, match="Move the console") as caught:
            await computer.prepare_input(NativePoint(170, 170), needs_focus=False)
        assert caught.value.reason is RejectedReason.OWN_WINDOW
        await computer.prepare_input(NativePoint(120, 140), needs_focus=False)
        await computer.after_input()


async def test_where_windows_are_not_known_no_frame_names_any_and_keys_are_taken_to_reach_the_target(
    desktop: Desktop, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    lack(monkeypatch, "window_owners")
    with Painted(desktop, (100, 120, 400, 300), BLUE, title="target"):
        computer = await opened("monitor:1")
        frame = await computer.observe(NEEDS)
        assert (frame.stack, frame.focus, frame.focus_in_target) == (None, None, True)
        assert await computer.receiver(NativePoint(120, 140)) is None
        assert await computer.receiver(None) is None
        assert await computer.keyboard_focus() is KeyboardFocus.TARGET
        await computer.prepare_input(None, needs_focus=True)
        await computer.prepare_input(NativePoint(120, 140), needs_focus=True)


async def test_ours_take_input_again_when_the_preparation_fails_or_all_ends(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (100, 120, 300, 200), BLUE, title="target"),
        Painted(desktop, (150, 150, 100, 100), GREEN, override=True, title="cover"),
        Painted(desktop, (140, 140, 120, 120), RED, override=True) as console,
    ):
        own.add(window_ids=[console.xid])
        # One process draws them all, so the cover would pass for a popup of the target: another monitor's turn.
        computer = await opened("monitor:1")
        await computer.observe(NEEDS)
        await computer.prepare_input(NativePoint(200, 200), needs_focus=False)
        await computer.close()
        desktop.xdo("mousemove", "200", "200", "click", "1")
        wait_until(lambda: console.presses() == [(60, 60)], "our window to take clicks again")


async def test_after_a_click_on_ours_the_focus_goes_back_to_where_the_model_saw_it(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    app = launch_mousepad(desktop)
    computer = await opened("monitor:1")
    with Painted(desktop, (900, 500, 200, 150), RED, title="console") as console:
        own.add(window_ids=[console.xid])
        desktop.activate(app.window.xid)
        frame = await computer.observe(NEEDS)
        assert frame.focus is not None
        assert frame.focus.window_id == app.window.xid
        assert frame.focus.pid == app.pid
        assert frame.focus_in_target
        desktop.activate(console.xid)
        await computer.prepare_input(None, needs_focus=True)
        wait_until(lambda: desktop.active_window() == app.window.xid, "the focus to be known as given")
        desktop.activate(console.xid)
        again = await computer.observe(NEEDS)  # looked at while ours has it: the agent's focus is kept in mind
        assert again.focus is not None
        assert (again.focus.window_id, again.focus.own) == (app.window.xid, False)
        await computer.prepare_input(None, needs_focus=True)
        wait_until(lambda: desktop.active_window() == app.window.xid, "the focus to be known as given")
        await computer.after_input()


async def test_where_ours_had_the_focus_from_the_start_keys_go_to_the_uppermost_window(
    desktop: Desktop, opened: Open, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (900, 500, 200, 150), RED, title="console") as console,
        Painted(desktop, (100, 100, 200, 150), BLUE, title="below") as below,
        Painted(desktop, (400, 100, 200, 150), GREEN, title="above") as above,
    ):
        own.add(window_ids=[console.xid])
        desktop.activate(below.xid)
        desktop.activate(above.xid)
        desktop.activate(console.xid)
        computer = await opened("monitor:1")
        frame = await computer.observe(NEEDS)
        assert frame.focus is not None
        assert (frame.focus.window_id, frame.focus.own, frame.focus_in_target) == (above.xid, False, True)
        receiver = await computer.receiver(None)
        assert receiver is not None
        assert receiver.window_id == above.xid
        assert desktop.active_window() == console.xid  # looking takes it from nobody
        await computer.prepare_input(None, needs_focus=True)
        wait_until(lambda: desktop.active_window() == above.xid, "the focus to be known as given")
        await computer.after_input()


async def test_keys_with_nobody_to_take_them_are_refused(desktop: Desktop, opened: Open, own: OwnWindows) -> None:
    own.add(pids=[os.getpid()])
    computer = await opened("monitor:1")
    with Painted(desktop, (300, 200, 200, 150), RED, title="console") as console:
        desktop.activate(console.xid)
        frame = await computer.observe(NEEDS)
        assert not frame.focus_in_target
        with pytest.raises(ComputerRejected, match="console's own window") as caught:
            await computer.prepare_input(None, needs_focus=True)
        assert caught.value.reason is RejectedReason.NO_FOCUS


async def test_a_window_target_is_given_the_focus_or_the_holder_is_named(desktop: Desktop, opened: Open) -> None:
    app = launch_galculator(desktop)
    computer = await opened("window:galculator")
    other = launch_xterm(desktop, title="The other one")
    frame = await computer.observe(NEEDS)
    assert not frame.focus_in_target
    assert frame.focus is not None
    assert frame.focus.title == "The other one"
    await computer.prepare_input(None, needs_focus=True)
    wait_until(lambda: desktop.active_window() == app.window.xid, "the focus to be known as given")
    other.stop()


async def test_a_target_that_cannot_take_the_focus_is_refused(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (100, 120, 300, 200), BLUE, title="target") as target:
        target.take_no_keys()
        computer = await opened("window:target")
        holder = launch_xterm(desktop, title="The holder", active=False)
        desktop.activate(holder.window.xid)
        await computer.observe(NEEDS)
        with pytest.raises(ComputerRejected, match="The holder") as caught:
            await computer.prepare_input(None, needs_focus=True)
        assert caught.value.reason is RejectedReason.NO_FOCUS


async def test_a_lost_display_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    from tests.display.rig import start_xvfb

    server = start_xvfb(tmp_path_factory.mktemp("lost"))
    try:
        computer = await open_computer("monitor:1", OwnWindows(), server.name)
        await computer.observe(NEEDS)
    finally:
        server.stop()
    with pytest.raises(ComputerUnavailable) as caught:
        await computer.observe(NEEDS)
    assert caught.value.reason is UnavailableReason.NO_DISPLAY
    await computer.close()


async def test_a_black_window_is_told_from_a_dark_one(desktop: Desktop, opened: Open) -> None:
    with Painted(desktop, (100, 120, 300, 200), (0, 0, 0), title="target") as window:
        computer = await opened("window:target")
        with pytest.raises(ComputerUnavailable) as caught:
            await computer.observe(NEEDS)
        assert caught.value.reason is UnavailableReason.BLANK
        window.recolour((40, 40, 40))
        frame = await computer.observe(NEEDS)
        assert "one colour" in frame.covered
        window.recolour(RED, (0, 0, 5, 5))
        frame = await computer.observe(NEEDS)
        assert frame.covered == ""


async def test_a_picture_of_a_real_desktop_is_small(desktop: Desktop, opened: Open) -> None:
    launch_mousepad(desktop)
    terminal = launch_xterm(desktop, "sh", "-c", "ls -la --color=always /usr/bin | tail -40; cat")
    place = terminal.now()
    inside = (place.x, place.y, place.x + place.width, place.y + place.height)
    ground = place.width * place.height
    wait_until(lambda: max(desktop.grab().crop(inside).histogram()[:256]) < 0.95 * ground, "the list in the terminal")
    desktop.move_window(launch_galculator(desktop).window.xid, 700, 300)
    computer = await opened("monitor:1")
    frame = await computer.observe(NEEDS)
    picture = await computer.picture(frame, NEEDS)
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    out = io.BytesIO()
    image.save(out, "PNG")
    assert len(picture.data) <= len(out.getvalue()) * 1.05
    assert picture.note == ""
    left = frame.crop(Rect(700, 320, 1, 1))
    assert image.getpixel((700, 320)) == (left[2], left[1], left[0])


def _menu_shown(before: Frame, now: Frame) -> bool:
    box = changed_box(before.pixels, now.pixels, now.geometry.native)
    return box is not None and box.height > 60
