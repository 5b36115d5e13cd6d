"""Tells that something on the screen was painted, without looking at pixels (XDamage on the root).

Called by computers/: settling and the live preview wait on it. Which pixels really changed, changes.py tells.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from operator_console.desktop.x11.display import Display, losing
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.geometry import Rect

_BOUNDING_BOX = 2


class DamageWatch:
    """Collects damage until it is taken. `available` is False where the server lacks XDamage."""

    def __init__(self, display: Display, drawable: int) -> None:
        self._display = display
        self._extension = display.extension("damage")
        self._box: Rect | None = None
        self._object: int | None = None
        self._drawable = drawable
        if self._extension is not None:
            self._object = display.connection.generate_id()
            self._extension.Create(self._object, drawable, _BOUNDING_BOX)
        self._unsubscribe = display.subscribe(self._hear)

    @property
    def available(self) -> bool:
        """Whether damage is reported at all."""
        return self._extension is not None

    @property
    def pending(self) -> bool:
        """Whether something was painted since `take`."""
        return self._box is not None

    @property
    def painted(self) -> Rect | None:
        """Where something was painted since `take`, as far as has been heard; the next take tells of it too."""
        return self._box

    def take(self) -> Rect | None:
        """Where something was painted since the last take (drawable coordinates); None: nowhere."""
        self._display.pump()
        box, self._box = self._box, None
        if box is not None and self._extension is not None and self._object is not None:
            self._extension.Subtract(self._object, 0, 0)
            self._display.flush()
        return box

    def close(self) -> None:
        """Report no more. Where the connection is lost already, there is nothing left to do."""
        self._unsubscribe()
        if self._extension is not None and self._object is not None:
            with suppress(ComputerUnavailable), losing(self._display):
                self._extension.Destroy(self._object)
                self._display.flush()
            self._object = None

    def _hear(self, event: Any) -> None:
        if type(event).__name__ == "NotifyEvent" and getattr(event, "damage", None) == self._object:
            area = Rect(event.area.x, event.area.y, event.area.width, event.area.height)
            if area.empty:  # said of what was taken in the middle of painting; nothing follows from it
                return
            self._box = area if self._box is None else self._box.union(area)
