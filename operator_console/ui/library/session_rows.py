"""The list view of the sessions library, and how a row is painted: thumbnail, title, facts, origin or note."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from operator_console.domain.translations import _
from operator_console.ui.backend import SessionOutcome, SessionSummary
from operator_console.ui.library.sessions_model import (
    LINES_ROLE,
    NOTE_ROLE,
    SUMMARY_ROLE,
    Lines,
    Note,
    NoteTone,
    SessionsModel,
)
from operator_console.ui.theme_colours import LIGHT, Tokens

THUMB = QSize(96, 60)
PAD = 10
SMALL = 12 / 14
"""The size of secondary text relative to the list's."""


class SessionRows(QListView):
    """The sessions.

    Signals:
        menu_wanted: the context menu of the current row was asked for; carries the place, in coordinates of the screen.
        typed: text was typed, to search for; carries it.
    """

    menu_wanted = Signal(object)
    typed = Signal(object)

    def __init__(self, model: SessionsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "boxed")
        self.setAccessibleName(_("Sessions"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.rows = model
        self.setModel(model)
        self._delegate = _Delegate(model, self)
        self.setItemDelegate(self._delegate)

    @property
    def current(self) -> SessionSummary | None:
        """The session of the current row."""
        found = self.currentIndex().data(SUMMARY_ROLE)
        return found if isinstance(found, SessionSummary) else None

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._delegate.tokens = tokens
        self.viewport().update()

    def put_picture(self, summary: SessionSummary, image: QImage | None) -> None:
        """Store a requested thumbnail, of `wanted_pixels` or smaller."""
        if image is None:
            self.rows.put_picture(summary, None)
            return
        picture = QPixmap.fromImage(image)
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        self.rows.put_picture(summary, picture)

    @property
    def wanted_pixels(self) -> QSize:
        """The largest size of a thumbnail, in device pixels."""
        return THUMB * self.devicePixelRatioF()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `typed` for text; the rest is Qt's."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and event.text().isprintable() and event.text().strip():
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Emit `menu_wanted`: at the pointer, or at the current row for the menu key."""
        place = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
            if not index.isValid():
                return
            self.setCurrentIndex(index)
        elif self.currentIndex().isValid():
            rect = self.visualRect(self.currentIndex())
            place = self.viewport().mapToGlobal(QPoint(rect.left() + PAD + THUMB.width(), rect.center().y()))
        if self.current is not None:
            self.menu_wanted.emit(place)


class _Delegate(QStyledItemDelegate):
    def __init__(self, model: SessionsModel, view: QWidget) -> None:
        super().__init__(view)
        self._model, self._view = model, view
        self.tokens = LIGHT

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        title, small = _fonts(self._view.font())
        text = QFontMetrics(title).height() + 2 * QFontMetrics(small).height() + 6
        return QSize(320, max(THUMB.height(), text) + 2 * PAD)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        summary, lines = index.data(SUMMARY_ROLE), index.data(LINES_ROLE)
        rect: QRect = option.rect.adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, option, rect)
        place = QRect(rect.left() + PAD, rect.center().y() - THUMB.height() // 2, THUMB.width(), THUMB.height())
        self._thumbnail(painter, place, summary)
        words = QRect(place.right() + PAD + 4, rect.top(), 0, rect.height())
        words.setRight(rect.right() - PAD)
        self._words(painter, words, summary, lines, index.data(NOTE_ROLE))
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if not selected and not option.state & QStyle.StateFlag.State_MouseOver:
            return
        painter.setBrush(QColor(self.tokens.accent_soft if selected else self.tokens.hover))
        focused = selected and option.state & QStyle.StateFlag.State_HasFocus
        painter.setPen(QPen(QColor(self.tokens.accent), 2) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 5, 5)

    def _thumbnail(self, painter: QPainter, place: QRect, summary: SessionSummary) -> None:
        path = QPainterPath()
        path.addRoundedRect(QRectF(place), 4, 4)
        painter.setPen(QPen(QColor(self.tokens.line_strong), 1))
        painter.fillPath(path, QColor(self.tokens.stage))
        picture = self._model.picture(summary)
        if picture is not None:
            size = picture.deviceIndependentSize()
            painter.save()
            painter.setClipPath(path)
            left = place.left() + round((place.width() - size.width()) / 2)
            painter.drawPixmap(left, place.top() + round((place.height() - size.height()) / 2), picture)
            painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _words(self, painter: QPainter, place: QRect, summary: SessionSummary, lines: Lines, note: Note | None) -> None:
        title, small = _fonts(painter.font())
        heights = [QFontMetrics(font).height() for font in (title, small, small)]
        top = place.center().y() - (sum(heights) + 6) // 2
        _line(painter, place, top, title, [(lines.title, self.tokens.text)])
        outcome = (lines.outcome, _outcome_colour(self.tokens, summary.outcome))
        top += heights[0] + 3
        facts = (f" · {lines.facts}" if lines.facts else "", self.tokens.secondary)
        _line(painter, place, top, small, [outcome, facts])
        inks = {NoteTone.PLAIN: self.tokens.text, NoteTone.GOOD: self.tokens.ok, NoteTone.BAD: self.tokens.stop_text}
        last = (note.whole, inks[note.tone]) if note is not None else (lines.origin, self.tokens.secondary)
        _line(painter, place, top + heights[1] + 3, small, [last])


def _fonts(base: QFont) -> tuple[QFont, QFont]:
    """The fonts of a row's title and of its other lines."""
    title, small = QFont(base), QFont(base)
    title.setWeight(QFont.Weight.DemiBold)
    if base.pixelSize() > 0:
        small.setPixelSize(round(base.pixelSize() * SMALL))
    else:
        small.setPointSizeF(base.pointSizeF() * SMALL)
    return title, small


def _line(painter: QPainter, place: QRect, top: int, font: QFont, parts: list[tuple[str, str]]) -> None:
    """Draw one line of coloured parts, each cut to the room that is left."""
    metrics = QFontMetrics(font)
    painter.setFont(font)
    left = place.left()
    for text, ink in parts:
        cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.right() - left)
        box = QRect(left, top, place.right() - left, metrics.height())
        painter.setPen(QColor(ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)
        left += metrics.horizontalAdvance(cut)


def _outcome_colour(tokens: Tokens, outcome: SessionOutcome) -> str:
    return {
        SessionOutcome.RUNNING: tokens.accent,
        SessionOutcome.FINISHED: tokens.ok,
        SessionOutcome.LIMIT: tokens.warn,
        SessionOutcome.INTERRUPTED: tokens.warn,
        SessionOutcome.STOPPED: tokens.stop_text,
        SessionOutcome.FAILED: tokens.stop_text,
        SessionOutcome.UNREADABLE: tokens.stop_text,
    }[outcome]
