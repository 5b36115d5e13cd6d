"""The rig is what other tests stand on: it is tested first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.display.rig import (
    Desktop,
    RigError,
    launch_chromium,
    launch_galculator,
    launch_mousepad,
    launch_xterm,
    wait_until,
)
from tests.display.rig.xkb_locks import CAPS, Locks, read_locks


def test_typing_into_xterm_reaches_its_command(desktop: Desktop, tmp_path: Path) -> None:
    out = tmp_path / "typed.txt"
    launch_xterm(desktop, "sh", "-c", f"head -n 1 > {out}")
    wait_until(out.exists, "the command to start")
    desktop.xdo("type", "--delay", "1", "hello rig")
    desktop.xdo("key", "Return")
    wait_until(out.read_text, "the line to be written")
    assert out.read_text() == "hello rig\n"


def test_windows_are_found_moved_and_gone(desktop: Desktop) -> None:
    app = launch_xterm(desktop, title="one")
    assert desktop.find_window(title="one", pid=app.pid) is not None
    moved = desktop.move_window(app.window.xid, 300, 200)
    assert (moved.x, moved.y) != (app.window.x, app.window.y)
    app.stop()
    desktop.wait_gone(app.window.xid)


def test_held_input_is_seen_and_released(desktop: Desktop) -> None:
    desktop.xdo("keydown", "shift", "mousedown", "1", "mousedown", "9")
    assert desktop.keycode("Shift_L") in desktop.keys_down()
    assert desktop.buttons_down() == [1, 9]
    desktop.release_all()
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []


def test_reset_takes_caps_lock_and_layout_back(desktop: Desktop) -> None:
    desktop.set_layout("ru")
    desktop.xdo("key", "Caps_Lock")
    assert desktop.modifier_state() & 2
    desktop.reset()
    assert not desktop.modifier_state() & 2
    assert desktop.keycode("x")


@pytest.mark.slow
def test_applications_come_with_a_window(desktop: Desktop, tmp_path: Path) -> None:
    launch_galculator(desktop)
    editor = launch_mousepad(desktop, tmp_path / "note.txt")
    assert "note.txt" in editor.window.title
    page = tmp_path / "page.html"
    page.write_text("<title>A local page</title><h1>Hello</h1>")
    browser = launch_chromium(desktop, page.as_uri())
    desktop.wait_window(title="A local page", wm_class="chromium", active=True)
    assert browser.window.width > 300


def test_a_human_reaches_the_nested_desktop(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    out = tmp_path / "typed.txt"
    app = launch_xterm(xephyr_desktop, "sh", "-c", f"head -n 1 > {out}")
    x, y = app.window.centre
    xephyr_desktop.human_xdo("mousemove", str(x), str(y), "click", "1")
    wait_until(lambda: xephyr_desktop.pointer() == (x, y), "the human's pointer to arrive")
    xephyr_desktop.human_xdo("type", "--delay", "5", "by hand")
    xephyr_desktop.human_xdo("key", "Return")
    assert wait_until(lambda: out.exists() and out.read_text(), "the line to be written") == "by hand\n"


def test_a_lock_that_the_human_left_on_is_off_for_the_next_test(xephyr_desktop: Desktop) -> None:
    assert xephyr_desktop.human is not None
    displays = (xephyr_desktop.human.name, xephyr_desktop.name)
    xephyr_desktop.human_xdo("key", "Caps_Lock")
    wait_until(lambda: all(read_locks(name).modifiers & CAPS for name in displays), "Caps Lock to be on")
    xephyr_desktop.reset()
    xephyr_desktop.human_xdo("key", "Shift_L")
    assert [read_locks(name) for name in displays] == [Locks(), Locks()]


def test_a_changed_mapping_is_restored(desktop: Desktop) -> None:
    before = desktop.keyboard_mapping()
    desktop.set_layout("us,ru", "-option", "grp:caps_toggle")
    assert desktop.keyboard_mapping() != before
    desktop.reset()
    assert desktop.keyboard_mapping() == before


def test_a_window_that_the_rig_did_not_start_is_told(desktop: Desktop) -> None:
    stray = subprocess.Popen(["xterm", "-e", "cat"], env=desktop.env)
    try:
        desktop.wait_window(wm_class="xterm")
        with pytest.raises(RigError, match="left behind"):
            desktop.reset(patience_s=0.5)
        assert desktop.windows() == []
    finally:
        stray.kill()
        stray.wait()


def test_pixels_are_read(desktop: Desktop) -> None:
    app = launch_xterm(desktop, "sh", "-c", "printf '\\033[48;2;255;0;0m\\033[2J'; cat")
    wait_until(lambda: desktop.grab(app.window.xid).getpixel((50, 50)) == (255, 0, 0), "the window to be red")
    assert desktop.grab(app.window.xid).size == (app.window.width, app.window.height)
    assert desktop.grab().size == desktop.server.size
