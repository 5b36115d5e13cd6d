"""The points of an action that is being edited: dragged in the preview, or moved by the arrow keys.

A drag has two points, its start and its end; every other action has one. The point that was moved last is the one that
a click elsewhere in the picture and the keys move. Home and End choose the start and the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from operator_console.domain.geometry import NativePoint, Size
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.plan_marks import Mark, MarkShape
from operator_console.ui.preview.viewpoint import position
from operator_console.ui.theme_colours import OVERLAY_RISK

GRAB = 16.0
"""Distance from a point within which it is taken hold of, in logical pixels."""
NUDGE, FAR = 1, 10
"""Native pixels that an arrow key moves a point, alone and with Shift."""
_HANDLE = 7.0  # radius in logical pixels

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1),
}  # fmt: skip
_ENDS = {Qt.Key.Key_Home: False, Qt.Key.Key_End: True}


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a point was put; `end`: the end of a drag, else its start or the only point."""

    point: NativePoint
    end: bool = False


class EditedPoint:
    """The points and which of them is moved. Positions are device pixels of the preview."""

    def __init__(self) -> None:
        self._points: tuple[NativePoint, ...] = ()
        self._end = False
        self._held: tuple[float, float] | None = None

    def show(self, mark: Mark | None) -> None:
        """Set the points from the mark of the edited action; None: it has none."""
        drag = mark is not None and mark.shape is MarkShape.DRAG and len(mark.points) > 1
        self._points = () if mark is None else (mark.points[0], mark.points[-1]) if drag else mark.points[:1]
        self._end = self._end and drag

    def __len__(self) -> int:
        """How many points there are: none, one, or both of a drag."""
        return len(self._points)

    @property
    def active(self) -> NativePoint | None:
        """The point that keys move."""
        return self._points[self._end] if len(self._points) > self._end else None

    @property
    def held(self) -> bool:
        """Whether the pointer drags a point."""
        return self._held is not None

    def near(self, fit: Fit, at: QPointF, scale: float) -> bool:
        """Whether a press here would take hold of a point."""
        return self._nearest(fit, at, scale) is not None

    def press(self, fit: Fit, at: QPointF, scale: float) -> Placed | None:
        """Take hold of the point under the pointer, which moves nothing yet; elsewhere, put the active point there."""
        nearest = self._nearest(fit, at, scale)
        if nearest is not None:
            self._end = bool(nearest)
            place = fit.to_device(self._points[nearest])
            self._held = (at.x() - place.x, at.y() - place.y)
            return None
        if fit.to_native(at.x(), at.y()) is None:
            return None
        self._held = (0.0, 0.0)
        return self._put(fit, at.x(), at.y())

    def move(self, fit: Fit, at: QPointF) -> Placed | None:
        """Drag the held point; None if it stays on its pixel."""
        if self._held is None:
            return None
        return self._put(fit, at.x() - self._held[0], at.y() - self._held[1])

    def release(self) -> None:
        """Let go."""
        self._held = None

    def key(self, event: QKeyEvent, native: Size) -> Placed | None:
        """What an arrow key, Home or End does; None if it is no such key."""
        key, point = Qt.Key(event.key()), self.active
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if point is None or modifiers not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            return None
        if key in _ENDS and len(self._points) > 1:
            self._end = _ENDS[key]
            return Placed(self._points[self._end], self._end)
        if key not in _ARROWS:
            return None
        times = FAR if modifiers & Qt.KeyboardModifier.ShiftModifier else NUDGE
        across, down = _ARROWS[key]
        return self._to(_within(point.x + times * across, point.y + times * down, native))

    def _nearest(self, fit: Fit, at: QPointF, scale: float) -> int | None:
        places = [fit.to_device(point) for point in self._points]
        away = [math.hypot(place.x - at.x(), place.y - at.y()) for place in places]
        close = [(distance, number != self._end, number) for number, distance in enumerate(away)]
        close = [each for each in close if each[0] <= GRAB * scale]
        return min(close)[2] if close else None

    def _put(self, fit: Fit, x: float, y: float) -> Placed | None:
        across, down = position(fit, x, y)
        point = _within(math.floor(across), math.floor(down), fit.native)
        return self._to(point) if point != self.active else None

    def _to(self, point: NativePoint) -> Placed:
        self._points = tuple(point if number == self._end else other for number, other in enumerate(self._points))
        return Placed(point, self._end)

    def paint(self, painter: QPainter, fit: Fit, scale: float) -> None:
        """Mark both points of a drag as movable, the active one filled; `painter` must be in device pixels."""
        if len(self._points) < 2:
            return  # the ring shows where the only one is
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, point in enumerate(self._points):
            at, radius = fit.to_device(point), _HANDLE * scale
            painter.setPen(QPen(QColor("white"), 4 * scale))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(at.x, at.y), radius, radius)
            painter.setPen(QPen(QColor(OVERLAY_RISK[None]), 2 * scale))
            if number == self._end:
                painter.setBrush(QColor(255, 255, 255, 110))
            painter.drawEllipse(QPointF(at.x, at.y), radius, radius)


def _within(x: int, y: int, native: Size) -> NativePoint:
    return NativePoint(min(max(x, 0), native.width - 1), min(max(y, 0), native.height - 1))
