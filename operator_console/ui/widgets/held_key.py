"""Tells the press of a key from its repeats while it is held, also where another window had the press."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent


class HeldKey:
    """Follows one key by its presses and releases."""

    def __init__(self) -> None:
        self._released_ms = 0

    def goes_on(self, event: QKeyEvent) -> bool:
        """Whether it is the press of a key that is held.

        Qt does not call the first repeat one where another window had the press; its release has the same time.
        """
        if event.type() is QEvent.Type.KeyRelease:
            self._released_ms = event.timestamp()
            return False
        repeated = event.isAutoRepeat() or (event.timestamp() > 0 and event.timestamp() == self._released_ms)
        return event.type() is QEvent.Type.KeyPress and repeated
