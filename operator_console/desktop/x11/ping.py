"""Asks an application whether it still listens: _NET_WM_PING of the Extended Window Manager Hints.

An application answers in the order of its events, so an answer says that everything sent before was handled. A message
of the window manager's protocol, no input. Called by computers/ to tell a busy application from one that is done.
"""

from __future__ import annotations

import struct
from typing import Any

from operator_console.desktop.x11.display import Display

_CLIENT_MESSAGE = 33
_STRUCTURE_NOTIFY = 1 << 17  # Qt answers to those who select this one
_SUBSTRUCTURE_NOTIFY = 1 << 19


class Ping:
    """One question to one window. `answered` is True from the start where there is none, or it does not take part."""

    def __init__(self, display: Display, window: int | None) -> None:
        self._display = display
        self._window = window
        self._pings = display.atom("_NET_WM_PING")
        self.answered = not window or self._pings not in display.words(display.ask(window, "WM_PROTOCOLS"))
        self._unsubscribe = display.subscribe(self._hear)
        if window and not self.answered:
            # Answers are sent to the root window.
            display.listen(display.root, _STRUCTURE_NOTIFY | _SUBSTRUCTURE_NOTIFY)
            message = (_CLIENT_MESSAGE, 32, 0, window, display.atom("WM_PROTOCOLS"), self._pings, 0, window, 0, 0)
            display.core.SendEvent(False, window, 0, struct.pack("<BBHII5I", *message))
            display.flush()

    def look(self) -> bool:
        """Whether it is answered; a window that is gone answers no more, so nothing is waited for."""
        if not self.answered and self._display.answer(self._display.core.GetWindowAttributes(self._window)) is None:
            self.answered = True
        return self.answered

    def close(self) -> None:
        """Listen no more."""
        self._unsubscribe()

    def _hear(self, event: Any) -> None:
        if type(event).__name__ == "ClientMessageEvent" and event.window == self._display.root and event.format == 32:
            data = event.data.data32
            if data[0] == self._pings and data[2] == self._window:
                self.answered = True
