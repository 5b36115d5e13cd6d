"""Reports newly opened windows, to tell whether a program that was started has opened one. Uses events, not polling.

Create it before the program is started, so that no window is missed. Belongs to one thread.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Set
from contextlib import suppress

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display, losing

_SUBSTRUCTURE_NOTIFY = 1 << 19
_PROPERTY_CHANGE = 1 << 22


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
