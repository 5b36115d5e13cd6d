"""What changes among windows and monitors: which windows have newly opened, and whether a list of them may be outdated.

By events, not polling. With a window manager by its lists on the root window (EWMH) and the properties of the windows
in them; without one by the root's children. Each belongs to one thread.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Set
from contextlib import suppress
from typing import Any

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display, losing

_STRUCTURE_NOTIFY, _SUBSTRUCTURE_NOTIFY, _PROPERTY_CHANGE = 1 << 17, 1 << 19, 1 << 22
_RANDR_ALL = 1 | 2 | 4 | 64  # screen, CRTCs, outputs, resources
_LISTS = ("_NET_CLIENT_LIST", "_NET_CURRENT_DESKTOP", "_NET_SUPPORTING_WM_CHECK")
_OF_A_WINDOW = ("_NET_WM_NAME", "WM_NAME", "WM_STATE", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_CLASS")
_CHILDREN = frozenset({"MapNotifyEvent", "UnmapNotifyEvent", "DestroyNotifyEvent"})


class XNewWindows:
    """Fits `protocols.NewWindows`. Raises ComputerUnavailable if the display is lost."""

    def __init__(self, display: Display) -> None:
        """Takes over the connection."""
        self._display = display
        self._display.listen(self._display.root, _SUBSTRUCTURE_NOTIFY | _PROPERTY_CHANGE)
        self._before = {window.window_id: window for window in windows.all_windows(self._display)}

    def already(self, names: Set[str]) -> str | None:
        """The title of a window, open before, of an application with one of these names (lower case); None if none."""
        return next((_title(window) for window in self._before.values() if window.app.casefold() in names), None)

    def wait(self, session: int, names: Set[str], until: float, also: int) -> str | None:
        """The title of the first new window of a process session (0: of any), or of an application of these names.

        None if none has opened by `until` (time.monotonic), or before `also` became readable.
        """
        with losing(self._display):
            while True:
                for window in self._new():
                    if _of(window, session) or window.app.casefold() in names:
                        return _title(window)
                left = until - time.monotonic()
                if left <= 0 or select.select([also], [], [], 0)[0]:
                    return None
                self._display.wait(left, also=also)

    def _new(self) -> list[Window]:
        """Visible windows that were not there before; with a window manager, only those that it manages."""
        display = self._display
        manager = display.words(display.ask(display.root, "_NET_SUPPORTING_WM_CHECK"))
        managed = set(windows.managed(display))
        return [
            window
            for window in windows.all_windows(display)
            if window.window_id not in self._before
            and window.state is WindowState.SHOWN
            and (not manager or window.window_id in managed)
        ]

    def close(self) -> None:
        """Disconnect."""
        self._display.close()


def _of(window: Window, session: int) -> bool:
    if not session:
        return True
    with suppress(OSError, TypeError):
        return window.pid is not None and os.getsid(window.pid) == session
    return False


def _title(window: Window) -> str:
    return window.title or window.app


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
