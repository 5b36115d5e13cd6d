"""Paints the rows that a search in the help finds: the heading of a place, and below it the words around what was
searched for."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from operator_console.ui.theme_colours import Tokens
from operator_console.ui.widgets.wrapped_lines import wrapped_lines

SIDE, PAD = 12, 5
"""Space beside and above the words, in logical pixels; as other rows of the list have it."""
TITLE_LINES, WORDS_LINES = 3, 6

Index = QModelIndex | QPersistentModelIndex


class FoundRows(QStyledItemDelegate):
    """A row's text is "title, line break, words"; one without a line break is painted as usual.

    Args:
        view: the list.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self.tokens: Tokens | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As high as the lines at the present width of the list."""
        title, words = _parts(index)
        if not words:
            return super().sizeHint(option, index)
        width = self._view.viewport().width()
        lines = _lines(title, words, option.font, width - 2 * SIDE)
        height = sum(len(part) * QFontMetrics(font).height() for font, part in lines)
        return QSize(width, height + 2 * PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The title in bold, the words in the secondary colour."""
        title, words = _parts(index)
        if not words or self.tokens is None:
            super().paint(painter, option, index)
            return
        empty = QStyleOptionViewItem(option)
        self.initStyleOption(empty, index)
        empty.text = ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, empty, painter, self._view)
        painter.save()
        area = option.rect.adjusted(SIDE, PAD, -SIDE, -PAD)
        top = area.top()
        colours = (self.tokens.text, self.tokens.secondary)
        for (font, lines), colour in zip(_lines(title, words, option.font, area.width()), colours, strict=True):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            height = QFontMetrics(font).height()
            for line in lines:
                painter.drawText(QRect(area.left(), top, area.width(), height), Qt.TextFlag.TextSingleLine, line)
                top += height
        painter.restore()


def _parts(index: Index) -> tuple[str, str]:
    title, _, words = str(index.data() or "").partition("\n")
    return title, words


def _lines(title: str, words: str, font: QFont, width: int) -> tuple[tuple[QFont, list[str]], ...]:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return (bold, wrapped_lines(title, bold, width, TITLE_LINES)), (
        font,
        wrapped_lines(words, font, width, WORDS_LINES),
    )
