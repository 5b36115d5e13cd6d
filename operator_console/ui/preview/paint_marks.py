"""Paints marks over the preview, in device pixels, so that they stay legible at any zoom.

It does not plan the marks (`plan_marks`) or place the picture (`fit`). A reticle is a ring, a gap and a dot; the dot's
centre is the centre of the device pixel under the target's pixel, and every part of a ring is symmetrical around it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from operator_console.domain.geometry import Rect
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.fit import Box, DevicePoint, Fit, place_label
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.theme_colours import OVERLAY_RISK

RING = 13.0
"""Radius of the ring in logical pixels."""
CLEAR = 24.0
"""Distance of labels from the dot in logical pixels."""
EDGE = 6.0
"""Distance of labels from the edges of the preview in logical pixels."""
REGION_GAP = 4.0
"""Gap between the model's box and its dashed outline in logical pixels."""
OUTLINE, CORNER = 1.5, 3.0
"""Width and radius of the corners of a control's outline in logical pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the overlay is drawn.

    Attributes:
        scale: device pixels per logical pixel.
        font: the labels' font, sized in device pixels.
        view: the preview, in device pixels: labels stay in it, also of marks that are out of sight.
        lead: elapsed part of a mark's lead time, 0..1; None without one.
        opacity: 0..1; done marks fade.
    """

    scale: float
    font: QFont
    view: Box
    lead: Callable[[Mark], float | None]
    opacity: Callable[[Mark], float]


def paint_overlay(painter: QPainter, fit: Fit, marks: tuple[Mark, ...], look: Look) -> None:
    """Draw all marks but those of choices; `painter` must be in device pixels."""
    marks = tuple(mark for mark in marks if mark.shape is not MarkShape.CHOICE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_path(painter, fit, marks, look)
    for mark in marks:
        painter.setOpacity(_strength(mark, look))
        _paint_region(painter, fit, mark, look)
        for extent in mark.controls:
            _paint_control(painter, fit, extent, mark, look)
    for mark in marks:
        painter.setOpacity(_strength(mark, look))
        _paint_mark(painter, fit, mark, look)
    _paint_labels(painter, fit, marks, look)
    painter.setOpacity(1.0)


def _strength(mark: Mark, look: Look) -> float:
    return look.opacity(mark) * (0.9 if mark.stage is MarkStage.WAITING else 1.0)


def _colour(mark: Mark) -> QColor:
    return QColor(OVERLAY_RISK[mark.risk])


def draw_with_halo(
    painter: QPainter, colour: QColor, width: float, draw: Callable[[], None], dashed: bool = False
) -> None:
    """Draw twice: wide in white (the halo), then in the colour."""
    for ink, extra in ((QColor(255, 255, 255, 220), 2.6), (colour, 0.0)):
        pen = QPen(ink, width + extra * (width / 2.2))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if dashed and extra == 0.0:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        draw()


def _paint_path(painter: QPainter, fit: Fit, marks: tuple[Mark, ...], look: Look) -> None:
    pointed = [mark for mark in marks if mark.points and mark.shape is not MarkShape.KEYS]
    for before, after in itertools.pairwise(pointed):
        start, end = fit.to_device(before.points[-1]), fit.to_device(after.points[0])
        length = math.hypot(end.x - start.x, end.y - start.y)
        trim = (RING + 4) * look.scale
        if length < 2.5 * trim:
            continue
        ux, uy = (end.x - start.x) / length, (end.y - start.y) / length
        line = QLineF(start.x + ux * trim, start.y + uy * trim, end.x - ux * trim, end.y - uy * trim)
        painter.setOpacity(min(_strength(before, look), _strength(after, look)))
        draw_with_halo(painter, QColor("#3c4652"), 1.6 * look.scale, partial(painter.drawLine, line), dashed=True)


def _paint_region(painter: QPainter, fit: Fit, mark: Mark, look: Look) -> None:
    if mark.region is None:
        return
    box = fit.to_box(mark.region)
    around = REGION_GAP * look.scale  # without a gap the outline would strike through text that fills the box
    rect = QRectF(box.x, box.y, box.width, box.height).adjusted(-around, -around, around, around)
    fill = _colour(mark)
    fill.setAlpha(28)
    painter.fillRect(rect, fill)
    draw_with_halo(painter, _colour(mark), 1.6 * look.scale, lambda: painter.drawRect(rect), dashed=True)


def _paint_control(painter: QPainter, fit: Fit, extent: Rect, mark: Mark, look: Look) -> None:
    box = fit.to_box(extent.intersect(Rect(0, 0, fit.native.width, fit.native.height)))
    width = max(1, round(OUTLINE * look.scale))
    # Lines of whole device pixels are sharp only if their middles lie between pixels (even) or on one (odd).
    left, top, right, bottom = (
        round(edge) + width % 2 / 2 for edge in (box.x, box.y, box.x + box.width, box.y + box.height)
    )
    rect, radius = QRectF(left, top, right - left, bottom - top), CORNER * look.scale
    draw_with_halo(painter, _colour(mark), width, partial(painter.drawRoundedRect, rect, radius, radius))


def _paint_mark(painter: QPainter, fit: Fit, mark: Mark, look: Look) -> None:
    if not mark.points or mark.shape in (MarkShape.REGION, MarkShape.KEYS):
        return
    points = [fit.to_device(point) for point in mark.points]
    if mark.shape is MarkShape.DRAG:
        _paint_drag(painter, points, mark, look)
    if mark.shape is MarkShape.SCROLL:
        _paint_scroll(painter, points[0], mark, look)
    _paint_reticle(painter, points[0], mark, look)
    progress = look.lead(mark)
    if progress is not None:
        radius = (RING + 10) * look.scale
        rect = QRectF(points[0].x - radius, points[0].y - radius, 2 * radius, 2 * radius)
        span = round(-360 * 16 * min(1.0, progress))
        draw_with_halo(painter, _colour(mark), 2.0 * look.scale, lambda: painter.drawArc(rect, 90 * 16, span))


def _paint_reticle(painter: QPainter, at: DevicePoint, mark: Mark, look: Look) -> None:
    colour, scale = _colour(mark), look.scale
    centre = QPointF(at.x, at.y)

    def rings() -> None:
        painter.drawEllipse(centre, RING * scale, RING * scale)
        if mark.risk is RiskClass.C3:
            painter.drawEllipse(centre, (RING + 4) * scale, (RING + 4) * scale)
        if mark.risk is RiskClass.C4:
            near, far = 5 * scale, RING * 0.7071 * scale
            for sx, sy in ((-1, 1), (1, -1)):
                painter.drawLine(QPointF(at.x + sx * near, at.y + sy * near), QPointF(at.x + sx * far, at.y + sy * far))
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            further = 4 if mark.risk is RiskClass.C3 else 0
            inner, outer = (RING - 1 + further) * scale, (RING + 6 + further) * scale
            painter.drawLine(
                QPointF(at.x + dx * inner, at.y + dy * inner), QPointF(at.x + dx * outer, at.y + dy * outer)
            )

    draw_with_halo(painter, colour, 2.2 * scale, rings)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(255, 255, 255, 235))
    painter.drawEllipse(centre, 3.4 * scale, 3.4 * scale)
    painter.setBrush(colour)
    painter.drawEllipse(centre, 1.9 * scale, 1.9 * scale)


