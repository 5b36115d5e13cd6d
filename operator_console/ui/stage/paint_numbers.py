"""Paints the numbered boxes of elements over the preview, as they are drawn on the picture that the model gets."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.geometry import Rect
from operator_console.ui.stage.fit import Fit

LEAST_DIGITS = 8.0
"""Least height of the font in logical pixels: tags grow around their middle where the picture is shown small."""


def paint_numbers(painter: QPainter, fit: Fit, marks: Sequence[ElementMark], *, scale: float, font: QFont) -> None:
    """Draw them; `painter` must be in device pixels. `scale` is device pixels per logical pixel."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for mark in marks:
        _box(painter, fit, mark, max(1, round(scale)))
    for mark in marks:
        _tag(painter, fit, mark, scale, font)


def _box(painter: QPainter, fit: Fit, mark: ElementMark, width: int) -> None:
    rect = _device_rect(fit, mark.box)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # Around the box, not in it, where its text is: each line's middle is half its width further out.
    for away, ink in ((1.5 * width, QColor("white")), (0.5 * width, QColor(mark.colour))):
        pen = QPen(ink, width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawRect(rect.adjusted(-away, -away, away, away))


def _tag(painter: QPainter, fit: Fit, mark: ElementMark, scale: float, font: QFont) -> None:
    rect = _device_rect(fit, mark.tag)
    digits = QFont(font)
    digits.setPixelSize(round(max(LEAST_DIGITS * scale, rect.height() * 0.75)))
    metrics, text = QFontMetricsF(digits), str(mark.number)
    wide = max(0.0, metrics.horizontalAdvance(text) + 4 * scale - rect.width()) / 2
    high = max(0.0, metrics.capHeight() + 4 * scale - rect.height()) / 2
    rect.adjust(-wide, -high, wide, high)
    painter.setPen(QPen(QColor("white"), max(1, round(scale))))
    painter.setBrush(QColor(mark.colour))
    painter.drawRect(rect)
    painter.setPen(QColor("white"))
    painter.setFont(digits)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)


def _device_rect(fit: Fit, rect: Rect) -> QRectF:
    box = fit.to_box(rect)
    left, top, right, bottom = (round(edge) for edge in (box.x, box.y, box.x + box.width, box.y + box.height))
    return QRectF(left, top, right - left, bottom - top)
