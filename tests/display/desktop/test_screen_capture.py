"""What is captured: exact pixels, our own windows left out, covered windows whole."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mss
import pytest
import Xlib.protocol.display
import Xlib.protocol.event
from PIL import Image

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import check_display
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.geometry import Rect
from tests.display.desktop.painted import Painted, colours, pixel_at
from tests.display.rig import Desktop, launch_galculator, launch_mousepad, start_xvfb, wait_until

SCREEN = Rect(0, 0, 1280, 800)
RED, GREEN, BLUE, PINK = (220, 10, 20), (10, 200, 30), (30, 40, 230), (255, 0, 200)


@pytest.fixture
def own() -> OwnWindows:
    return OwnWindows()


@pytest.fixture
def capture(desktop: Desktop, own: OwnWindows) -> Iterator[Capture]:
    display = Display(desktop.name)
    capture = Capture(display, own)
    yield capture
    capture.close()
    display.close()


def layer_of(capture: Capture, xid: int) -> int:
    window = windows.describe(capture.display, xid)
    assert window is not None
    return window.frame_id


def test_the_screen_is_captured_pixel_by_pixel(desktop: Desktop, capture: Capture) -> None:
    with (
        Painted(desktop, (37, 51, 3, 2), RED, override=True),
        Painted(desktop, (1279, 799, 1, 1), GREEN, override=True),
    ):
        grab = capture.screen(SCREEN)
        part = capture.screen(Rect(36, 50, 5, 4))
    assert len(grab.pixels) == SCREEN.width * SCREEN.height * 4
    assert [pixel_at(grab.pixels, 1280, x, 51) for x in (36, 37, 39, 40)] == [(0, 0, 0), RED, RED, (0, 0, 0)]
    assert pixel_at(grab.pixels, 1280, 1279, 799) == GREEN
    assert [pixel_at(part.pixels, 5, 1, y) for y in range(4)] == [(0, 0, 0), RED, RED, (0, 0, 0)]
    assert grab.covered == ""


def test_a_picture_stays_as_it_was_taken(desktop: Desktop, capture: Capture) -> None:
    with Painted(desktop, (100, 100, 300, 200), RED, override=True) as window:
        first = capture.screen(SCREEN)
        window.recolour(GREEN)
        later = [capture.screen(SCREEN) for _ in range(4)]
    row = memoryview(first.pixels)[150 * 1280 * 4 : 151 * 1280 * 4]
    capture.grabber.close()  # what is lent outlives it
    del first
    assert pixel_at(row, 1280, 150, 0) == RED
    assert {pixel_at(each.pixels, 1280, 150, 150) for each in later} == {GREEN}


def test_pictures_that_nobody_looks_at_are_written_again(desktop: Desktop, capture: Capture) -> None:
    def segments() -> int:
        return sum("SYSV" in line for line in Path("/proc/self/maps").read_text().splitlines())

    kept = [capture.screen(SCREEN) for _ in range(3)]
    most = segments()
    kept.clear()
    for _ in range(20):
        capture.screen(SCREEN)
    assert segments() <= most
    kept = [capture.screen(SCREEN) for _ in range(5)]
    assert len({bytes(grab.pixels[:64]) for grab in kept}) == 1
    before = segments()
    kept.clear()
    capture.grabber.close()
    assert segments() <= before - 5


def test_the_screen_agrees_with_an_independent_screenshot(desktop: Desktop, capture: Capture) -> None:
    app = launch_galculator(desktop)
    path = app.home / "screen.png"

    def agrees() -> bool:
        grab = capture.screen(SCREEN)
        ours = Image.frombuffer("RGB", (1280, 800), bytes(grab.pixels), "raw", "BGRX", 0, 1)
        return ours.tobytes() == Image.open(desktop.screenshot(path)).convert("RGB").tobytes()

    wait_until(agrees, "the two pictures to agree")


def test_our_windows_are_left_out_and_what_is_beneath_is_shown(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (100, 100, 300, 200), BLUE, title="beneath"),
        Painted(desktop, (150, 120, 400, 300), RED, title="ours") as ours,
        Painted(desktop, (200, 160, 50, 40), PINK, override=True) as menu,
    ):
        assert PINK in colours(capture.screen(SCREEN).pixels)
        own.add(window_ids=[ours.xid, menu.xid])
        grab = capture.screen(SCREEN)
    assert grab.covered == ""
    assert not {RED, PINK} & colours(grab.pixels)
    assert pixel_at(grab.pixels, 1280, 210, 170) == BLUE
    assert pixel_at(grab.pixels, 1280, 399, 299) == BLUE
    assert pixel_at(grab.pixels, 1280, 500, 400) == (0, 0, 0)


def test_ours_are_known_by_their_process_dialogs_and_menus_too(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    own.add(pids=[os.getpid()])
    with Painted(desktop, (10, 30, 200, 100), RED), Painted(desktop, (300, 30, 80, 90), PINK, override=True):
        assert colours(capture.screen(SCREEN).pixels) == {(0, 0, 0)}


def test_a_foreign_window_above_ours_stays_in_the_picture(desktop: Desktop, capture: Capture, own: OwnWindows) -> None:
    with (
        Painted(desktop, (100, 100, 300, 200), RED, title="ours") as ours,
        Painted(desktop, (150, 150, 60, 40), GREEN, override=True),
    ):
        own.add(window_ids=[ours.xid])
        grab = capture.screen(SCREEN)
    assert pixel_at(grab.pixels, 1280, 160, 160) == GREEN
    assert RED not in colours(grab.pixels)


def test_several_windows_beneath_are_composed_in_stacking_order(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    with (
        Painted(desktop, (100, 100, 200, 200), BLUE, override=True),
        Painted(desktop, (200, 100, 200, 200), GREEN, override=True),
        Painted(desktop, (50, 50, 600, 400), RED, override=True) as ours,
    ):
        own.add(window_ids=[ours.xid])
        grab = capture.screen(SCREEN)
        seen = [pixel_at(grab.pixels, 1280, x, 150) for x in (60, 150, 250, 399, 400)]
    assert seen == [(0, 0, 0), BLUE, GREEN, GREEN, (0, 0, 0)]


def test_the_wallpaper_shows_where_nothing_lies_beneath(desktop: Desktop, capture: Capture, own: OwnWindows) -> None:
    import subprocess

    try:
        subprocess.run(["xsetroot", "-solid", "#336699"], env=desktop.env, check=True)
        with Painted(desktop, (100, 100, 200, 200), RED, override=True) as ours:
            own.add(window_ids=[ours.xid])
            assert colours(capture.screen(SCREEN).pixels) == {(0x33, 0x66, 0x99)}
    finally:
        subprocess.run(["xsetroot", "-solid", "black"], env=desktop.env, check=True)


def test_a_real_application_beneath_ours_is_shown_as_it_is(desktop: Desktop, capture: Capture, own: OwnWindows) -> None:
    app = launch_galculator(desktop)
    desktop.move_window(app.window.xid, 200, 150)
    desktop.xdo("mousemove", "1200", "700")
    with Painted(desktop, (150, 100, 600, 500), RED, title="ours") as ours:
        own.add(window_ids=[ours.xid])
        beneath = capture.screen(SCREEN)  # the first look: the application had nothing of it painted yet
        ours.unmap()

        def unveiled() -> bool:
            # The title bar is drawn otherwise when the window gets the focus: the client area is compared.
            place = app.now()
            rect = Rect(place.x, place.y, place.width, place.height)
            direct = capture.screen(rect).pixels
            rows = [
                bytes(beneath.pixels[(y * 1280 + rect.x) * 4 : (y * 1280 + rect.right) * 4])
                for y in range(rect.y, rect.bottom)
            ]
            return b"".join(rows) == bytes(direct)

        wait_until(unveiled, "what was seen beneath to be what is there")


def test_ours_moving_about_is_never_seen(desktop: Desktop, capture: Capture, own: OwnWindows) -> None:
    with (
        Painted(desktop, (100, 100, 400, 300), BLUE, override=True),
        Painted(desktop, (120, 110, 200, 150), RED, override=True) as ours,
    ):
        own.add(window_ids=[ours.xid])
        for step in range(60):
            ours.window.configure(x=120 + 7 * step, y=110 + 3 * step)
            ours._display.flush()  # not synchronised: the move races with the capture
            assert RED not in colours(capture.screen(SCREEN).pixels)


def test_a_covered_window_looks_as_it_does_uncovered(desktop: Desktop, capture: Capture) -> None:
    app = launch_galculator(desktop)
    desktop.move_window(app.window.xid, 200, 150)
    desktop.xdo("mousemove", "1200", "700")
    layer = layer_of(capture, app.window.xid)
    place = app.now()
    rect = Rect(place.x, place.y, place.width, place.height)
    with Painted(desktop, (180, 100, 600, 500), RED, title="cover"):
        covered = capture.windows(rect, [layer])
        assert covered is not None
        assert covered.covered == ""
        assert RED not in colours(covered.pixels)
        assert RED in colours(capture.screen(rect).pixels)
    wait_until(lambda: capture.screen(rect).pixels == covered.pixels, "the covered picture to be the window's own")


def test_a_window_with_its_menu_is_one_picture_and_others_are_not_in_it(desktop: Desktop, capture: Capture) -> None:
    with (
        Painted(desktop, (100, 100, 200, 100), BLUE, override=True) as window,
        Painted(desktop, (250, 150, 100, 100), GREEN, override=True) as menu,
        Painted(desktop, (90, 90, 400, 400), RED, override=True),
    ):
        grab = capture.windows(Rect(100, 100, 250, 150), [window.xid, menu.xid])
    assert grab is not None
    assert pixel_at(grab.pixels, 250, 0, 0) == BLUE
    assert pixel_at(grab.pixels, 250, 199, 99) == GREEN  # the menu lies above
    assert pixel_at(grab.pixels, 250, 240, 10) == (0, 0, 0)
    assert RED not in colours(grab.pixels)


def test_a_window_that_grew_is_captured_whole(desktop: Desktop, capture: Capture) -> None:
    with Painted(desktop, (100, 100, 100, 80), GREEN, override=True) as window:
        assert capture.windows(Rect(100, 100, 100, 80), [window.xid]) is not None
        window.resize(300, 260)
        grab = capture.windows(Rect(100, 100, 300, 260), [window.xid])
    assert grab is not None
    assert colours(grab.pixels) == {GREEN}


def test_a_window_reaching_over_the_edge_of_the_screen_is_captured_whole(desktop: Desktop, capture: Capture) -> None:
    with Painted(desktop, (-60, -40, 200, 160), GREEN, override=True) as window:
        grab = capture.windows(Rect(-60, -40, 200, 160), [window.xid])
        assert grab is not None
        assert colours(grab.pixels) == {GREEN}


def test_a_window_that_is_gone_has_no_picture(desktop: Desktop, capture: Capture) -> None:
    with Painted(desktop, (100, 100, 100, 80), GREEN, override=True) as window:
        xid = window.xid
    assert capture.windows(Rect(100, 100, 100, 80), [xid]) is None


def test_a_second_capture_sees_what_the_first_has_the_server_keep(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    app = launch_mousepad(desktop)
    desktop.move_window(app.window.xid, 200, 150)
    with Painted(desktop, (180, 120, 800, 600), RED) as ours:
        own.add(window_ids=[ours.xid])
        first = capture.screen(SCREEN)
        display = Display(desktop.name)
        second = Capture(display, own)
        try:
            again = second.screen(SCREEN)
        finally:
            second.close()
            display.close()
    assert first.covered == again.covered == ""
    assert RED not in colours(again.pixels)
    assert len(colours(again.pixels)) > 20


def test_a_window_made_outside_the_screen_disturbs_no_capture(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    own.add(pids=[os.getpid()])
    layers = capture.window_layers
    before, version = layers.own_layers(), layers.version
    with Painted(desktop, (-300, 10, 300, 200), RED, override=True) as outside:  # as another capture reads the root's
        assert layers.own_layers() == before
        assert layers.version == version
        outside.window.configure(x=100)
        outside._display.sync()
        assert [layer.layer_id for layer in layers.own_layers()] == [outside.xid]
        assert colours(capture.screen(SCREEN).pixels) == {(0, 0, 0)}
    wait_until(lambda: layers.own_layers() == (), "it to be gone")


def test_what_a_hanging_application_has_not_painted_is_grey_and_said(
    desktop: Desktop, capture: Capture, own: OwnWindows
) -> None:
    app = launch_galculator(desktop)
    place = desktop.move_window(app.window.xid, 200, 150)
    inside = Rect(place.x, place.y, place.width, place.height)
    with Painted(desktop, (180, 120, 600, 500), RED, title="ours") as ours:
        own.add(window_ids=[ours.xid])
        with desktop.frozen(app.pid):
            grab = capture.screen(SCREEN)
            assert RED not in colours(grab.pixels)
            assert "console's own windows" in grab.covered
            assert pixel_at(grab.pixels, 1280, *inside.centre) == (128, 128, 128)
            window = capture.windows(inside, [layer_of(capture, app.window.xid)])
            assert window is not None
            assert RED not in colours(window.pixels)
            assert window.covered
        wait_until(lambda: capture.screen(SCREEN).covered == "", "it to be painted at last")
        assert len(colours(capture.screen(inside).pixels)) > 20
        assert RED not in colours(capture.screen(SCREEN).pixels)


@contextmanager
def opened(name: str, own: OwnWindows) -> Iterator[Capture]:
    display = Display(name)
    capture = Capture(display, own)
    try:
        yield capture
    finally:
        capture.close()
        display.close()


@pytest.fixture(params=["server without MIT-SHM", "server in another container"])
def unshared(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
    """A desktop whose server can share no memory with us, as over a network."""
    # The rig's python-xlib has one table of event numbers for all servers, and this one numbers them differently.
    monkeypatch.setattr(Xlib.protocol.display.Display, "event_classes", Xlib.protocol.event.event_class.copy())
    if request.param == "server without MIT-SHM":
        server = start_xvfb(tmp_path, options=["-extension", "MIT-SHM"])
    else:
        apart = ["unshare", "--ipc"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--ipc"]
        if subprocess.run([*apart, "true"], capture_output=True).returncode != 0:
            pytest.skip("this system lets nobody make namespaces")
        server = start_xvfb(tmp_path, within=apart)
    desktop = Desktop.start(server, tmp_path)
    yield desktop
    desktop.close()
    server.stop()


@contextmanager
def capture_of(desktop: Desktop, own: OwnWindows) -> Iterator[Capture]:
    display = Display(desktop.name)
    capture = Capture(display, own)
    yield capture
    capture.close()
    display.close()


def test_doctor_says_that_no_memory_is_shared(unshared: Desktop) -> None:
    check = check_display({"DISPLAY": unshared.name})
    assert check.ok
    assert "shares no memory" in check.detail


def test_without_shared_memory_mss_grabs_the_screen_and_windows_are_seen_whole(
    unshared: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[mss.MSS] = []

    class Counted(mss.MSS):
        def __init__(self, **how: Any) -> None:
            super().__init__(**how)
            made.append(self)

    monkeypatch.setattr(mss, "MSS", Counted)
    with (
        Painted(unshared, (100, 100, 300, 200), BLUE, title="target") as target,
        Painted(unshared, (250, 150, 120, 90), RED, title="over it"),
        Painted(unshared, (30, 40, 250, 150), GREEN, title="ours") as ours,
        capture_of(unshared, OwnWindows(window_ids=[ours.xid])) as capture,
    ):
        screens = [capture.screen(SCREEN) for _ in range(3)]
        window = capture.windows(Rect(100, 100, 300, 200), [layer_of(capture, target.xid)])
        with pytest.raises(ComputerUnavailable, match="changed its size"):
            capture.screen(Rect(1000, 0, 1280, 800))
    assert len(made) == 1, "one object for all grabs"
    assert colours(screens[-1].pixels) >= {BLUE, RED}
    assert GREEN not in colours(screens[-1].pixels)
    assert window is not None
    assert colours(window.pixels) == {BLUE}


def test_without_shared_memory_the_pixels_are_those_of_shared_memory(unshared: Desktop) -> None:
    app = launch_galculator(unshared)
    unshared.move_window(app.window.xid, 600, 300)
    # Its memory is passed as a descriptor, which works in another container too.
    with capture_of(unshared, OwnWindows()) as capture, mss.MSS(display=unshared.name) as shared:
        whole = {"left": 0, "top": 0, "width": SCREEN.width, "height": SCREEN.height}
        wait_until(  # its caret blinks
            lambda: bytes(capture.screen(SCREEN).pixels) == bytes(shared.grab(whole).raw), "both grabs to be equal"
        )
        assert len(colours(capture.screen(SCREEN).pixels)) > 20
