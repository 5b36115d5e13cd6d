"""The timeline: steps, decisions and messages, newest first, as a list model and its view."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QKeyEvent, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from operator_console.engine.action_wording import brief
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.view.call_words import call_outcome, call_title, ways_words
from operator_console.ui.view.session_view import Call, Item, Note, NoteKind, SessionView, Step, parse_time

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
KEPT = 160
"""Thumbnails kept; older ones are requested again when they come into view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The text of a row. `picture` is the digest of its thumbnail."""

    number: str
    title: str
    detail: str
    time: str
    picture: str


def entry_of(item: Item, *, waiting: bool = False) -> Entry:
    """The text of a row; `waiting`: an open question is about this step."""
    if isinstance(item, Note):
        return Entry(
            number="", title=brief(item.title, 300), detail=brief(item.detail, 300), time="", picture=item.picture
        )
    picture = item.observed.picture if item.observed is not None else ""
    return Entry(
        number=str(item.number), title=_step_title(item), detail="waiting for you" if waiting else _step_detail(item),
        time=_step_time(item), picture=picture,
    )  # fmt: skip


def _step_title(step: Step) -> str:
    if step.proposed is None:
        return "Looking at the screen and thinking"
    if not step.calls:
        words = step.proposed.narration or step.proposed.thoughts
        return brief(words, 120) or ("Finished" if step.proposed.finished else "Empty answer")
    titles = [call_title(step.calls[0])]
    titles += [title[:1].lower() + title[1:] for title in map(call_title, step.calls[1:])]
    return ", ".join(titles)


def _step_detail(step: Step) -> str:
    if step.proposed is None:
        return "interrupted" if step.finished else "in progress"
    if not step.calls:
        return "no action"
    outcome = call_outcome(step.calls[0]) if len(step.calls) == 1 else _several(step.calls)
    ways = ways_words(step.calls[0].proposed)
    return f"{outcome} · {ways}" if ways else outcome


def _several(calls: tuple[Call, ...]) -> str:
    outcomes = [call_outcome(call) for call in calls]
    plain = [outcome.split(" · ")[0] for outcome in outcomes]
    if len(set(plain)) == 1:
        return plain[0] if plain[0] == "proposed" else f"all {len(calls)} {plain[0]}"
    counted: OrderedDict[str, int] = OrderedDict()
    for outcome in plain:
        counted[outcome] = counted.get(outcome, 0) + 1
    return " · ".join(f"{count} {outcome}" for outcome, count in counted.items())


def _step_time(step: Step) -> str:
    began, finished = parse_time(step.began), parse_time(step.finished)
    if began is None or finished is None:
        return ""
    return f"{max(0.0, (finished - began).total_seconds()):.1f} s"


class TimelineModel(QAbstractListModel):
    """The timeline's rows, newest first.

    Signals:
        wanted: a thumbnail is missing; carries its digest.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[Item, ...] = ()
        self._waiting: int | None = None
        self._pictures: OrderedDict[str, QPixmap] = OrderedDict()
        self._asked: set[str] = set()

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, oldest first as in the view."""
        return self._items

    def show_items(self, items: tuple[Item, ...], waiting_step: int | None) -> None:
        """Show another view's items, and signal the rows that were added and changed."""
        before, old_waiting = self._items, self._waiting
        common = min(len(before), len(items))
        # The list only grows, except for a record of another session or a step back in a replay.
        if len(items) < len(before) or (common and _key(items[0]) != _key(before[0])):
            self.beginResetModel()
            self._items, self._waiting = items, waiting_step
            self.endResetModel()
            return
        if len(items) > len(before):
            self.beginInsertRows(QModelIndex(), 0, len(items) - len(before) - 1)
            self._items, self._waiting = items, waiting_step
            self.endInsertRows()
        else:
            self._items, self._waiting = items, waiting_step
        for place in range(common):
            item = items[place]
            marked = isinstance(item, Step) and item.number in (waiting_step, old_waiting)
            if item is not before[place] or (marked and waiting_step != old_waiting):
                index = self.index(len(items) - 1 - place)
                self.dataChanged.emit(index, index)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """One row per item."""
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The item, its text, or one line for a screen reader."""
        if not index.isValid():
            return None
        item = self._items[len(self._items) - 1 - index.row()]
        if role == ITEM_ROLE:
            return item
        waiting = isinstance(item, Step) and item.number == self._waiting
        entry = entry_of(item, waiting=waiting)
        if role == ENTRY_ROLE:
            return entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join(part for part in (entry.number, entry.title, entry.detail, entry.time) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.title}\n{entry.detail}".strip()
        return None

    def picture(self, digest: str) -> QPixmap | None:
        """A thumbnail; requests it if it is missing."""
        if not digest:
            return None
        found = self._pictures.get(digest)
        if found is not None:
            self._pictures.move_to_end(digest)
        elif digest not in self._asked:
            self._asked.add(digest)
            self.wanted.emit(digest)
        return found

    def put_picture(self, digest: str, picture: QPixmap) -> None:
        """Store a requested thumbnail."""
        self._asked.discard(digest)
        self._pictures[digest] = picture
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        if self._items:
            self.dataChanged.emit(self.index(0), self.index(len(self._items) - 1))


def _key(item: Item) -> tuple[str, int]:
    return ("step", item.number) if isinstance(item, Step) else ("note", item.seq)


ROW = 52
THUMB = QSize(48, 30)


class _Delegate(QStyledItemDelegate):
    def __init__(self, model: TimelineModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.tokens = LIGHT

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry, item = index.data(ENTRY_ROLE), index.data(ITEM_ROLE)
        rect: QRect = option.rect
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(self.tokens.accent_soft))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(self.tokens.hover))
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(QColor(self.tokens.accent), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        self._left(painter, rect, entry, item)
        self._words(painter, rect, entry)
        painter.restore()

    def _left(self, painter: QPainter, rect: QRect, entry: Entry, item: object) -> None:
        small = QFont(painter.font())
        small.setPixelSize(12)
        painter.setFont(small)
        painter.setPen(QColor(self.tokens.secondary))
        number = QRect(rect.left() + 8, rect.top(), 30, rect.height())
        painter.drawText(number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, entry.number)
        place = QRect(rect.left() + 46, rect.top() + (ROW - THUMB.height()) // 2, THUMB.width(), THUMB.height())
        if isinstance(item, Note):
            _pictogram(painter, place, item.kind, self.tokens)
            return
        picture = self._model.picture(entry.picture)
        painter.fillRect(place, QColor(self.tokens.stage))
        if picture is not None:
            size = picture.deviceIndependentSize()
            left = place.left() + round((place.width() - size.width()) / 2)
            painter.drawPixmap(left, place.top() + round((place.height() - size.height()) / 2), picture)

    def _words(self, painter: QPainter, rect: QRect, entry: Entry) -> None:
        small = QFont(painter.font())
        small.setPixelSize(12)
        metrics = QFontMetrics(small)
        right = rect.right() - 16
        if entry.time:
            width = metrics.horizontalAdvance(entry.time)
            painter.setFont(small)
            painter.setPen(QColor(self.tokens.secondary))
            box = QRect(right - width, rect.top(), width, rect.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.time)
            right -= width + 8
        left = rect.left() + 46 + THUMB.width() + 10
        title = QFont(painter.font())
        title.setPixelSize(14)
        lines = ((title, entry.title, self.tokens.text), (small, entry.detail, self.tokens.secondary))
        top = rect.top() + (7 if entry.detail else 17)
        for font, text, ink in lines:
            fitting = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(ink))
            box = QRect(left, top, right - left, fitting.height() + 2)
            cut = fitting.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)
            top += 20


def _pictogram(painter: QPainter, place: QRect, kind: NoteKind, tokens: Tokens) -> None:
    x, y = float(place.center().x()), float(place.center().y())
    ink = {NoteKind.STOP: tokens.stop_text, NoteKind.WARNING: tokens.warn, NoteKind.HUMAN: tokens.accent}
    pen = QPen(QColor(ink.get(kind, tokens.secondary)), 1.6)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match kind:
        case NoteKind.HUMAN:
            painter.drawEllipse(QPointF(x, y - 4), 3.6, 3.6)
            painter.drawArc(QRectF(x - 7, y + 2, 14, 12), 0, 180 * 16)
        case NoteKind.MESSAGE:
            painter.drawRoundedRect(QRectF(x - 8, y - 7, 16, 11), 2.5, 2.5)
            painter.drawPolyline(QPolygonF([QPointF(x - 4, y + 4), QPointF(x - 4, y + 8), QPointF(x, y + 4)]))
        case NoteKind.WARNING:
            painter.drawPolygon(QPolygonF([QPointF(x, y - 8), QPointF(x + 9, y + 7), QPointF(x - 9, y + 7)]))
            painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 2))
            painter.drawPoint(QPointF(x, y + 4.5))
        case NoteKind.STOP:
            painter.drawRoundedRect(QRectF(x - 7, y - 7, 14, 14), 3, 3)
            painter.setBrush(QColor(tokens.stop_text))
            painter.drawRect(QRectF(x - 3, y - 3, 6, 6))
        case NoteKind.RUN:
            painter.drawEllipse(QPointF(x, y), 8, 8)
            painter.drawPolygon(QPolygonF([QPointF(x - 2, y - 4), QPointF(x + 4.5, y), QPointF(x - 2, y + 4)]))


class Timeline(QListView):
    """Steps and notes, newest first.

    Signals:
        chosen: a row was chosen (click or arrow keys); carries its Item, or None.
        wanted: a thumbnail is missing; carries its digest.
    """

    chosen = Signal(object)
    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("Steps, your decisions and messages, newest first")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.rows = TimelineModel()
        self.setModel(self.rows)
        self._delegate = _Delegate(self.rows, self)
        self.setItemDelegate(self._delegate)
        self.rows.wanted.connect(self.wanted)
        self.selectionModel().selectionChanged.connect(self._selected)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._delegate.tokens = tokens
        self.viewport().update()

    def show_view(self, view: SessionView) -> None:
        """Show the rows of a view."""
        question = view.question
        at_top = self.verticalScrollBar().value() == 0
        self.rows.show_items(view.items, question.step if question is not None else None)
        if at_top:
            self.scrollToTop()

    def put_picture(self, digest: str, image: QImage) -> None:
        """Store a requested thumbnail (any size)."""
        ratio = self.devicePixelRatioF()
        size = QSize(round(THUMB.width() * ratio), round(THUMB.height() * ratio))
        smooth = Qt.TransformationMode.SmoothTransformation
        picture = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, smooth))
        picture.setDevicePixelRatio(ratio)
        self.rows.put_picture(digest, picture)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """With nothing selected, an arrow key selects the current row; Qt would move on to the next."""
        arrow = event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up)
        if not arrow or self.selectionModel().hasSelection() or not self.rows.rowCount():
            super().keyPressEvent(event)
            return
        current = self.currentIndex()
        self.setCurrentIndex(current if current.isValid() else self.rows.index(0))

    def clear_choice(self) -> None:
        """Clear the selection."""
        self.selectionModel().clear()

    def _selected(self, selected: QItemSelection, _before: QItemSelection) -> None:
        indexes = selected.indexes()
        self.chosen.emit(indexes[0].data(ITEM_ROLE) if indexes else None)
