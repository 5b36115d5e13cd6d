"""Paints boxes of elements over the preview, in device pixels.

Outlines of the known elements, of which the one under the pointer has its name; and numbered boxes, as they are drawn
on the picture that the model gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.ui.preview.fit import Box, DevicePoint, Fit, place_label

INK, HALO = "#2456c7", QColor(255, 255, 255, 150)
"""The same in both themes: outlines lie over a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementOutline:
    """An element on the picture: its extents in native pixels, and its role and name."""

    box: Rect
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementOutlines:
    """The outlines over a picture of `native` pixels."""

    native: Size
    outlines: tuple[ElementOutline, ...] = ()

    def at(self, point: NativePoint) -> ElementOutline | None:
        """The smallest one around a point."""
        around = (each for each in self.outlines if each.box.contains(point.x, point.y))
        return min(around, key=lambda each: each.box.width * each.box.height, default=None)


def paint_outlines(
    painter: QPainter, fit: Fit, shown: ElementOutlines, pointed: ElementOutline | None, *, scale: float, font: QFont
) -> None:
    """Draw them; `painter` must be in device pixels, and `font` be sized in them."""
    if shown.native != fit.native:
        return  # they belong to a picture of another size
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for each in shown.outlines:
        if each is not pointed:
            _outline(painter, fit, each, round(scale))
    if pointed is not None:
        _outline(painter, fit, pointed, round(2 * scale), filled=True)
        _label(painter, fit, pointed, scale, font)


def _outline(painter: QPainter, fit: Fit, each: ElementOutline, width: int, *, filled: bool = False) -> None:
    box = fit.to_box(each.box.intersect(Rect(0, 0, fit.native.width, fit.native.height)))
    left, top, right, bottom = (round(v) for v in (box.x, box.y, box.x + box.width, box.y + box.height))
    rect = QRectF(left, top, right - left, bottom - top)
    if filled:
        fill = QColor(INK)
        fill.setAlpha(40)
        painter.fillRect(rect, fill)
    for ink, thick in ((HALO, width + 2), (QColor(INK), width)):
        pen = QPen(ink, thick)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)


def _label(painter: QPainter, fit: Fit, each: ElementOutline, scale: float, font: QFont) -> None:
    metrics, pad = QFontMetricsF(font), 6 * scale
    box = fit.to_box(each.box)
    at = DevicePoint(box.x + box.width / 2, box.y + box.height / 2)
    text = metrics.elidedText(each.title, Qt.TextElideMode.ElideRight, max(40.0, fit.width - 4 * pad))
    size = (metrics.horizontalAdvance(text) + 2 * pad, metrics.height() + 5 * scale)
    place: Box = place_label(at, size, clear=box.height / 2 + 3 * scale, bounds=fit.box, taken=(box,))
    rect = QRectF(place.x, place.y, place.width, place.height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(255, 255, 255, 200), scale))
    painter.setBrush(QColor(INK))
    painter.drawRoundedRect(rect, 3 * scale, 3 * scale)
    painter.setPen(QColor("white"))
    painter.setFont(font)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)


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
