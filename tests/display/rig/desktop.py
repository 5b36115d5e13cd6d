"""A desktop under test: server, window manager, what is on it, and the state of its keys and buttons.

Reads the server directly (python-xlib, xcffib), never through the product's own code.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xcffib
import xcffib.xinput
import xcffib.xproto
from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext import xtest

from tests.display.rig.processes import Child, RigError, wait_until
from tests.display.rig.server import XServer, running_test_env, start_openbox

_XI_ALL_MASTER_POINTER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowInfo:
    """A managed window: client area in root pixels."""

    xid: int
    title: str
    wm_class: str
    pid: int | None
    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(slots=True, kw_only=True)
class Desktop:
    """One display with its window manager. ``human`` is the outer display where a nested one has one."""

    server: XServer
    folder: Path
    human: XServer | None = None
    wm: Child | None = None
    _display: Any = None
    _xcb: Any = None
    _children: list[Child] = field(default_factory=list)

    @classmethod
    def start(cls, server: XServer, folder: Path, *, human: XServer | None = None, wm: bool = True) -> Desktop:
        desktop = cls(server=server, folder=folder, human=human)
        desktop.wm = start_openbox(server, folder) if wm else None
        desktop._display = Display(server.name)
        desktop._xcb = xcffib.connect(display=server.name)  # type: ignore[no-untyped-call]
        desktop._xcb(xcffib.xinput.key).XIQueryVersion(2, 2).reply()
        return desktop

    # -- life -----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The display's name, e.g. ``:5``."""
        return self.server.name

    @property
    def env(self) -> dict[str, str]:
        """What a client of this display is started with: the display, a private home, the running test's folder."""
        return {**self.server.env, **running_test_env()}

    def adopt(self, child: Child) -> Child:
        """Ends ``child`` when the test ends."""
        self._children.append(child)
        return child

    def reset(self) -> None:
        """Ends what the test started here, releases held input, restores keyboard and pointer."""
        for child in reversed(self._children):
            child.stop()
        self._children.clear()
        self.release_all()
        wait_until(lambda: not self.windows(), "the test's windows to go", timeout_s=10)
        if "group" in self._needs_keyboard_reset():
            self.set_layout("us")
        width, height = self.server.size
        self._display.screen().root.warp_pointer(width // 2, height - 20)
        self._display.sync()

    def close(self) -> None:
        for child in reversed(self._children):
            child.stop()
        with contextlib.suppress(Exception):
            self._xcb.disconnect()
        with contextlib.suppress(Exception):
            self._display.close()
        if self.wm is not None:
            self.wm.stop()

    # -- windows --------------------------------------------------------------------------------------------

    def windows(self) -> list[WindowInfo]:
        """Managed windows, oldest first (_NET_CLIENT_LIST)."""
        ids = self._root_property("_NET_CLIENT_LIST") or []
        found = []
        for xid in ids:
            # A window may go between the list and the question about it.
            with contextlib.suppress(error.XError, error.ConnectionClosedError):
                found.append(self._describe(int(xid)))
        return found

    def find_window(
        self, *, title: str | None = None, wm_class: str | None = None, pid: int | None = None
    ) -> WindowInfo | None:
        """The first managed window whose title contains, class contains (case ignored), and pid equals."""
        for window in self.windows():
            if title is not None and title not in window.title:
                continue
            if wm_class is not None and wm_class.lower() not in window.wm_class.lower():
                continue
            if pid is not None and window.pid != pid:
                continue
            return window
        return None

    def wait_window(
        self,
        *,
        title: str | None = None,
        wm_class: str | None = None,
        pid: int | None = None,
        timeout_s: float = 60.0,
        active: bool = False,
        still: Callable[[], bool] | None = None,
    ) -> WindowInfo:
        """Waits until such a window is mapped (and, on request, has the focus); then describes it.

        ``still`` is asked each time and may raise, e.g. because the application has ended.
        """

        def seen() -> WindowInfo | None:
            if still is not None:
                still()
            window = self.find_window(title=title, wm_class=wm_class, pid=pid)
            if window is None or not self.viewable(window.xid):
                return None
            return window if not active or self.active_window() == window.xid else None

        found = wait_until(seen, f"a window {title=} {wm_class=} {pid=} {active=}", timeout_s=timeout_s)
        assert found is not None
        return found

    def wait_gone(self, xid: int, *, timeout_s: float = 30.0) -> None:
        wait_until(lambda: xid not in [w.xid for w in self.windows()], f"window {xid:#x} to go", timeout_s=timeout_s)

    def active_window(self) -> int | None:
        value = self._root_property("_NET_ACTIVE_WINDOW")
        return int(value[0]) if value and value[0] else None

    def focus_window(self) -> int:
        """What the server itself says has the input focus (may be a child of the active window)."""
        focus = self._display.get_input_focus().focus
        return focus if isinstance(focus, int) else int(focus.id)

    def activate(self, xid: int) -> None:
        """Activates a window as a taskbar would, and waits until the window manager says so."""
        self.xdo("windowactivate", str(xid))
        wait_until(lambda: self.active_window() == xid, f"window {xid:#x} to be active")

    def move_window(self, xid: int, x: int, y: int) -> WindowInfo:
        """Moves a window's client area by its frame, and returns where it came to stand."""
        before = self._describe(xid)
        self.xdo("windowmove", str(xid), str(x), str(y))
        if (before.x, before.y) != (x, y):
            wait_until(lambda: self._describe(xid) != before, f"window {xid:#x} to move")
        return self._describe(xid)

    def resize_window(self, xid: int, width: int, height: int) -> WindowInfo:
        before = self._describe(xid)
        self.xdo("windowsize", str(xid), str(width), str(height))
        if (before.width, before.height) != (width, height):
            wait_until(lambda: self._describe(xid) != before, f"window {xid:#x} to change size")
        return self._describe(xid)

    def window(self, xid: int) -> WindowInfo:
        return self._describe(xid)

    def viewable(self, xid: int) -> bool:
        with contextlib.suppress(error.XError):
            window = self._display.create_resource_object("window", xid)
            return bool(window.get_attributes().map_state == X.IsViewable)
        return False

    # -- input ----------------------------------------------------------------------------------------------

    def xdo(self, *args: str) -> str:
        """xdotool on this display: XTEST, as another program's (or the agent's) input."""
        return xdotool(self.server, *args)

    def human_xdo(self, *args: str) -> str:
        """xdotool on the outer display: arrives here from a real device. Needs a nested desktop."""
        if self.human is None:
            raise RigError("this desktop is not nested: no human can be told from XTEST here")
        return xdotool(self.human, *args)

    def keycode(self, symbol: str) -> int:
        """The keycode that carries an X keysym name (``Control_L``, ``x``) in the current mapping."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(symbol))
        if not code:
            raise RigError(f"no key carries {symbol}")
        return int(code)

    def keys_down(self) -> list[int]:
        """Keycodes that the server holds down."""
        keymap = self._display.query_keymap()
        return [byte * 8 + bit for byte in range(32) for bit in range(8) if keymap[byte] & (1 << bit)]

    def buttons_down(self) -> list[int]:
        """Buttons that the server holds down, 8 and 9 and beyond included (XInput2)."""
        xinput = self._xcb(xcffib.xinput.key)
        root = self._xcb.get_setup().roots[0].root
        reply = xinput.XIQueryPointer(root, _XI_ALL_MASTER_POINTER).reply()
        words = list(reply.buttons)
        return [w * 32 + bit for w, word in enumerate(words) for bit in range(32) if word & (1 << bit)]

    def pointer(self) -> tuple[int, int]:
        reply = self._display.screen().root.query_pointer()
        return int(reply.root_x), int(reply.root_y)

    def modifier_state(self) -> int:
        """Modifier and lock bits (ShiftMask, LockMask, ...) without buttons."""
        return int(self._display.screen().root.query_pointer().mask) & 0xFF

    def keyboard_mapping(self) -> list[tuple[int, ...]]:
        """The whole core keyboard mapping, to be compared before and after."""
        info = self._display.display.info
        return [tuple(k) for k in self._display.get_keyboard_mapping(info.min_keycode, info.max_keycode - 7)]

    def set_layout(self, *args: str) -> None:
        """``setxkbmap`` on this display, e.g. ``set_layout("us,ru", "-option", "grp:caps_toggle")``."""
        subprocess.run(["setxkbmap", *args], env=self.env, check=True, capture_output=True, timeout=30)

    def release_all(self) -> None:
        """Releases every key and button that is down, and lock modifiers: the state a test starts from."""
        for code in self.keys_down():
            xtest.fake_input(self._display, X.KeyRelease, code)
        for button in self.buttons_down():
            xtest.fake_input(self._display, X.ButtonRelease, button)
        self._display.sync()
        if self.modifier_state() & X.LockMask:
            caps = self.keycode("Caps_Lock")
            xtest.fake_input(self._display, X.KeyPress, caps)
            xtest.fake_input(self._display, X.KeyRelease, caps)
            self._display.sync()

    @contextlib.contextmanager
    def keyboard_grabbed(self) -> Iterator[None]:
        """Another client holds the whole keyboard, as a menu or a screen locker does."""
        root = self._display.screen().root
        grabbed = root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        if grabbed != X.GrabSuccess:
            raise RigError(f"the keyboard could not be grabbed: {grabbed}")
        try:
            yield
        finally:
            self._display.ungrab_keyboard(X.CurrentTime)
            self._display.sync()

    def screenshot(self, path: Path) -> Path:
        """The root window as a PNG, for a person to look at."""
        subprocess.run(
            ["import", "-window", "root", str(path)], env=self.env, check=True, capture_output=True, timeout=60
        )
        return path

    # -- reading the server ---------------------------------------------------------------------------------

    def _needs_keyboard_reset(self) -> str:
        """Names what differs from a plain us keyboard ("" for nothing)."""
        done = subprocess.run(
            ["setxkbmap", "-query"], env=self.env, check=True, capture_output=True, text=True, timeout=30
        )
        values = dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)
        plain = values.get("layout", "us").strip() == "us" and "options" not in values
        return "" if plain and not self._display.screen().root.query_pointer().mask & 0x6000 else "group"

    def _root_property(self, name: str) -> Any:
        prop = self._display.screen().root.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        return None if prop is None else prop.value

    def _describe(self, xid: int) -> WindowInfo:
        window = self._display.create_resource_object("window", xid)
        geometry = window.get_geometry()
        origin = self._display.screen().root.translate_coords(window, 0, 0)
        pid = window.get_full_property(self._display.intern_atom("_NET_WM_PID"), X.AnyPropertyType)
        return WindowInfo(
            xid=xid,
            title=self._title(window),
            wm_class=".".join(window.get_wm_class() or ()),
            pid=int(pid.value[0]) if pid is not None else None,
            x=int(origin.x),
            y=int(origin.y),
            width=int(geometry.width),
            height=int(geometry.height),
        )

    def _title(self, window: Any) -> str:
        prop = window.get_full_property(self._display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
        if prop is not None:
            return bytes(prop.value).decode("utf-8", "replace")
        return window.get_wm_name() or ""


def xdotool(server: XServer, *args: str) -> str:
    """Runs xdotool against one server and returns what it printed."""
    done = subprocess.run(["xdotool", *args], env=server.env, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RigError(f"xdotool {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout.strip()
