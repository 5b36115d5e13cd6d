"""Windows, monitors, focus, belonging, and letting input through, on a real server with a real window manager."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import check_display, open_display
from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.click_through import ClickThrough
from operator_console.desktop.x11.desktop import X11Desktop
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.desktop.x11.monitors import monitors
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.frames import WindowTarget
from operator_console.domain.geometry import Rect, ScreenPoint
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, launch, launch_galculator, launch_mousepad, launch_xterm, wait_until
from tests.display.rig.inputs import KeyControl

RED, BLUE = (220, 10, 20), (30, 40, 230)


@pytest.fixture
def display(desktop: Desktop) -> Iterator[X11Desktop]:
    display = X11Desktop(desktop.name)
    yield display
    display.close()


def described(display: Display, xid: int) -> Window:
    window = windows.describe(display, xid)
    assert window is not None
    return window


def test_windows_are_listed_with_all_that_is_known(desktop: Desktop, display: Display) -> None:
    app = launch_xterm(desktop, title="plain title")
    place = desktop.move_window(app.window.xid, 60, 70)
    (found,) = windows.all_windows(display)
    assert found.title == "plain title"
    assert found.app == "XTerm"
    assert found.pid == app.pid
    assert found.window_id == app.window.xid
    assert found.rect == Rect(place.x, place.y, place.width, place.height)
    assert found.frame_rect.contains(found.rect.x, found.rect.y)
    assert found.frame_id != found.window_id
    assert found.state is WindowState.SHOWN


TITLES = ("cópia – 1", "Łódź", "Привіт", "日本語と한국어", "繁體 😀")


@pytest.mark.parametrize("title", [" ".join(TITLES), *(pytest.param(each, marks=pytest.mark.full) for each in TITLES)])
def test_a_title_of_xterm_is_read_in_every_script(desktop: Desktop, display: Display, title: str) -> None:
    """It sets WM_NAME alone, as COMPOUND_TEXT."""
    app = launch(desktop, ["xterm", "-u8", "-T", title, "-e", "cat"], wm_class="xterm")
    assert described(display, app.window.xid).title == title


def test_any_title_is_read_and_the_process_known_where_the_window_does_not_tell(
    desktop: Desktop, display: Display
) -> None:
    with Painted(desktop, (50, 50, 80, 60), RED, title="Zażółć 你好 €") as window:
        found = described(display, window.xid)
        assert found.pid == os.getpid()
        assert found.title == "Zażółć 你好 €"


def test_the_frame_and_whatever_is_in_it_lead_to_the_client(desktop: Desktop, display: Display) -> None:
    app = launch_xterm(desktop)
    whole = described(display, app.window.xid)
    inner = display.core.QueryTree(app.window.xid).reply().children[0]
    assert described(display, whole.frame_id).window_id == app.window.xid
    assert described(display, inner).window_id == app.window.xid


def test_states_are_told_apart_also_while_the_frame_goes(
    desktop: Desktop, display: Display, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = launch_xterm(desktop)
    assert described(display, app.window.xid).state is WindowState.SHOWN
    desktop.xdo("windowminimize", str(app.window.xid))
    wait_until(lambda: described(display, app.window.xid).state is WindowState.MINIMISED, "minimised")
    desktop.activate(app.window.xid)
    wait_until(lambda: described(display, app.window.xid).state is WindowState.SHOWN, "shown again")
    read = windows.read_window

    def let_go(display: Display, client: int, frame: int) -> Window | None:
        if frame != client:
            desktop.xdo("windowunmap", str(client))
            wait_until(lambda: windows.path_to_root(display, frame) is None, "without the frame")
        return read(display, client, frame)

    monkeypatch.setattr(windows, "read_window", let_go)
    assert described(display, app.window.xid).state is WindowState.HIDDEN
    app.stop()
    wait_until(lambda: windows.describe(display, app.window.xid) is None, "gone")


def test_the_window_at_a_point_is_the_one_a_click_would_reach(desktop: Desktop, display: Display) -> None:
    with (
        Painted(desktop, (100, 100, 200, 200), BLUE, title="lower") as lower,
        Painted(desktop, (150, 150, 50, 50), RED, override=True) as menu,
    ):
        hit = [windows.window_at(display, *point) for point in ((110, 110), (160, 160), (100, 99), (900, 700))]
        assert [each.window_id if each else None for each in hit] == [lower.xid, menu.xid, lower.xid, None]


def test_input_passes_through_ours_and_is_taken_again(desktop: Desktop, display: Display) -> None:
    own = OwnWindows()
    scene = WindowLayers(display, own)
    through = ClickThrough(display)
    with (
        Painted(desktop, (100, 100, 300, 200), BLUE, title="target") as target,
        Painted(desktop, (150, 150, 100, 100), RED, title="ours") as ours,
        Painted(desktop, (160, 160, 20, 20), RED, override=True) as menu,
    ):
        own.add(window_ids=[ours.xid, menu.xid])
        through.open(scene.own_layers(), ScreenPoint(165, 165))
        desktop.xdo("mousemove", "165", "165", "click", "1")
        wait_until(lambda: target.presses() == [(65, 65)], "the click to reach the target")
        through.restore()
        ours.raise_()
        menu.raise_()
        wait_until(lambda: (hit := windows.window_at(display, 165, 165)) and hit.window_id == menu.xid, "raised")
        desktop.xdo("click", "1")
        wait_until(lambda: menu.presses() == [(5, 5)], "the click to reach the menu")
        desktop.xdo("mousemove", "200", "200", "click", "1")
        wait_until(lambda: ours.presses() == [(50, 50)], "the click to reach our window")
        assert target.presses() == [(65, 65)]


def test_the_focus_is_known_and_given(desktop: Desktop, display: Display) -> None:
    one, two = launch_xterm(desktop, title="one"), launch_mousepad(desktop)
    now = windows.focused(display)
    assert now is not None
    assert now.window_id == two.window.xid
    assert windows.activate(display, described(display, one.window.xid))
    now = windows.focused(display)
    assert now is not None
    assert now.window_id == one.window.xid
    wait_until(lambda: desktop.active_window() == one.window.xid, "the window manager to agree")


def test_a_window_that_cannot_have_the_focus_is_given_up_in_time(desktop: Desktop, display: Display) -> None:
    app = launch_xterm(desktop)
    with Painted(desktop, (10, 10, 50, 50), RED, override=True) as menu:
        assert not windows.activate(display, described(display, menu.xid), timeout_s=0.2)
    now = windows.focused(display)
    assert now is not None
    assert now.window_id == app.window.xid


def test_dialogs_and_menus_belong_to_their_window_and_others_do_not(desktop: Desktop, display: Display) -> None:
    other = launch_xterm(desktop, title="other")
    with (
        Painted(desktop, (100, 100, 300, 200), BLUE, title="target") as target,
        Painted(desktop, (600, 420, 120, 80), BLUE, title="dialog", transient_for=target.xid) as dialog,
        Painted(desktop, (610, 430, 60, 60), RED, override=True, transient_for=dialog.xid) as deep,
        Painted(desktop, (120, 290, 60, 60), RED, override=True) as menu,
        Painted(desktop, (900, 600, 60, 60), RED, override=True) as far,
        Painted(desktop, (700, 100, 100, 100), BLUE, title="second window") as second,
    ):
        whose = described(display, target.xid)
        ref = WindowTarget(spec=f"window:{target.xid:#x}", title="target", window_id=target.xid)
        ours = [target, dialog, deep, menu]
        assert [window_family.belongs(display, described(display, each.xid), whose) for each in ours] == [True] * 4
        for stranger in (far.xid, second.xid, other.window.xid):
            assert not window_family.belongs(display, described(display, stranger), whose)
        members, others = window_family.family(display, whose, windows.shown(display))
        assert {each.window_id for each in members} == {each.xid for each in ours}
        assert [each.window_id for each in others] == [second.xid]
        members, others = window_family.family(
            display, whose, windows.shown(display), (second.xid, other.window.xid, 0x1)
        )
        assert {each.window_id for each in members} == {each.xid for each in (*ours, second)}
        assert others == []
        found = window_family.place_of(display, ref)
        assert found is not None
        place, relatives = found
        assert {each.window_id for each in relatives} == {each.xid for each in ours}
        frame = described(display, dialog.xid).frame_rect
        assert (place.x, place.y, place.right, place.bottom) == (100, 100, frame.right, frame.bottom)
        dialog.unmap()
        deep.unmap()
        menu.unmap()
        found = window_family.place_of(display, ref)
        assert found is not None
        assert found[0] == Rect(100, 100, 300, 200)


def test_a_real_menu_belongs_to_its_window(desktop: Desktop, display: Display) -> None:
    app = launch_galculator(desktop)
    place = desktop.move_window(app.window.xid, 300, 200)
    before = set(windows.shown(display))
    desktop.xdo("mousemove", str(place.x + 104), str(place.y + 12), "click", "1")
    wait_until(lambda: set(windows.shown(display)) - before, "the menu to open")
    ((layer, client),) = set(windows.shown(display)) - before
    menu = windows.read_window(display, client, layer)
    assert menu is not None
    assert window_family.belongs(display, menu, described(display, app.window.xid))
    desktop.xdo("key", "Escape")


def test_monitors_are_those_of_randr_in_its_order(desktop: Desktop, display: Display) -> None:
    env = desktop.env
    try:
        for name, geometry in (("left", "640/160x800/200+0+0"), ("right", "600/160x500/200+640+120")):
            subprocess.run(["xrandr", "--setmonitor", name, geometry, "none"], env=env, check=True)
        subprocess.run(["xrandr", "--setmonitor", "over", "300/80x300/80+1100+600", "none"], env=env, check=True)
        found = {each.name: each for each in monitors(display)}
        assert found["left"].rect == Rect(0, 0, 640, 800)
        assert found["right"].rect == Rect(640, 120, 600, 500)
        assert found["over"].rect == Rect(1100, 600, 180, 200)
        assert sorted(each.number for each in found.values()) == list(range(1, len(found) + 1))
    finally:
        for name in ("left", "right", "over"):
            subprocess.run(["xrandr", "--delmonitor", name], env=env, check=True)
    (whole,) = monitors(display)
    assert whole.rect == Rect(0, 0, 1280, 800)


def test_doctor_finds_the_display_in_order(desktop: Desktop, display: X11Desktop) -> None:
    check = check_display({"DISPLAY": desktop.name})
    assert check.ok
    assert check.detail == f"X11 {desktop.name}, 1 monitor."
    assert not display.is_xwayland()
    for controls, told in ((KeyControl.STICKY_KEYS, False), (KeyControl.SLOW_KEYS, True)):
        with desktop.with_key_controls(controls):
            assert ("slow" in check_display({"DISPLAY": desktop.name}).detail) == told


def test_a_display_that_is_not_there_is_said() -> None:
    with pytest.raises(ComputerUnavailable, match=":64123"):
        open_display(":64123")
