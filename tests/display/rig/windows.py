"""The windows of a desktop, as its window manager and server tell: the part of Desktop that finds and moves them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from Xlib import X, error
from Xlib import display as xdisplay
from Xlib.protocol import event

from tests.display.rig.processes import wait_until
from tests.display.rig.server import XServer, xdotool


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


class Windows:
    """Managed windows of one display. Coordinates are root pixels of the client area."""

    server: XServer
    _display: Any
    _serials = itertools.count(1)

    def windows(self) -> list[WindowInfo]:
        """Managed windows, oldest first (_NET_CLIENT_LIST)."""
        ids = self._root_property("_NET_CLIENT_LIST") or []
        found = []
        for xid in ids:
            # A window may go between the list and the question about it.
            with contextlib.suppress(error.XError, error.ConnectionClosedError):
                found.append(self._describe(int(xid)))
        return found

    def top_window(self) -> int:
        """The managed window that lies above all others, 0 where there is none."""
        ids = self._root_property("_NET_CLIENT_LIST_STACKING")
        return int(ids[-1]) if ids else 0

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
        xdotool(self.server, "windowactivate", str(xid))
        wait_until(lambda: self.active_window() == xid, f"window {xid:#x} to be active")

    def move_window(self, xid: int, x: int, y: int) -> WindowInfo:
        """Moves a window's client area by its frame, and returns where it came to stand."""
        return self._configure(xid, "windowmove", (x, y), attrgetter("x", "y"))

    def resize_window(self, xid: int, width: int, height: int) -> WindowInfo:
        return self._configure(xid, "windowsize", (width, height), attrgetter("width", "height"))

    def _configure(
        self, xid: int, command: str, wanted: tuple[int, int], told: Callable[[WindowInfo], tuple[int, int]]
    ) -> WindowInfo:
        """Waits for a change of what is `told`: a title may change meanwhile, too."""
        before = told(self._describe(xid))
        xdotool(self.server, command, str(xid), *map(str, wanted))
        if before != wanted:
            wait_until(lambda: told(self._describe(xid)) != before, f"window {xid:#x} to take its {command}")
        return self._describe(xid)

    def window(self, xid: int) -> WindowInfo:
        return self._describe(xid)

    def close_window(self, xid: int) -> None:
        """Asks a window to close, as its title bar's button does."""
        root = self._display.screen().root
        window = self._display.create_resource_object("window", xid)
        atom = self._display.intern_atom("_NET_CLOSE_WINDOW")
        message = event.ClientMessage(window=window, client_type=atom, data=(32, [X.CurrentTime, 2, 0, 0, 0]))
        root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def send_message(self, xid: int, name: str) -> bool:
        """Sends a client message of that name to the client of a window; False if the window is gone."""
        window = self._display.create_resource_object("window", xid)
        message = event.ClientMessage(window=window, client_type=self._display.intern_atom(name), data=(32, [0] * 5))
        gone = error.CatchError(error.BadWindow)
        window.send_event(message, onerror=gone)
        self._display.sync()
        return gone.get_error() is None

    def wait_handled(self, xid: int) -> None:
        """Waits until a window's application has handled all input so far: it answers a _NET_WM_PING, if it takes them.

        A window that goes meanwhile has handled it, too.
        """
        with contextlib.closing(xdisplay.Display(self.server.name)) as display, contextlib.suppress(error.XError):
            ping, protocols = (display.intern_atom(name) for name in ("_NET_WM_PING", "WM_PROTOCOLS"))
            window, root = display.create_resource_object("window", xid), display.screen().root
            taken = window.get_full_property(protocols, X.AnyPropertyType)
            if taken is None or ping not in taken.value:
                return
            root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)  # answers go there
            serial = next(self._serials)
            message = event.ClientMessage(window=window, client_type=protocols, data=(32, [ping, serial, xid, 0, 0]))
            window.send_event(message)

            def answered() -> bool:
                window.get_attributes()
                told = (display.next_event() for _ in range(display.pending_events()))
                return any(
                    each.type == X.ClientMessage and each.data[1][:2].tolist() == [ping, serial] for each in told
                )

            wait_until(answered, f"window {xid:#x} to handle its input")

    def viewable(self, xid: int) -> bool:
        with contextlib.suppress(error.XError):
            window = self._display.create_resource_object("window", xid)
            return bool(window.get_attributes().map_state == X.IsViewable)
        return False

    def pop_ups(self) -> dict[int, tuple[int, int, int, int]]:
        """Windows on the screen that their application placed itself, as menus are, lowest first: x, y, width, height.

        Toolkits have some of a few pixels that nobody sees.
        """
        found = {}
        for window in self._display.screen().root.query_tree().children:
            with contextlib.suppress(error.XError):
                seen, place = window.get_attributes(), window.get_geometry()
                if seen.override_redirect and seen.map_state == X.IsViewable:
                    found[int(window.id)] = int(place.x), int(place.y), int(place.width), int(place.height)
        return found

    def wait_no_menu(self) -> None:
        def none() -> bool:
            return all(width <= 1 for _, _, width, _ in self.pop_ups().values())

        wait_until(none, "open menus to go")

    def kill_windows(self) -> list[WindowInfo]:
        """Ends the connections of all clients that still have a window, and says which these were."""
        left = self.windows()
        for window in left:
            with contextlib.suppress(error.XError):
                self._display.create_resource_object("window", window.xid).kill_client()
        self._display.sync()
        return left

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
