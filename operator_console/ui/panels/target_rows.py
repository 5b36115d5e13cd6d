"""The rows of the open target list: a heading for each group, and a picture, title and note for each target.

Imported when the first list arrives: it needs `QtCore.Qt`, which would delay the first paint.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from operator_console.ui.widgets.controls import wide

LIST_WIDTH = 400
"""Least width of the open list, in logical pixels."""
SPEC, NOTE, PICTURE, KIND = (Qt.ItemDataRole.UserRole + number for number in range(4))
"""Item data: the target's specification ("" for a heading), what is said below the title, a QImage, and the value of
the target's `TargetKind`."""

PICTURE_SIZE = QSize(72, 45)
ROW_HEIGHT, HEADING_HEIGHT, PAD = 57, 30, 8
_LEFT_TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_STAGE, _INK = QColor("#23282f"), QColor("#aeb6c2")

Index = QModelIndex | QPersistentModelIndex


class TargetRows(QStyledItemDelegate):
    """Paints the rows."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A fixed picture, or the text where that is higher."""
        line = option.fontMetrics.height()
        if index.data(SPEC):
            return QSize(0, max(ROW_HEIGHT, 2 * line + 12))
        return QSize(0, max(HEADING_HEIGHT, line + 12) + self._said(option, index).height())

    def _said(self, option: QStyleOptionViewItem, index: Index) -> QRect:
        """The place of what is said below a heading, at the end of its row: in lines as long as the narrowest list."""
        note = str(index.data(NOTE) or "")
        if not note:
            return QRect()
        room = QRect(0, 0, wide(LIST_WIDTH, 1.0) - 4 * PAD, 10_000)  # a scroll bar stands beside it
        height = option.fontMetrics.boundingRect(room, _LEFT_TOP | Qt.TextFlag.TextWordWrap, note).height()
        return QRect(option.rect.left() + PAD, option.rect.bottom() - height - 3, room.width(), height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        if index.data(SPEC):
            self._paint_target(painter, option, index)
        else:
            self._paint_heading(painter, option, index)
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(_secondary(option.palette))
        said = self._said(option, index)
        where = option.rect.adjusted(PAD, 0, -PAD, -4 - said.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, str(index.data()))
        painter.setFont(option.font)
        painter.drawText(said, _LEFT_TOP | Qt.TextFlag.TextWordWrap, str(index.data(NOTE) or ""))

    def _paint_target(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        palette, area = option.palette, option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Highlight))
        place = QRect(area.left() + PAD, area.top() + (area.height() - PICTURE_SIZE.height()) // 2,
                      PICTURE_SIZE.width(), PICTURE_SIZE.height())  # fmt: skip
        painter.fillRect(place, _STAGE)
        picture = index.data(PICTURE)
        if isinstance(picture, QImage) and not picture.isNull():
            size = picture.deviceIndependentSize()
            painter.drawImage(
                place.left() + round((place.width() - size.width()) / 2),
                place.top() + round((place.height() - size.height()) / 2),
                picture,
            )
        else:
            _draw(painter, str(index.data(KIND) or ""), place)
        painter.setPen(palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Mid))
        painter.drawRect(place.adjusted(0, 0, -1, -1))  # a dark picture, or none, has no edge of its own
        text = area.adjusted(PICTURE_SIZE.width() + 2 * PAD + 2, 4, -PAD, -4)
        metrics, note = option.fontMetrics, str(index.data(NOTE) or "")
        title = metrics.elidedText(str(index.data()).replace("\n", " "), Qt.TextElideMode.ElideMiddle, text.width())
        painter.setPen(palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text))
        height = metrics.height()
        top = text.top() + (text.height() - height * (2 if note else 1)) // 2
        painter.drawText(QRect(text.left(), top, text.width(), height), Qt.AlignmentFlag.AlignLeft, title)
        if note:
            painter.setPen(_secondary(palette))
            below = QRect(text.left(), top + height, text.width(), height)
            note = metrics.elidedText(note, Qt.TextElideMode.ElideRight, text.width())
            painter.drawText(below, Qt.AlignmentFlag.AlignLeft, note)


def _draw(painter: QPainter, kind: str, place: QRect) -> None:
    """Draw what has no picture before its session: a browser, or a screen, of a machine elsewhere with its line."""
    if kind not in ("virtual", "browser", "vnc"):
        return
    painter.setPen(QPen(_INK, 1))
    screen = QRect(place.center().x() - 15, place.center().y() - 10, 30, 20)
    if kind == "vnc":
        screen.translate(7, 0)
        painter.drawLine(place.left() + 8, place.center().y(), screen.left(), place.center().y())
        painter.drawEllipse(place.left() + 5, place.center().y() - 2, 4, 4)
    painter.drawRect(screen)
    if kind == "browser":
        painter.drawLine(screen.left(), screen.top() + 6, screen.right(), screen.top() + 6)
        painter.drawLine(screen.left() + 4, screen.top() + 3, screen.left() + 18, screen.top() + 3)
    else:
        foot = screen.bottom() + 4
        painter.drawLine(screen.center().x(), screen.bottom(), screen.center().x(), foot)
        painter.drawLine(screen.center().x() - 6, foot, screen.center().x() + 6, foot)


def _secondary(palette: QPalette) -> QColor:
    """The text's colour, paler; at least 4.5:1 on the list's background in both themes."""
    colour = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text)
    colour.setAlphaF(0.72)
    return colour


def small(image: QImage, ratio: float) -> QImage:
    """A copy of a picture that fits a row on a screen with this pixel ratio. From any thread."""
    size = QSize(round(PICTURE_SIZE.width() * ratio), round(PICTURE_SIZE.height() * ratio))
    keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    made = image.scaled(size, keep, smooth)
    made.setDevicePixelRatio(ratio)
    return made
