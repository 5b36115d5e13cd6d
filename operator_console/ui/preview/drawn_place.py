"""A place that is drawn on the live picture with the mouse: from a press to its release, in native pixels."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.ui.preview.fit import Fit

_INSIDE = 0.01
LEAST_PX = 4
"""Native pixels: a smaller place is a click by mistake."""


class DrawnPlace:
    """The place while it is drawn.

    Attributes:
        wanted: whether the next press begins one.
    """

    def __init__(self) -> None:
        self.wanted = False
        self._from: NativePoint | None = None
        self._to: NativePoint | None = None

    def want(self, wanted: bool) -> None:
        """Wait for a press, or give up."""
        self.wanted, self._from, self._to = wanted, None, None

    def press(self, fit: Fit, at: QPointF) -> None:
        """Begin at a device position; outside the picture nothing begins."""
        self._from = self._to = fit.to_native(at.x(), at.y())

    def move(self, fit: Fit, at: QPointF) -> bool:
        """Go on to a device position, or to the edge of the picture; whether a place is drawn."""
        if self._from is None:
            return False
        self._to = fit.to_native(
            min(max(at.x(), fit.x), fit.x + fit.width - _INSIDE), min(max(at.y(), fit.y), fit.y + fit.height - _INSIDE)
        )
        return True

    def release(self) -> Rect | None:
        """End; the place, native pixels. None where none was drawn, and then a press is waited for again."""
        place = self._place
        if place is None or min(place.width, place.height) < LEAST_PX:
            self._from = self._to = None
            return None
        self.want(False)
        return place

    def paint(self, painter: QPainter, fit: Fit, scale: float) -> None:
        """Draw it, in device pixels."""
        place = self._place
        if place is not None:
            box = fit.to_box(place)
            painter.setPen(QPen(QColor("#ffffff"), 2 * scale, Qt.PenStyle.DashLine))
            painter.setBrush(QColor(0, 0, 0, 200))
            painter.drawRect(QRectF(box.x, box.y, box.width, box.height))

    @property
    def _place(self) -> Rect | None:
        start, end = self._from, self._to
        if start is None or end is None:
            return None
        x, y = min(start.x, end.x), min(start.y, end.y)
        return Rect(x, y, abs(end.x - start.x) + 1, abs(end.y - start.y) + 1)
