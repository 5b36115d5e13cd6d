"""Notes when a key was last pressed in a window, so that nothing takes the keyboard from who is typing there."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

QUIET_S = 1.0
"""Seconds without a key after which nobody is typing."""


class TypingWatch(QObject):
    """Listens to the keys that a window gets, repetitions included.

    Args:
        window: a window that was shown.
        monotonic: the clock.
    """

    def __init__(self, window: QWidget, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(window)
        self._monotonic = monotonic
        self._pressed_s: float | None = None
        window.winId()  # creates the handle, which gets the keys before any widget
        window.windowHandle().installEventFilter(self)

    def typing(self) -> bool:
        """Whether a key was pressed during the last second."""
        return self._pressed_s is not None and self._monotonic() - self._pressed_s < QUIET_S

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Only listens."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.InputMethod):
            self._pressed_s = self._monotonic()
        return False