def _paint_drag(painter: QPainter, points: list[DevicePoint], mark: Mark, look: Look) -> None:
    # The line starts at the ring, so that it does not cover the dot.
    away = math.hypot(points[1].x - points[0].x, points[1].y - points[0].y)
    trim = min(1.0, RING * look.scale / away) if away else 0.0
    path = QPainterPath(
        QPointF(points[0].x + trim * (points[1].x - points[0].x), points[0].y + trim * (points[1].y - points[0].y))
    )
    for point in points[1:]:
        path.lineTo(point.x, point.y)
    draw_with_halo(painter, _colour(mark), 2.4 * look.scale, lambda: painter.drawPath(path))
    last = points[-1]
    before = next((p for p in reversed(points[:-1]) if math.hypot(p.x - last.x, p.y - last.y) > 2), points[0])
    _paint_head(painter, before, last, mark, look)


def _paint_head(painter: QPainter, start: DevicePoint, tip: DevicePoint, mark: Mark, look: Look) -> None:
    angle = math.atan2(tip.y - start.y, tip.x - start.x)
    size = 11 * look.scale
    turns = (angle + math.radians(155), angle - math.radians(155))
    corners = [QPointF(tip.x, tip.y), *(QPointF(tip.x + size * math.cos(t), tip.y + size * math.sin(t)) for t in turns)]
    painter.setPen(QPen(QColor(255, 255, 255, 220), 1.4 * look.scale))
    painter.setBrush(_colour(mark))
    painter.drawPolygon(QPolygonF(corners))


def _paint_scroll(painter: QPainter, at: DevicePoint, mark: Mark, look: Look) -> None:
    for notches, ux, uy in ((mark.notches[0], 1, 0), (mark.notches[1], 0, 1)):
        if not notches:
            continue
        sign = 1 if notches > 0 else -1
        near, step = (RING + 8) * look.scale, 7 * look.scale
        count = min(abs(notches), 8)
        length = near + step * (count + 1.5)
        tip = DevicePoint(at.x + ux * sign * length, at.y + uy * sign * length)
        start = QPointF(at.x + ux * sign * near, at.y + uy * sign * near)

        def arrow(
            start: QPointF = start,
            tip: DevicePoint = tip,
            ux: int = ux,
            uy: int = uy,
            sign: int = sign,
            count: int = count,
        ) -> None:
            painter.drawLine(start, QPointF(tip.x, tip.y))
            half = 4.5 * look.scale
            for number in range(count):
                far = (RING + 8) * look.scale + 7 * look.scale * (number + 0.5)
                x, y = at.x + ux * sign * far, at.y + uy * sign * far
                painter.drawLine(QPointF(x - uy * half, y - ux * half), QPointF(x + uy * half, y + ux * half))

        draw_with_halo(painter, _colour(mark), 2.2 * look.scale, arrow)
        _paint_head(painter, DevicePoint(start.x(), start.y()), tip, mark, look)


