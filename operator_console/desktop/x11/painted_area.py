"""The part of a window that its application paints itself, as the accessibility bus tells it.

Toolkits name menus, tool bars and status bars there, and give a place for drawing the role of a canvas or a drawing
area: GTK's viewers, and those of Qt while accessibility is switched on. Nothing is switched on here.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, NamedTuple

from operator_console.desktop.freedesktop import bus
from operator_console.desktop.values import Window
from operator_console.domain.geometry import Rect

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
_SERVICE = ("org.a11y.Bus", "/org/a11y/bus")
_CANVAS, _DRAWING_AREA = 6, 18
_MENU, _MENU_BAR = 33, 34
_SHOWING = 1 << 25
_IN_WINDOW = 1
_CALL_S, _SEARCH_S = 0.3, 1.0


class _Element(NamedTuple):
    owner: str
    path: str


class PaintedArea:
    """Finds it, and from then on only asks where it is. Belongs to one thread.

    Args:
        address: the bus that the display names; "" for that of the session.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: Any | None = None
        self._found: tuple[int, _Element] | None = None

    def find(self, window: Window) -> Rect | None:
        """The largest such part that is shown, in the window's client area; None: none, or it is not told.

        Blocking: 1.3 s at most, a few milliseconds usually.
        """
        if self._found is not None and self._found[0] == window.window_id:
            place = self._place(self._found[1])
            if place is not None:
                return place
        self._found = None
        if window.pid is None or not self._connected():
            return None
        best: tuple[Rect, _Element] | None = None
        for element in self._painted(window, time.monotonic() + _SEARCH_S):
            place = self._place(element)
            if place is not None and (best is None or place.width * place.height > best[0].width * best[0].height):
                best = place, element
        if best is None:
            return None
        self._found = window.window_id, best[1]
        return best[0]

    def close(self) -> None:
        """Disconnect."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    def _connected(self) -> bool:
        if self._connection is None:
            self._connection = bus.connect_to(self._address) if self._address else _session_bus()
        return self._connection is not None

    def _painted(self, window: Window, deadline_s: float) -> list[_Element]:
        """The window's elements that are canvases."""
        waiting, found = self._roots(window), []
        while waiting and time.monotonic() < deadline_s:
            element = waiting.pop(0)
            role = self._ask(element, _ACCESSIBLE, "GetRole")
            if role is None or role[0] in (_MENU, _MENU_BAR):
                continue
            if role[0] in (_CANVAS, _DRAWING_AREA):
                found.append(element)
            waiting += self._children(element)
        return found

    def _roots(self, window: Window) -> list[_Element]:
        """The windows of this title that the window's process tells."""
        for application in self._children(_Element(*_REGISTRY)):
            name = application.owner
            owner = self._ask(_Element(*_BUS), "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", (name,))
            if owner is not None and owner[0] == window.pid:
                return [each for each in self._children(application) if self._name(each) == window.title]
        return []

    def _name(self, element: _Element) -> str:
        answer = self._ask(element, "org.freedesktop.DBus.Properties", "Get", "ss", (_ACCESSIBLE, "Name"))
        return "" if answer is None else str(answer[0][1])

    def _children(self, element: _Element) -> list[_Element]:
        answer = self._ask(element, _ACCESSIBLE, "GetChildren")
        return [] if answer is None else [_Element(*each) for each in answer[0]]

    def _place(self, element: _Element) -> Rect | None:
        """Where it is; None where it is gone or not shown."""
        state = self._ask(element, _ACCESSIBLE, "GetState")
        if state is None or not state[0] or not state[0][0] & _SHOWING:
            return None
        extents = self._ask(element, "org.a11y.atspi.Component", "GetExtents", "u", (_IN_WINDOW,))
        return None if extents is None else Rect(*extents[0])

    def _ask(
        self, element: _Element, interface: str, method: str, signature: str = "", body: tuple[Any, ...] = ()
    ) -> tuple[Any, ...] | None:
        if self._connection is None:
            return None
        return bus.call(self._connection, *element, interface, method, signature, body, timeout_s=_CALL_S)


def _session_bus() -> Any | None:
    """The accessibility bus of the session; None where there is none."""
    connection = bus.connect("session")
    if connection is None:
        return None
    with connection:
        found = bus.call(connection, *_SERVICE, "org.a11y.Bus", "GetAddress")
    return bus.connect_to(str(found[0])) if found and found[0] else None
