"""Paints outlines of the known elements over the preview, in device pixels; the one under the pointer has its name."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.ui.stage.fit import Box, DevicePoint, Fit, place_label

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
