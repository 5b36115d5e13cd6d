"""Paints the pictures of the preview: the target's, and the small live one in the corner. In device pixels."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from operator_console.domain.geometry import Size
from operator_console.ui.stage.fit import Box, Fit
from operator_console.ui.stage.scaled_picture import Small

_MOST_WIDTH, _SHARE, _EDGE = 220, 0.3, 16
"""Of the picture in the corner, in logical pixels: its width, its part of the preview, its distance from the edges."""


def paint_picture(painter: QPainter, image: QImage, fit: Fit, area: QRect, small: Small) -> None:
    """Paint the part of a picture in `area`; `small` keeps its reduced copy."""
    area = area.intersected(QRect(fit.x, fit.y, fit.width, fit.height))
    if area.isEmpty():
        return
    if image.size() != QSize(fit.native.width, fit.native.height):  # an older record may have a reduced picture
        across, down = image.width() / fit.width, image.height() / fit.height
        place = area.translated(-fit.x, -fit.y)
        part = QRectF(place.x() * across, place.y() * down, place.width() * across, place.height() * down)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(area), image, part)
        return
    if fit.zoom < 1.0:
        seen = area.translated(-fit.x, -fit.y)
        painter.drawImage(area.topLeft(), small.picture(image, fit, seen), seen)
        return
    small.forget()
    # At whole multiples without smoothing, so that each pixel stays sharp; only pixels that are seen, because the
    # painter's coordinates end at 32767.
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    times = fit.width // fit.native.width
    left, top = (area.left() - fit.x) // times, (area.top() - fit.y) // times
    right = -((fit.x - area.left() - area.width()) // times)
    bottom = -((fit.y - area.top() - area.height()) // times)
    native = QRect(left, top, right - left, bottom - top)
    drawn = QRect(fit.x + left * times, fit.y + top * times, native.width() * times, native.height() * times)
    painter.drawImage(drawn, image, native)


@dataclass(frozen=True, slots=True, kw_only=True)
class CornerLook:
    """How the picture in the corner is drawn: `words` are its tag, `ground` the tag's colour."""

    scale: float
    font: QFont
    words: str
    ground: QColor


def corner_box(view: QSize, native: Size, scale: float) -> Box:
    """Where the live picture stands while a past step is shown.

    Args:
        view: the preview, in logical pixels.
        native: the size of the live picture.
        scale: device pixels per logical pixel.
    """
    most = view.height() * scale * _SHARE * native.width / native.height
    width = max(1, round(min(_MOST_WIDTH * scale, view.width() * scale * _SHARE, most)))
    height = max(1, round(width * native.height / native.width))
    x = round(view.width() * scale) - width - round(_EDGE * scale)
    return Box(x, round(view.height() * scale) - height - round(_EDGE * scale), width, height)


def paint_corner(painter: QPainter, image: QImage, box: Box, look: CornerLook) -> None:
    """Paint the live picture in its box, framed and tagged."""
    x, y, width, height = (round(side) for side in (box.x, box.y, box.width, box.height))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setPen(QPen(QColor("#ffffff"), 2 * look.scale))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(x, y, width, height))
    painter.drawImage(QRect(x, y, width, height), image)
    painter.setFont(look.font)
    tag = QRectF(x, y, 60 * look.scale, 20 * look.scale)
    painter.fillRect(tag, look.ground)
    painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, look.words)
