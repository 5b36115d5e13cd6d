"""Window managers that do not give the focus when they are asked to.

One is played by a small one of our own, which says what it supports and does nothing about it, or takes the focus back
as dwm does.
"""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from Xlib import X, Xatom, Xutil
from Xlib.display import Display as XlibDisplay

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.desktop import X11Desktop
from operator_console.domain.errors import ComputerRejected, RejectedReason
from operator_console.domain.frames import ImageNeeds
from tests.display.rig import Child, XServer, start_xvfb, wait_until

GIVE_UP_S = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Unruly:
    """A window manager.

    Attributes:
        promises: it lists _NET_ACTIVE_WINDOW as supported.
        keeps: the window that has the focus at first keeps it: it is set again whenever another one has it.
    """

    promises: bool
    keeps: bool


@contextmanager
def managing(server: XServer, kind: Unruly, holder: int, others: list[int]) -> Iterator[None]:
    """Until the end of the block the display has this window manager; `holder` has the focus when it begins."""
    display, over = XlibDisplay(server.name), threading.Event()
    root = display.screen().root
    check = root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent)
    atom = display.intern_atom
    for window in (root, check):
        window.change_property(atom("_NET_SUPPORTING_WM_CHECK"), Xatom.WINDOW, 32, [check.id])
    check.change_property(atom("_NET_WM_NAME"), atom("UTF8_STRING"), 8, b"unruly")
    supported = ["_NET_SUPPORTING_WM_CHECK", *(["_NET_ACTIVE_WINDOW"] if kind.promises else [])]
    root.change_property(atom("_NET_SUPPORTED"), Xatom.ATOM, 32, [atom(each) for each in supported])
    for each in (holder, *others):
        display.create_resource_object("window", each).change_attributes(event_mask=X.FocusChangeMask)
    display.set_input_focus(holder, X.RevertToParent, X.CurrentTime)
    display.sync()

    def keep() -> None:
        while not over.is_set():
            select.select([display.fileno()], [], [], 0.05)
            while display.pending_events():
                event = display.next_event()
                if kind.keeps and event.type == X.FocusIn and event.window.id != holder:
                    display.set_input_focus(holder, X.RevertToParent, X.CurrentTime)
                    display.flush()

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        display.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[XServer]:
    """Xvfb without a window manager."""
    server = start_xvfb(tmp_path_factory.mktemp("unruly"))
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def client(server: XServer) -> Iterator[XlibDisplay]:
    client = XlibDisplay(server.name)
    yield client
    client.close()


@pytest.fixture
def display(server: XServer) -> Iterator[X11Desktop]:
    display = X11Desktop(server.name)
    yield display
    display.close()


@pytest.fixture
def holder(server: XServer, display: X11Desktop, tmp_path: Path) -> Iterator[int]:
    """A window of another program."""
    child = Child(["xterm", "-T", "Mine", "-geometry", "20x5+20+20", "-e", "cat"], env=server.env, log=tmp_path / "log")

    def shown() -> int | None:
        found = (windows.describe(display, layer) for layer, _ in windows.shown(display))
        return next((each.window_id for each in found if each is not None and each.title == "Mine"), None)

    try:
        window_id = wait_until(shown, "xterm to be mapped")
        assert window_id is not None
        yield window_id
    finally:
        child.stop()


def window(client: XlibDisplay, x: int, title: str, *, takes_focus: bool = True) -> int:
    screen = client.screen()
    made: Any = screen.root.create_window(x, 50, 200, 150, 0, screen.root_depth, background_pixel=x * 977)
    made.set_wm_name(title)
    made.set_wm_class(title.lower(), title)
    made.set_wm_hints(flags=Xutil.InputHint, input=int(takes_focus))
    made.change_property(client.intern_atom("WM_STATE"), client.intern_atom("WM_STATE"), 32, [1, 0])
    made.map()
    client.sync()
    wait_until(lambda: made.get_attributes().map_state == X.IsViewable, f"{title} to be mapped")
    return int(made.id)


def activate(display: X11Desktop, window_id: int) -> bool:
    found = windows.describe(display, window_id)
    assert found is not None
    return windows.activate(display, found, timeout_s=GIVE_UP_S)


@pytest.mark.parametrize("promises", [True, False])
def test_one_that_does_nothing_is_passed_over(
    server: XServer, client: XlibDisplay, display: X11Desktop, holder: int, promises: bool
) -> None:
    target = window(client, 320, "Target")
    with managing(server, Unruly(promises=promises, keeps=False), holder, [target]):
        assert display.window_manager() == "unruly"
        assert windows.focus_id(display) == holder
        assert activate(display, target)
        assert windows.focus_id(display) == target


def test_one_that_takes_the_focus_back_is_believed(
    server: XServer, client: XlibDisplay, display: X11Desktop, holder: int
) -> None:
    target = window(client, 320, "Target")
    with managing(server, Unruly(promises=True, keeps=True), holder, [target]):
        assert not activate(display, target)
        wait_until(lambda: windows.focus_id(display) == holder, "the focus to be back")


def test_a_dialog_of_the_same_program_keeps_the_focus(
    server: XServer, client: XlibDisplay, display: X11Desktop
) -> None:
    dialog, target = window(client, 20, "Dialog"), window(client, 320, "Target")
    with managing(server, Unruly(promises=True, keeps=False), dialog, [target]):
        assert not activate(display, target)
        assert windows.focus_id(display) == dialog


def test_a_window_that_is_not_given_the_focus_by_others_is_left_alone(
    server: XServer, client: XlibDisplay, display: X11Desktop, holder: int
) -> None:
    target = window(client, 320, "Target", takes_focus=False)
    with managing(server, Unruly(promises=True, keeps=False), holder, [target]):
        assert not activate(display, target)
        assert windows.focus_id(display) == holder


async def test_the_window_manager_is_named_where_keys_are_refused(
    server: XServer, client: XlibDisplay, holder: int
) -> None:
    target = window(client, 320, "Target")
    with managing(server, Unruly(promises=False, keeps=True), holder, [target]):
        computer = await open_computer(f"window:{target:#x}", OwnWindows(), server.name)
        try:
            await computer.observe(ImageNeeds())
            with pytest.raises(ComputerRejected) as refused:
                await computer.prepare_input(None, needs_focus=True)
        finally:
            await computer.close()
    assert refused.value.reason is RejectedReason.NO_FOCUS
    assert "The window manager unruly did not give the target the focus" in refused.value.text
    assert "Click into the window" in refused.value.text
