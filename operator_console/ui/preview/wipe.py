"""The picture after a step, shown over the right part of the one before it, from a line on that can be dragged.

Not a widget: the preview paints with it and passes it the mouse.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QMouseEvent, QPainter, QPen

from operator_console.domain.translations import _
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.paint_picture import Small

REACH = 8
"""Logical pixels on each side of the line that take hold of it."""


class Wipe:
    """The picture after, and how much of it is shown.

    Attributes:
        held: whether the line is being dragged.
    """

    def __init__(self) -> None:
        self._after: QImage | None = None
        self._share = 0.0
        self._small = Small()
        self.held = False

    @property
    def shown(self) -> bool:
        """Whether two pictures are shown."""
        return self._after is not None

    def show(self, after: QImage | None, share: float) -> bool:
        """Show this share of a picture; None: nothing. Whether anything changed."""
        before, same = self._after, False
        if after is not None and before is not None:
            same = before.cacheKey() == after.cacheKey()
        if not same:
            self._small.changed(None)
        changed = (after is not None or before is not None) and not (same and share == self._share)
        self._after, self._share = after, share
        if after is None:
            self.held = False
            self._small.forget()
        return changed

    def paint(self, painter: QPainter, fit: Fit, area: QRect, *, scale: float, font: QFont) -> None:
        """Paint picture, line and words; `area` and `fit` in device pixels, of which a logical pixel has `scale`."""
        image = self._after
        if image is None or image.size() != QSize(fit.native.width, fit.native.height):
            return
        x = self._line(fit)
        part = area.intersected(QRect(x, fit.y, fit.x + fit.width - x, fit.height))
        if not part.isEmpty():
            self._paint_part(painter, fit, part, image)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for ink, width in (("#14181d", 4.0), ("#ffffff", 2.0)):
            painter.setPen(QPen(QColor(ink), width * scale))
            painter.drawLine(QPointF(x, fit.y), QPointF(x, fit.y + fit.height))
        self._grip(painter, QPointF(x, fit.y + fit.height / 2), scale)
        self._words(painter, fit, x, scale, font)
        painter.restore()

    def _paint_part(self, painter: QPainter, fit: Fit, part: QRect, image: QImage) -> None:
        seen = part.translated(-fit.x, -fit.y)
        if fit.zoom < 1.0:
            painter.drawImage(part.topLeft(), self._small.picture(image, fit, seen), seen)
            return
        times = fit.width / fit.native.width
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        native = QRectF(seen.x() / times, seen.y() / times, seen.width() / times, seen.height() / times)
        painter.drawImage(QRectF(part), image, native)

    def _grip(self, painter: QPainter, at: QPointF, scale: float) -> None:
        painter.setPen(QPen(QColor("#14181d"), scale))
        painter.setBrush(QColor("#ffffff"))
        painter.drawEllipse(at, 11 * scale, 11 * scale)
        pen = QPen(QColor("#14181d"), 1.8 * scale)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        for way in (-1, 1):
            tip, back, arm = at + QPointF(way * 7 * scale, 0), way * 3 * scale, 3 * scale
            painter.drawLine(tip, tip + QPointF(-back, -arm))
            painter.drawLine(tip, tip + QPointF(-back, arm))

    def _words(self, painter: QPainter, fit: Fit, x: int, scale: float, font: QFont) -> None:
        painter.setFont(font)
        metrics = QFontMetrics(font)
        height, gap = metrics.height() + 6 * scale, 8 * scale
        for text, side in ((_("Before"), -1), (_("After"), 1)):
            width = metrics.horizontalAdvance(text) + 12 * scale
            left = x + gap if side > 0 else x - gap - width
            if left < fit.x or left + width > fit.x + fit.width:
                continue
            box = QRectF(left, fit.y + gap, width, height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(20, 24, 29, 220))
            painter.drawRoundedRect(box, 4 * scale, 4 * scale)
            painter.setPen(QColor("#ffffff"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _line(self, fit: Fit) -> int:
        return fit.x + round(fit.width * (1.0 - self._share))

    def near(self, at: QPointF, fit: Fit | None, scale: float) -> bool:
        """Whether a point (logical pixels) is on the line."""
        return self._after is not None and fit is not None and abs(at.x() * scale - self._line(fit)) <= REACH * scale

    def press(self, event: QMouseEvent, fit: Fit | None, scale: float) -> float | None:
        """Take hold of the line; the share at the pointer, None if the press was not on it."""
        if self._after is None or fit is None or event.button() is not Qt.MouseButton.LeftButton:
            return None
        if not self.near(event.position(), fit, scale):
            return None
        self.held = True
        return self.move(event, fit, scale)

    def move(self, event: QMouseEvent, fit: Fit | None, scale: float) -> float | None:
        """The share at the pointer while the line is held; else None."""
        if not self.held or fit is None:
            return None
        share = 1.0 - (event.position().x() * scale - fit.x) / fit.width
        return min(0.99, max(0.01, share))  # at the very end there would be no line to take hold of

    def release(self) -> None:
        """Let go of the line."""
        self.held = False