@dataclass(frozen=True, slots=True)
class Label:
    """A mark's label: its place, and its text with an arrow towards a target that is out of sight."""

    mark: Mark
    box: Box
    text: str


def plan_labels(fit: Fit, marks: Sequence[Mark], look: Look) -> tuple[Label, ...]:
    """The labels of marks that have not faded: beside their rings, or at the edge of the preview nearest to them."""
    metrics, view = QFontMetricsF(look.font), _within(look.view, EDGE * look.scale)
    keep, picture, labels = CLEAR * look.scale, fit.box.common(view), list[Label]()
    taken = [
        Box(at.x - keep, at.y - keep, 2 * keep, 2 * keep)
        for mark in marks
        for at in (fit.to_device(point) for point in mark.points)
    ]
    for mark in marks:
        if not mark.points or look.opacity(mark) <= 0.0:
            continue
        at = fit.to_device(mark.points[0])
        number, arrow = f"{mark.number}", _arrow(at, look.view)
        text = f"{arrow} {mark.label}" if arrow else mark.label
        pad, gap = 6 * look.scale, 6 * look.scale
        around = metrics.horizontalAdvance(number) + gap + 2 * pad
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, view.width - around))
        width = around + metrics.horizontalAdvance(text)
        bounds = picture if width <= picture.width else view
        height = metrics.height() + 5 * look.scale
        controls = [fit.to_box(extent) for extent in mark.controls]  # their texts stay legible
        box = place_label(at, (width, height), clear=keep * 0.8, bounds=bounds, taken=[*taken, *controls])
        taken.append(box)
        labels.append(Label(mark, box, text))
    return tuple(labels)


def _within(box: Box, edge: float) -> Box:
    return Box(box.x + edge, box.y + edge, box.width - 2 * edge, box.height - 2 * edge)


def _arrow(at: DevicePoint, view: Box) -> str:
    """An arrow from the preview to a target that is out of sight; "" if it is in sight."""
    across = (at.x >= view.x + view.width) - (at.x < view.x)
    down = (at.y >= view.y + view.height) - (at.y < view.y)
    return ("↖", "↑", "↗", "←", "", "→", "↙", "↓", "↘")[3 * (down + 1) + across + 1]


def covered_by(fit: Fit, marks: Sequence[Mark], look: Look) -> tuple[Box, ...]:
    """What rings, drags, scroll arrows and labels cover, roughly; marks that have faded cover nothing."""
    boxes = [label.box for label in plan_labels(fit, marks, look)]
    for mark in marks:
        if look.opacity(mark) <= 0.0 or mark.shape is MarkShape.CHOICE:
            continue
        points = [fit.to_device(point) for point in mark.points]
        reach = (RING + 12) * look.scale
        if mark.shape is MarkShape.SCROLL:
            reach += 7 * look.scale * (1.5 + min(8, max(map(abs, mark.notches))))
        boxes += [Box(at.x - reach, at.y - reach, 2 * reach, 2 * reach) for at in points]
        thick = 8 * look.scale
        for start, end in itertools.pairwise(points):
            steps = max(1, round(math.hypot(end.x - start.x, end.y - start.y) / (2 * thick)))
            for step in range(steps):
                x, y = (a + (b - a) * step / steps for a, b in ((start.x, end.x), (start.y, end.y)))
                boxes.append(Box(x - thick, y - thick, 2 * thick, 2 * thick))
    return tuple(boxes)


def _paint_labels(painter: QPainter, fit: Fit, marks: tuple[Mark, ...], look: Look) -> None:
    for label in plan_labels(fit, marks, look):
        # Not fainter while it waits: what lies below would take contrast from its text.
        painter.setOpacity(look.opacity(label.mark))
        _paint_label(painter, label.box, (f"{label.mark.number}", label.text), label.mark, look)


def _paint_label(painter: QPainter, box: Box, words: tuple[str, str], mark: Mark, look: Look) -> None:
    rect = QRectF(box.x, box.y, box.width, box.height)
    painter.setPen(QPen(QColor(255, 255, 255, 200), look.scale))
    painter.setBrush(_colour(mark))
    painter.drawRoundedRect(rect, 3 * look.scale, 3 * look.scale)
    painter.setPen(QColor("white"))
    pad = 6 * look.scale
    bold = QFont(look.font)
    bold.setBold(True)
    painter.setFont(bold)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
    painter.drawText(rect.adjusted(pad, 0, 0, 0), flags, words[0])
    offset = QFontMetricsF(bold).horizontalAdvance(words[0]) + pad
    painter.setFont(look.font)
    painter.drawText(rect.adjusted(pad + offset, 0, 0, 0), flags, words[1])
