"""The probe reaches no application: neither a key nor a change of the focus, with a menu open or closed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.ext import ge, xinput

from operator_console.domain.actions import KeyDown, KeyUp, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from tests.display.actions.page import ActionPage
from tests.display.guard.acting import Acting, armed, guarded
from tests.display.rig import Application, Desktop, launch, launch_mousepad, launch_xterm, wait_until

_HERE = Path(__file__).parent
_PROBES = 50


async def prove(acting: Acting, times: int = _PROBES) -> None:
    for _ in range(times):
        liveness = await acting.guard.prove()
        assert liveness.live, liveness.detail


_KINDS = {xinput.KeyPress: "key", xinput.KeyRelease: "key", xinput.FocusIn: "focus", xinput.FocusOut: "focus"}


class WindowWatch:
    """Hears every key and every change of the focus that the X server delivers to one window.

    Several clients may ask for these events of a window, so this sees what its application sees.
    """

    def __init__(self, display_name: str, xid: int) -> None:
        self._display: Any = Display(display_name)
        window = self._display.create_resource_object("window", xid)
        mask = sum(1 << kind for kind in _KINDS)
        window.xinput_select_events([(xinput.AllMasterDevices, mask)])
        self._display.sync()

    def heard(self) -> list[str]:
        """What has come since the last call."""
        self._display.sync()
        events = [self._display.next_event() for _ in range(self._display.pending_events())]
        return [_KINDS[event.evtype] for event in events if event.type == ge.GenericEventCode]

    def close(self) -> None:
        self._display.close()


@contextmanager
def watched(desktop: Desktop, xid: int) -> Iterator[WindowWatch]:
    watch = WindowWatch(desktop.name, xid)
    try:
        yield watch
    finally:
        watch.close()


def focused(desktop: Desktop) -> int:
    """The window that the X server gives keys to."""
    return int(desktop.xdo("getwindowfocus", "-f"))


def hears_a_key(desktop: Desktop, watch: WindowWatch) -> bool:
    """The watch would have seen one."""
    desktop.xdo("key", "a")
    return bool(wait_until(lambda: "key" in watch.heard(), "the window to be given a key"))


async def test_a_page_sees_neither_key_nor_focus_of_a_probe(desktop: Desktop) -> None:
    with ActionPage(_HERE / "keys.html") as page:
        await asyncio.to_thread(page.open, desktop)
        async with guarded(desktop) as acting:
            page.events.clear()
            await prove(acting)
            await asyncio.to_thread(desktop.xdo, "key", "a")
            await page.wait("key", 3)
        assert [event["key"] for event in page.logged("key")] == ["a"] * 3
        assert page.logged("focus") == []


def gtk(desktop: Desktop) -> Application:
    """Once GTK has passed the focus on to a child of its window, which is given the keys."""
    application = launch_mousepad(desktop)
    wait_until(lambda: focused(desktop) != application.window.xid, "GTK to take the focus")
    return application


def qt(desktop: Desktop) -> Application:
    program = "from PySide6.QtWidgets import QApplication, QLineEdit\napp = QApplication([])\n"
    program += "field = QLineEdit()\nfield.setWindowTitle('Qt field')\nfield.show()\napp.exec()\n"
    return launch(desktop, [sys.executable, "-c", program], title="Qt field")


def plain(desktop: Desktop) -> Application:
    return launch(desktop, ["xev", "-name", "Plain"], title="Plain", by_pid=False)


@pytest.mark.parametrize(
    "application", [gtk, qt, *(pytest.param(each, marks=pytest.mark.full) for each in (plain, launch_xterm))]
)
async def test_an_application_is_given_neither_key_nor_focus_of_a_probe(desktop: Desktop, application: Any) -> None:
    await asyncio.to_thread(application, desktop)
    with watched(desktop, focused(desktop)) as watch:
        async with guarded(desktop) as acting:
            await prove(acting)
            assert watch.heard() == []
            assert await asyncio.to_thread(hears_a_key, desktop, watch)


async def test_an_open_menu_stays_open_and_the_stop_stays_proven(desktop: Desktop) -> None:
    """A menu holds the keyboard by a grab."""
    await asyncio.to_thread(gtk, desktop)
    with watched(desktop, focused(desktop)) as watch:
        async with guarded(desktop) as acting:
            desktop.xdo("key", "F10")
            await asyncio.to_thread(wait_until, lambda: popups(desktop), "the menu to open")
            menu, _ = popups(desktop), watch.heard()
            await prove(acting)
            assert popups(desktop) == menu
            assert watch.heard() == []
            desktop.xdo("key", "Escape")
            await asyncio.to_thread(wait_until, lambda: not popups(desktop), "the menu to close")


def popups(desktop: Desktop) -> set[int]:
    """Menus on the screen: pop-ups larger than what toolkits hide."""
    return {xid for xid, (_, _, width, height) in desktop.pop_ups().items() if width * height > 2_000}


async def test_a_client_that_holds_the_keyboard_is_given_no_probe_and_the_stop_stays_proven(desktop: Desktop) -> None:
    other: Any = Display(desktop.name)
    try:
        async with guarded(desktop) as acting:
            root = other.screen().root
            assert root.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime) == X.GrabSuccess
            await prove(acting)
            other.sync()
            events = [other.next_event() for _ in range(other.pending_events())]
            # Every client is told of the mapping where another keyboard is used than before; it is no key.
            assert [event for event in events if event.type != X.MappingNotify] == []
    finally:
        other.close()


async def test_probes_between_the_agents_keys_change_and_lose_none(desktop: Desktop, tmp_path: Path) -> None:
    written = tmp_path / "out.txt"
    launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec cat > '{written}'")
    text = "The quick brown fox; " * 100
    async with armed(desktop) as acting:
        typing = asyncio.ensure_future(acting.do(TypeText(text=text), focus=FocusRule()))
        while not typing.done():
            await prove(acting, 1)
        assert typing.result().result is ActResult.DONE
        await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())
        await prove(acting, 5)
        desktop.xdo("key", "b")
        await acting.do(KeyUp(key=Key("shift")), focus=FocusRule())
        await acting.ears.wait(lambda: len(written.read_bytes()) > len(text))
    assert written.read_text() == text + "B"


async def test_a_persons_typing_between_probes_is_whole(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    desktop, written = xephyr_desktop, tmp_path / "out.txt"
    launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec cat > '{written}'")
    text = "jackdaws love my big sphinx of quartz " * 8
    async with guarded(desktop) as acting:
        typing = asyncio.ensure_future(asyncio.to_thread(desktop.human_xdo, "type", "--delay", "4", text))
        while not typing.done():
            await prove(acting, 1)
        await acting.ears.wait(lambda: len(written.read_bytes()) >= len(text))
    assert written.read_text() == text
