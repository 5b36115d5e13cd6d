"""The part of a window that its application paints itself, as the accessibility bus tells it.

Toolkits name menus, tool bars and status bars there, and give a place for drawing the role of a canvas or a drawing
area: GTK's viewers, and those of Qt while accessibility is switched on. Nothing is switched on here.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, NamedTuple

from operator_console.desktop.freedesktop import bus
from operator_console.desktop.values import PaintedPlace, Window
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
_HANDLE_PX = 2
"""Of a tool bar that has slid out of sight, one line remains, in which nothing is seen."""


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
        self._found: tuple[int, _Element, list[_Element]] | None = None

    def find(self, window: Window) -> PaintedPlace | None:
        """The largest such part that is shown, in the window's client area; None: none, or it is not told.

        Blocking: 1.3 s at most, a few milliseconds usually.
        """
        if self._found is None or self._found[0] != window.window_id or self._place(self._found[1]) is None:
            self._found = self._searched(window)
        place = None if self._found is None else self._place(self._found[1])
        if self._found is None or place is None:
            return None
        over = (each.intersect(place) for each in map(self._place, self._found[2]) if each is not None)
        return PaintedPlace(rect=place, over=tuple(each for each in over if min(each.width, each.height) >= _HANDLE_PX))

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

    def _searched(self, window: Window) -> tuple[int, _Element, list[_Element]] | None:
        """The window, its largest canvas, and what may lie over that: what stands beside it and its parents."""
        if window.pid is None or not self._connected():
            return None
        deadline_s = time.monotonic() + _SEARCH_S
        waiting: list[tuple[_Element, list[_Element]]] = [(root, []) for root in self._roots(window)]
        best, size, beside = None, 0, list[_Element]()
        while waiting and time.monotonic() < deadline_s:
            element, others = waiting.pop(0)
            role = self._ask(element, _ACCESSIBLE, "GetRole")
            if role is None or role[0] in (_MENU, _MENU_BAR):
                continue
            place = self._place(element) if role[0] in (_CANVAS, _DRAWING_AREA) else None
            if place is not None and place.width * place.height > size:
                best, size, beside = element, place.width * place.height, others
            children = self._children(element)
            waiting += [(each, [*others, *(other for other in children if other != each)]) for each in children]
        return None if best is None else (window.window_id, best, beside)

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
