"""The numbered boxes of a question's choices over the preview: where they are, what is hit, how they are drawn.

In device pixels. The question itself, and its answer, are the side card's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from operator_console.ui.preview.fit import Box, DevicePoint, Fit, place_label, place_tag
from operator_console.ui.preview.paint_marks import REGION_GAP, Look, draw_with_halo
from operator_console.ui.preview.plan_marks import Mark, MarkShape
from operator_console.ui.theme_colours import OVERLAY_RISK

INK = OVERLAY_RISK[None]
_LEAST_HIT = 24.0  # logical pixels: a smaller box is hit from beside it, too
_WIDEST = 0.6  # of the preview: a longer text is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceBox:
    """A choice's outline and the tag with its number."""

    mark: Mark
    outline: Box
    tag: Box


def plan_choices(fit: Fit, marks: Sequence[Mark], look: Look) -> tuple[ChoiceBox, ...]:
    """The boxes of the choices that are in sight. A tag covers neither another choice nor another tag, if possible."""
    away, metrics = REGION_GAP * look.scale, QFontMetricsF(_bold(look.font))
    outlines = [
        (mark, _around(fit.to_box(mark.region), away))
        for mark in marks
        if mark.shape is MarkShape.CHOICE and mark.region is not None
    ]
    bounds, boxes = fit.box.common(look.view), list[ChoiceBox]()
    for mark, outline in outlines:
        if outline.overlap(bounds) <= 0:
            continue
        size = (
            max(metrics.horizontalAdvance(str(mark.number)) + 10 * look.scale, metrics.height() + 4 * look.scale),
            metrics.height() + 4 * look.scale,
        )
        taken = [each for _, each in outlines] + [each.tag for each in boxes]
        boxes.append(ChoiceBox(mark=mark, outline=outline, tag=place_tag(outline, size, bounds=bounds, taken=taken)))
    return tuple(boxes)


def choice_at(boxes: Sequence[ChoiceBox], x: float, y: float, scale: float) -> int | None:
    """The number of the choice at a device position; where several are hit, the one whose middle is nearest."""
    found = [
        (abs(_middle(each.outline).x - x) + abs(_middle(each.outline).y - y), each.mark.number)
        for each in boxes
        if _holds(_grown(each.outline, _LEAST_HIT * scale), x, y) or _holds(each.tag, x, y)
    ]
    on_tag = [each.mark.number for each in boxes if _holds(each.tag, x, y)]
    return on_tag[0] if on_tag else min(found)[1] if found else None


def paint_choices(painter: QPainter, fit: Fit, boxes: Sequence[ChoiceBox], look: Look, *, pointed: int | None) -> None:
    """Draw them; the one that is pointed at is filled and has its words."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for each in boxes:
        rect = _rect(each.outline)
        fill = QColor(INK)
        fill.setAlpha(70 if each.mark.number == pointed else 28)
        painter.fillRect(rect, fill)
        width = (3.0 if each.mark.number == pointed else 2.0) * look.scale
        draw_with_halo(painter, QColor(INK), width, lambda rect=rect: painter.drawRect(rect))  # type: ignore[misc]
    for each in boxes:
        _paint_tag(painter, each.tag, str(each.mark.number), _bold(look.font), look.scale)
    for each in boxes:
        if each.mark.number == pointed:
            _paint_words(painter, fit, each, boxes, look)


def _paint_words(painter: QPainter, fit: Fit, each: ChoiceBox, boxes: Sequence[ChoiceBox], look: Look) -> None:
    metrics, bounds = QFontMetricsF(look.font), fit.box.common(look.view)
    text = metrics.elidedText(each.mark.label, Qt.TextElideMode.ElideRight, max(40.0, bounds.width * _WIDEST))
    size = (metrics.horizontalAdvance(text) + 12 * look.scale, metrics.height() + 5 * look.scale)
    taken = [box for other in boxes for box in (other.outline, other.tag)]
    clear = each.outline.height / 2 + 4 * look.scale
    box = place_label(_middle(each.outline), size, clear=clear, bounds=bounds, taken=taken)
    _paint_tag(painter, box, text, look.font, look.scale)


def _paint_tag(painter: QPainter, box: Box, text: str, font: QFont, scale: float) -> None:
    painter.setPen(QPen(QColor(255, 255, 255, 230), scale))
    painter.setBrush(QColor(INK))
    painter.drawRoundedRect(_rect(box), 3 * scale, 3 * scale)
    painter.setPen(QColor("white"))
    painter.setFont(font)
    painter.drawText(_rect(box), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)


def _bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    made.setPixelSize(round(font.pixelSize() * 1.15))
    return made


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)


def _around(box: Box, away: float) -> Box:
    return Box(box.x - away, box.y - away, box.width + 2 * away, box.height + 2 * away)


def _grown(box: Box, least: float) -> Box:
    across, down = max(0.0, least - box.width) / 2, max(0.0, least - box.height) / 2
    return Box(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)


def _middle(box: Box) -> DevicePoint:
    return DevicePoint(box.x + box.width / 2, box.y + box.height / 2)


def _holds(box: Box, x: float, y: float) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
