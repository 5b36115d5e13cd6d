"""Paints the pictures of the preview: the target's, and the small live one in the corner. In device pixels.

A live picture is reduced in size, and only what changed is drawn again, with exactly the pixels of a full redraw.
Placing it is done by `fit`, the marks over it by `paint_marks`.

There are two methods. From zoom `FEW_OF_MANY` on, QPainter's smooth transform, which samples four pixels. It steps
through the picture in 65536ths of a pixel, accumulating the steps from the start of a row, and computes the last pixels
of a row more precisely than the others. So the step passed to it is a whole number of 65536ths, and the end of each
drawn row is discarded. Below that zoom, each pixel is the mean of all native pixels that it covers, computed tile by
tile, because a tile's pixels do not depend on other tiles.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen, QRegion, QTransform

from operator_console.domain.geometry import Rect, Size
from operator_console.ui.preview.fit import Box, Fit

FEW_OF_MANY = 0.45
"""Below this zoom sampling four pixels is not enough: thin lines and letters would be lost."""

_STEPS = 65536
_ROUNDING_MARGIN = 1e-5  # of a step: rounding must not fall below the whole number; too small to add up to one
_TILE = 64
_PAINTER_GROUP = 16  # the most pixels of a row that the painter computes together
_MAX_ROW = 1024  # of a row: the painter splits rows longer than 2048


def changed_part(fit: Fit, box: Rect) -> QRect:
    """The device pixels (relative to the picture) that change when `box` (native pixels) changes."""
    across, down = (fit.width, fit.native.width), (fit.height, fit.native.height)
    if fit.zoom < FEW_OF_MANY:
        (left, right), (top, bottom) = _tile_range(*across, box.x, box.right), _tile_range(*down, box.y, box.bottom)
        left, top, right, bottom = left * _TILE, top * _TILE, right * _TILE, bottom * _TILE
    else:
        (left, right), (top, bottom) = (
            _affected_range(*across, box.x, box.right),
            _affected_range(*down, box.y, box.bottom),
        )
    return QRect(left, top, right - left, bottom - top).intersected(QRect(0, 0, fit.width, fit.height))


class Small:
    """A cached, reduced copy of a picture, drawn only where it is looked at, and again where the picture changed."""

    def __init__(self) -> None:
        self._shape: tuple[Size, Size] | None = None
        self._small = QImage()
        self._drawn = QRegion()
        self._stale: Rect | None = None

    def changed(self, box: Rect | None) -> None:
        """Record that the next picture differs from the previous one in `box` (native pixels); None: anywhere."""
        if box is None:
            self._shape = None
        elif self._shape is not None:
            self._stale = box if self._stale is None else self._stale.union(box)

    def picture(self, image: QImage, fit: Fit, part: QRect | None = None) -> QImage:
        """The picture at its drawn size; only `part` of it (None: all) is sure to be drawn.

        Args:
            image: the picture.
            fit: its drawn size.
            part: device pixels, relative to the picture.
        """
        shape = (Size(fit.width, fit.height), fit.native)
        if self._shape != shape:
            self._shape = shape
            # The system gives memory only to the pixels that are drawn.
            self._small = QImage(fit.width, fit.height, QImage.Format.Format_RGB32)
            self._drawn = QRegion()
        elif self._stale is not None and not self._stale.empty:
            self._drawn = self._drawn.subtracted(QRegion(changed_part(fit, self._stale)))
        self._stale = None
        whole = QRect(0, 0, fit.width, fit.height)
        wanted = whole if part is None else _to_tiles(part).intersected(whole)
        renew = self._average if fit.zoom < FEW_OF_MANY else self._smooth
        for missing in QRegion(wanted).subtracted(self._drawn):  # type: ignore[attr-defined]  # it is iterable
            renew(image, fit, missing)
        self._drawn = self._drawn.united(QRegion(wanted))
        return self._small

    def forget(self) -> None:
        """Drop the cached scaled picture."""
        self._shape, self._small, self._drawn, self._stale = None, QImage(), QRegion(), None

    def _smooth(self, image: QImage, fit: Fit, part: QRect) -> None:
        end = part.left() + part.width()
        for left in range(part.left() // _PAINTER_GROUP * _PAINTER_GROUP, end, _MAX_ROW):
            right = min(left + _MAX_ROW, end)
            drawn = _draw_smooth(
                image, fit, QRect(left, part.top(), min(right + _PAINTER_GROUP, fit.width) - left, part.height())
            )
            painter = QPainter(self._small)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(left, part.top(), drawn, 0, 0, right - left, part.height())
            painter.end()

    def _average(self, image: QImage, fit: Fit, part: QRect) -> None:
        across, down = _tile_edges(fit.width, fit.native.width), _tile_edges(fit.height, fit.native.height)
        painter = QPainter(self._small)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        for row in range(part.top() // _TILE, part.bottom() // _TILE + 1):
            for column in range(part.left() // _TILE, part.right() // _TILE + 1):
                x, y = column * _TILE, row * _TILE
                left, top = across[column], down[row]
                tile = _view(image, QRect(left, top, across[column + 1] - left, down[row + 1] - top))
                size = (min(_TILE, fit.width - x), min(_TILE, fit.height - y))
                shape, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
                painter.drawImage(x, y, tile.scaled(*size, shape, smooth))
        painter.end()


def _to_tiles(part: QRect) -> QRect:
    """The part, extended to whole tiles: while a picture is moved, rows of one pixel would be drawn each by itself."""
    left, top = part.left() // _TILE * _TILE, part.top() // _TILE * _TILE
    right, bottom = -(-(part.left() + part.width()) // _TILE), -(-(part.top() + part.height()) // _TILE)
    return QRect(left, top, right * _TILE - left, bottom * _TILE - top)


def _draw_smooth(image: QImage, fit: Fit, part: QRect) -> QImage:
    """Draw a part of the picture at its drawn size."""
    drawn = QImage(part.size(), QImage.Format.Format_RGB32)
    across, down = _whole_steps(fit.native.width, fit.width), _whole_steps(fit.native.height, fit.height)
    painter = QPainter(drawn)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setTransform(QTransform(1 / across, 0, 0, 1 / down, -part.left(), -part.top()))
    painter.drawImage(0, 0, image)
    painter.end()
    return drawn


def _view(image: QImage, part: QRect) -> QImage:
    """A part of the picture; not copied if 32-bit, so keep `image` as long as the result."""
    if image.depth() != 32:
        return image.copy(part)
    pixels = image.constBits()
    stride = image.bytesPerLine()
    begin = part.top() * stride + part.left() * 4
    end = begin + (part.height() - 1) * stride + part.width() * 4
    return QImage(pixels[begin:end], part.width(), part.height(), stride, image.format())


def _whole_steps(native: int, drawn: int) -> float:
    """Native pixels per drawn pixel, rounded down to a 65536th."""
    return (math.floor(native * _STEPS / drawn) + _ROUNDING_MARGIN) / _STEPS


def _tile_edges(drawn: int, native: int) -> list[int]:
    """The native pixels at which the tiles along one axis begin, and where the last one ends."""
    return [(2 * place * native + drawn) // (2 * drawn) for place in [*range(0, drawn, _TILE), drawn]]


def _tile_range(drawn: int, native: int, begin: int, end: int) -> tuple[int, int]:
    """The range of tiles that show native pixels begin..end."""
    edges = _tile_edges(drawn, native)
    return bisect_right(edges, begin) - 1, bisect_left(edges, end)


def _affected_range(drawn: int, native: int, begin: int, end: int) -> tuple[int, int]:
    """Range of drawn pixels affected by native pixels begin..end; filtering reaches half a pixel beyond each side."""
    zoom = drawn / native
    if zoom == round(zoom):
        return begin * round(zoom), end * round(zoom)
    return math.floor((begin - 0.5) * zoom - 0.5) - 1, math.ceil((end + 0.5) * zoom + 0.5) + 1


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
