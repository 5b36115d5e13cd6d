"""Reports that the list of windows or monitors may have changed: opened, closed, renamed, minimised, switched on.

With a window manager by its lists on the root window (EWMH) and the properties of the windows in them; without one by
the root's children. Belongs to one thread.
"""

from __future__ import annotations

from typing import Any

from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display

_STRUCTURE_NOTIFY, _SUBSTRUCTURE_NOTIFY, _PROPERTY_CHANGE = 1 << 17, 1 << 19, 1 << 22
_RANDR_ALL = 1 | 2 | 4 | 64  # screen, CRTCs, outputs, resources
_LISTS = ("_NET_CLIENT_LIST", "_NET_CURRENT_DESKTOP", "_NET_SUPPORTING_WM_CHECK")
_OF_A_WINDOW = ("_NET_WM_NAME", "WM_NAME", "WM_STATE", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_CLASS")
_CHILDREN = frozenset({"MapNotifyEvent", "UnmapNotifyEvent", "DestroyNotifyEvent"})


class WindowChanges:
    """Fits `protocols.WindowChanges`."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._lists = frozenset(map(display.atom, _LISTS))
        self._of_a_window = frozenset(map(display.atom, _OF_A_WINDOW))
        self._followed: set[int] = set()
        self._changed = False
        self._managed = True
        display.listen(display.root, _PROPERTY_CHANGE | _SUBSTRUCTURE_NOTIFY | _STRUCTURE_NOTIFY)
        randr = display.extension("randr")
        if randr is not None:
            randr.SelectInput(display.root, _RANDR_ALL)
        self._unsubscribe = display.subscribe(self._on_event)
        self._follow()

    def wait(self, timeout_s: float, also: int) -> bool:
        """Wait for a change, or until `also` is readable; whether something changed since the last call."""
        if not self._changed:
            self._display.wait(timeout_s, also=also)
        changed, self._changed = self._changed, False
        if changed:
            self._follow()
        return changed

    def close(self) -> None:
        """Stop reporting."""
        self._unsubscribe()

    def _follow(self) -> None:
        """Also hear of changes of the windows that are new in the list."""
        now = set(windows.managed(self._display))
        self._managed = bool(now)
        for window in now - self._followed:
            self._display.listen(window, _PROPERTY_CHANGE)
        self._followed = now
        self._display.flush()

    def _on_event(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "PropertyNotifyEvent":
            known = self._lists if event.window == self._display.root else self._of_a_window
            self._changed = self._changed or event.atom in known
        elif kind in _CHILDREN:
            self._changed = self._changed or not self._managed
        elif kind == "ConfigureNotifyEvent":  # the screen's size
            self._changed = self._changed or event.window == self._display.root
        elif kind in {"ScreenChangeNotifyEvent", "NotifyEvent"}:  # RandR
            self._changed = True
