"""Under window managers that do not obey when a window is to be activated, text is typed into the target or nowhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display

from operator_console.domain.errors import ExitCode
from tests.cli.command import Result, operator_console
from tests.display.rig import Child, Desktop, launch_mousepad, launch_xterm, start_xvfb, wait_until

pytestmark = pytest.mark.full

MANAGERS = {"i3": ("i3", "-c"), "dwm": ("dwm",), "Xfwm4": ("dbus-run-session", "--", "xfwm4", "--compositor=off")}


@pytest.fixture(params=MANAGERS)
def managed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desktop]:
    """A desktop with this window manager."""
    command = MANAGERS[request.param]
    if shutil.which(request.param.lower()) is None:
        pytest.skip(f"{request.param.lower()} is not installed")
    config = tmp_path / "config"
    config.write_text("# i3 config file (v4)\nfocus_on_window_activation urgent\nworkspace_layout tabbed\n")
    words = [*command, *([str(config)] if command[-1] == "-c" else [])]
    server = start_xvfb(tmp_path)
    manager = Child(
        words, env={**server.env, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}, log=tmp_path / "manager.log"
    )
    try:
        desktop = Desktop.start(server, tmp_path, wm=False)
        try:
            wait_until(lambda: manager_of(desktop) == request.param, "the window manager")
            yield desktop
        finally:
            desktop.close()
    finally:
        manager.stop()
        server.stop()


def manager_of(desktop: Desktop) -> str:
    """The name of the window manager, as it says; "" while there is none."""
    with closing(Display(desktop.name)) as display:
        root = display.screen().root
        check = root.get_full_property(display.intern_atom("_NET_SUPPORTING_WM_CHECK"), X.AnyPropertyType)
        if check is None:
            return ""
        window = display.create_resource_object("window", check.value[0])
        name = window.get_full_property(display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
        return "" if name is None else bytes(name.value).decode()


def typed(desktop: Desktop, target: int) -> Result:
    words = ("run", 'type "abc"; press Ctrl+S', "--provider", "runbook", "--answer", "deny")
    return operator_console(*words, "--target", f"window:{target:#x}", DISPLAY=desktop.name)


def test_text_goes_to_the_target_or_nowhere_and_the_window_manager_is_named(managed: Desktop, tmp_path: Path) -> None:
    note, other = tmp_path / "note.txt", tmp_path / "other.txt"
    note.write_text("")
    editor = launch_mousepad(managed, note)
    launch_xterm(managed, "sh", "-c", f"stty -icanon -echo; cat > {other}")
    wait_until(other.exists, "the other window to listen")
    result = typed(managed, editor.window.xid)
    assert other.read_text() == ""
    if result.code == ExitCode.FINISHED:
        assert note.read_text().strip() == "abc"
    else:
        assert note.read_text() == ""
        assert manager_of(managed) in result.out
