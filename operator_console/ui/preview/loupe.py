"""The loupe: the native pixels around the next action's target, enlarged, while the picture is shown reduced.

It stands where it hides neither rings nor labels, moves only when they do, and is never animated. In device pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.ui.preview.fit import Box, DevicePoint, Fit
from operator_console.ui.preview.paint_marks import Look

ACROSS, DOWN = 45, 31
"""Native pixels shown; odd, so that the target has a middle. Wider than high: texts run across."""
TIMES = 4
"""Logical pixels for each native pixel."""
AWAY = 40.0
"""Least distance from the target in logical pixels."""
CAPTION = 18.0
"""Height of the line under the pixels, which names the target's pixel, in logical pixels."""
_LEGIBLE = 0.9
"""Zoom from which on the picture itself can be read, and a loupe would only hide it."""
_EDGE = 10.0  # logical pixels between it and the edge of the preview
_PICTURE = 0.01  # what covering a device pixel of the picture costs, beside 1 for a control's


@dataclass(frozen=True, slots=True, kw_only=True)
class Loupe:
    """Where the loupe stands and what it shows.

    Attributes:
        point: the target's native pixel, in the middle.
        native: the native pixels shown; may reach beyond the picture.
        box: the place of its pixels, without frame and caption.
        caption: the line below them.
        times: device pixels for each native pixel.
    """

    point: NativePoint
    native: Rect
    box: Box
    caption: Box
    times: int

    @property
    def whole(self) -> Box:
        """Its place with the caption, without the frame."""
        return Box(self.box.x, self.box.y, self.box.width, self.box.height + self.caption.height)

    @property
    def pixel(self) -> Box:
        """The target's pixel."""
        x, y = self.point.x - self.native.x, self.point.y - self.native.y
        return Box(self.box.x + x * self.times, self.box.y + y * self.times, self.times, self.times)


def plan_loupe(
    fit: Fit, point: NativePoint, *, scale: float, view: Box, hard: Sequence[Box], soft: Sequence[Box] = ()
) -> Loupe | None:
    """Place the loupe for a target; None where it is not needed, or there is no room for it.

    Args:
        fit: where the picture is.
        point: the target.
        scale: device pixels per logical pixel.
        view: the preview.
        hard: what it must not cover, besides the target: rings, paths and labels.
        soft: what it should not cover: controls.
    """
    target = fit.to_device(point)
    seen = view.x <= target.x < view.x + view.width and view.y <= target.y < view.y + view.height
    if fit.zoom >= _LEGIBLE and seen:
        return None
    times = max(1, round(TIMES * scale))
    width, height, caption = float(ACROSS * times), float(DOWN * times), float(round(CAPTION * scale))
    edge = _EDGE * scale
    bounds = Box(view.x + edge, view.y + edge, view.width - 2 * edge, view.height - 2 * edge)
    near = AWAY * scale / 2
    hard = (*hard, Box(target.x - near, target.y - near, 2 * near, 2 * near))
    best, least = None, math.inf
    for order, box in enumerate(_candidates(target, width, height + caption, AWAY * scale, bounds)):
        if box.outside(bounds) > 0 or any(box.overlap(other) > 0 for other in hard):
            continue
        cost = sum(box.overlap(other) for other in soft) + _PICTURE * box.overlap(fit.box) + order
        if cost < least:
            best, least = box, cost
    if best is None:
        return None
    native = Rect(point.x - ACROSS // 2, point.y - DOWN // 2, ACROSS, DOWN)
    pixels = Box(best.x, best.y, width, height)
    line = Box(best.x, best.y + height, width, caption)
    return Loupe(point=point, native=native, box=pixels, caption=line, times=times)


def _candidates(at: DevicePoint, width: float, height: float, away: float, bounds: Box) -> Iterable[Box]:
    """Around the target, near and farther; then the corners of the preview."""
    for far in (away, 2 * away, 3.5 * away):
        right, left, below, above = at.x + far, at.x - far - width, at.y + far, at.y - far - height
        middle_x, middle_y = at.x - width / 2, at.y - height / 2
        for x, y in (
            (right, above), (right, below), (left, above), (left, below),
            (right, middle_y), (left, middle_y), (middle_x, below), (middle_x, above),
        ):  # fmt: skip
            yield _whole(_inside(Box(x, y, width, height), bounds))
    far_x, far_y = bounds.x + bounds.width - width, bounds.y + bounds.height - height
    for x, y in ((far_x, bounds.y), (bounds.x, bounds.y), (bounds.x, far_y), (far_x, far_y)):
        yield _whole(Box(x, y, width, height))


def _inside(box: Box, bounds: Box) -> Box:
    x = max(bounds.x, min(box.x, bounds.x + bounds.width - box.width))
    y = max(bounds.y, min(box.y, bounds.y + bounds.height - box.height))
    return Box(x, y, box.width, box.height)


def _whole(box: Box) -> Box:
    return Box(math.floor(box.x), math.floor(box.y), box.width, box.height)


def paint_loupe(painter: QPainter, loupe: Loupe, image: QImage, *, look: Look, ink: QColor, ground: QColor) -> None:
    """Draw it; `image` has the native pixels. `ink`: the colour of the target's mark; `ground`: beyond the picture."""
    scale, frame = look.scale, _rect(loupe.whole)
    painter.fillRect(_rect(loupe.box), ground)
    shown = loupe.native.intersect(Rect(0, 0, image.width(), image.height()))
    if not shown.empty:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        x = round(loupe.box.x) + (shown.x - loupe.native.x) * loupe.times
        y = round(loupe.box.y) + (shown.y - loupe.native.y) * loupe.times
        place = QRect(x, y, shown.width * loupe.times, shown.height * loupe.times)
        painter.drawImage(place, image, QRect(shown.x, shown.y, shown.width, shown.height))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    thin, pixel = max(1, round(scale)), loupe.pixel
    around = _rect(pixel)
    for colour, away in ((QColor("white"), 1.5 * thin), (ink, 0.5 * thin)):  # the pixel itself is left as it is
        _outline(painter, around.adjusted(-away, -away, away, away), colour, thin)
    for colour, width in ((QColor(255, 255, 255, 230), 3 * thin), (ink, thin)):
        _outline(painter, frame.adjusted(-width / 2, -width / 2, width / 2, width / 2), colour, width)
    painter.fillRect(_rect(loupe.caption), ink)
    painter.setPen(QColor("white"))
    painter.setFont(look.font)
    words = f"{loupe.point.x}, {loupe.point.y} · {TIMES}×"
    painter.drawText(_rect(loupe.caption), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, words)


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)


def _outline(painter: QPainter, rect: QRectF, colour: QColor, width: float) -> None:
    pen = QPen(colour, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.drawRect(rect)
