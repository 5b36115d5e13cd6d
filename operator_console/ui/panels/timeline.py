"""The timeline: steps with their decisions, messages, pauses and stops, newest first."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from operator_console.domain.translations import _
from operator_console.ui.panels.timeline_model import ENTRY_ROLE, ITEM_ROLE, ROW_ROLE, TimelineModel
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.session_view import Item, Note, NoteKind, Phase, SessionView
from operator_console.ui.view.timeline_entries import Entry, Row, Tone, WaitsRow
from operator_console.ui.widgets.controls import GRID
from operator_console.ui.widgets.wrapped_lines import whole_parts, wrapped_lines

_SMALL = 12 / 14
"""The size of secondary text, of the font's."""


class RowSizes:
    """The sizes of a row, in logical pixels, that follow from a font."""

    def __init__(self, font: QFont) -> None:
        self.title = QFont(font)
        self.small = _scaled(font, _SMALL)
        self.badge = QFont(self.small)
        self.badge.setWeight(QFont.Weight.DemiBold)
        title, small = QFontMetrics(self.title).height(), QFontMetrics(self.small).height()
        self.line, self.foot = title, small + 5
        self.pad, self.gap, self.side = max(5, title // 3), 3, 2 * GRID
        self.height = 2 * self.pad + 2 * self.line + small + self.gap + self.foot
        self.thumb = QSize(round((2 * self.line + 2) * 1.6), 2 * self.line + 2)
        self.indent = self.line


def _scaled(font: QFont, factor: float) -> QFont:
    made = QFont(font)
    if font.pixelSize() > 0:
        made.setPixelSize(max(1, round(font.pixelSize() * factor)))
    else:
        made.setPointSizeF(font.pointSizeF() * factor)
    return made


def row_lines(entry: Entry, sizes: RowSizes, width: int) -> tuple[list[str], list[str]]:
    """The lines of a row's title, two at most, and of its result: three together. The result stands by itself above the
    decision, so that it is not cut beside it."""
    title = wrapped_lines(entry.title, sizes.title, width, 2)
    return title, wrapped_lines(entry.detail, sizes.small, width, 3 - len(title)) if entry.detail else []


class _Delegate(QStyledItemDelegate):
    def __init__(self, model: TimelineModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.tokens = LIGHT
        self.sizes = RowSizes(parent.font())

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, self.sizes.height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry, row = index.data(ENTRY_ROLE), index.data(ROW_ROLE)
        rect: QRect = option.rect
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, QColor(self.tokens.accent_soft))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(self.tokens.hover))
        if self._model.is_reached_last(row):
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(self.tokens.accent))
        if selected and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(self.tokens.accent), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        ahead = self._model.is_ahead(row)
        sizes = self.sizes
        inner = rect.adjusted(sizes.side + (sizes.indent if _member(row) else 0), sizes.pad, -sizes.side, -sizes.pad)
        time_below = self._left(painter, inner, entry, row, ahead=ahead)
        right = inner.adjusted(sizes.thumb.width() + 10, 0, 0, 0)
        if isinstance(row, WaitsRow):
            right.setRight(right.right() - sizes.line)
            self._chevron(painter, row, rect)
        self._words(painter, right, entry, ahead=ahead, time="" if time_below else entry.time)
        painter.restore()

    def _left(self, painter: QPainter, rect: QRect, entry: Entry, row: Row, *, ahead: bool) -> bool:
        """The thumbnail and the number; whether the time has room beside that."""
        sizes, tokens = self.sizes, self.tokens
        place = QRect(rect.topLeft(), sizes.thumb)
        item = None if isinstance(row, WaitsRow) else row.item
        if isinstance(item, Note):
            place.moveTop(rect.top() + (rect.height() - place.height()) // 2)
            _pictogram(painter, place, item.kind, tokens)
            return True
        picture = self._model.picture(entry.picture)
        painter.setOpacity(0.4 if ahead else 1.0)
        if isinstance(row, WaitsRow):  # a pile of pictures
            painter.fillRect(place.adjusted(4, 0, 0, -4), QColor(tokens.line_strong))
            place.adjust(0, 4, -4, 0)
        painter.fillRect(place, QColor(tokens.stage))
        if picture is not None:
            size = picture.deviceIndependentSize().toSize().boundedTo(place.size())
            left = place.left() + (place.width() - size.width()) // 2
            painter.drawPixmap(QRect(QPoint(left, place.top() + (place.height() - size.height()) // 2), size), picture)
        else:  # as dark as the panel in a dark theme
            painter.setPen(QPen(QColor(tokens.line_strong), 1))
            painter.drawRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setOpacity(1.0)
        foot = QRect(rect.left(), rect.bottom() - sizes.foot + 1, sizes.thumb.width(), sizes.foot)
        painter.setPen(QColor(tokens.secondary))
        painter.setFont(sizes.badge)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(foot, middle | Qt.AlignmentFlag.AlignLeft, entry.number)
        room = foot.width() - QFontMetrics(sizes.badge).horizontalAdvance(entry.number) - 6
        if QFontMetrics(sizes.small).horizontalAdvance(entry.time) > room:
            return False
        painter.setFont(sizes.small)
        painter.drawText(foot, middle | Qt.AlignmentFlag.AlignRight, entry.time)
        return True

    def _words(self, painter: QPainter, rect: QRect, entry: Entry, *, ahead: bool, time: str) -> None:
        """The title in two lines at most; below it the result, then badge and times."""
        sizes, tokens = self.sizes, self.tokens
        title, result = row_lines(entry, sizes, rect.width())
        small = QFontMetrics(sizes.small)
        times = " · ".join(part for part in (time, entry.human) if part)
        foot = entry.badge is not None or bool(times)
        height = len(title) * sizes.line + len(result) * small.height() + (sizes.gap + sizes.foot if foot else 0)
        top = rect.top() + max(0, (rect.height() - height) // 2)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(sizes.title)
        painter.setPen(QColor(tokens.secondary if ahead else tokens.text))
        for line in title:
            painter.drawText(QRect(rect.left(), top, rect.width(), sizes.line), flags, line)
            top += sizes.line
        painter.setFont(sizes.small)
        painter.setPen(QColor(tokens.warn if entry.missed else tokens.secondary))
        for line in result:
            painter.drawText(QRect(rect.left(), top, rect.width(), small.height()), flags, line)
            top += small.height()
        if foot:
            self._foot(painter, QRect(rect.left(), top + sizes.gap, rect.width(), sizes.foot), entry, times)

    def _foot(self, painter: QPainter, rect: QRect, entry: Entry, times: str) -> None:
        """The decision, and the times where there is room for them."""
        sizes, room = self.sizes, rect.width()
        if entry.badge is not None:
            bold = QFontMetrics(sizes.badge)
            text = whole_parts(entry.badge.text, bold, room - 12, " · ") or entry.badge.text
            width = min(bold.horizontalAdvance(text) + 12, room)
            self._badge(painter, QRect(rect.left(), rect.top(), width, rect.height()), text, entry.badge.tone)
            room -= width + 8
        if times and QFontMetrics(sizes.small).horizontalAdvance(times) <= room:
            painter.setFont(sizes.small)
            painter.setPen(QColor(self.tokens.secondary))
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignRight
            painter.drawText(rect, flags, times)

    def _badge(self, painter: QPainter, rect: QRect, text: str, tone: Tone) -> None:
        tokens = self.tokens
        ink, ground = {
            Tone.PLAIN: (tokens.secondary, tokens.chip),
            Tone.YOU: (tokens.accent, tokens.accent_soft),
            Tone.AGAINST: (tokens.warn, tokens.panel),
            Tone.STOP: (tokens.stop_text, tokens.panel),
        }[tone]
        painter.setPen(QPen(QColor(ink if tone is not Tone.PLAIN else ground), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(self.sizes.badge)
        painter.setPen(QColor(ink))
        fitting = QFontMetrics(self.sizes.badge).elidedText(text, Qt.TextElideMode.ElideRight, rect.width() - 10)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, fitting)

    def chevron_place(self, rect: QRect) -> QRect:
        """Where a press opens or closes a row of waits."""
        width = self.sizes.line + self.sizes.side
        return QRect(rect.right() - width, rect.top(), width, rect.height())

    def _chevron(self, painter: QPainter, row: WaitsRow, rect: QRect) -> None:
        place = QRectF(self.chevron_place(rect))
        x, y, arm = place.center().x(), place.center().y(), self.sizes.line / 4
        points = [QPointF(-arm / 2, -arm), QPointF(arm / 2, 0), QPointF(-arm / 2, arm)]
        if row.expanded:
            points = [QPointF(p.y(), p.x()) for p in points]
        pen = QPen(QColor(self.tokens.secondary), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([QPointF(x, y) + point for point in points]))


def _member(row: Row) -> bool:
    return not isinstance(row, WaitsRow) and row.member


def _pictogram(painter: QPainter, place: QRect, kind: NoteKind, tokens: Tokens) -> None:
    painter.save()
    painter.translate(QPointF(place.center()))
    painter.scale(place.height() / 32, place.height() / 32)
    ink = {NoteKind.STOP: tokens.stop_text, NoteKind.WARNING: tokens.warn, NoteKind.HUMAN: tokens.accent}
    pen = QPen(QColor(ink.get(kind, tokens.secondary)), 1.6)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match kind:
        case NoteKind.HUMAN:
            painter.drawEllipse(QPointF(0, -4), 3.6, 3.6)
            painter.drawArc(QRectF(-7, 2, 14, 12), 0, 180 * 16)
        case NoteKind.MESSAGE:
            painter.drawRoundedRect(QRectF(-8, -7, 16, 11), 2.5, 2.5)
            painter.drawPolyline(QPolygonF([QPointF(-4, 4), QPointF(-4, 8), QPointF(0, 4)]))
        case NoteKind.WARNING:
            painter.drawPolygon(QPolygonF([QPointF(0, -8), QPointF(9, 7), QPointF(-9, 7)]))
            painter.drawLine(QPointF(0, -3), QPointF(0, 2))
            painter.drawPoint(QPointF(0, 4.5))
        case NoteKind.STOP:
            painter.drawRoundedRect(QRectF(-7, -7, 14, 14), 3, 3)
            painter.setBrush(QColor(tokens.stop_text))
            painter.drawRect(QRectF(-3, -3, 6, 6))
        case NoteKind.PAUSE:
            painter.drawEllipse(QPointF(0, 0), 8, 8)
            painter.drawLine(QPointF(-2.4, -3), QPointF(-2.4, 3))
            painter.drawLine(QPointF(2.4, -3), QPointF(2.4, 3))
        case NoteKind.RUN:
            painter.drawEllipse(QPointF(0, 0), 8, 8)
            painter.drawPolygon(QPolygonF([QPointF(-2, -4), QPointF(4.5, 0), QPointF(-2, 4)]))
        case NoteKind.END:
            painter.drawEllipse(QPointF(0, 0), 8, 8)
            painter.drawPolyline(QPolygonF([QPointF(-3.5, 0.5), QPointF(-1, 3), QPointF(3.5, -3)]))
        case NoteKind.FILE:
            painter.drawLine(QPointF(0, -8), QPointF(0, 3))
            painter.drawPolyline(QPolygonF([QPointF(-4, -1), QPointF(0, 3), QPointF(4, -1)]))
            painter.drawPolyline(QPolygonF([QPointF(-8, 3), QPointF(-8, 8), QPointF(8, 8), QPointF(8, 3)]))
        case NoteKind.BLOCKED:
            painter.drawEllipse(QPointF(0, 0), 8, 8)
            painter.drawLine(QPointF(-5.6, -5.6), QPointF(5.6, 5.6))
    painter.restore()


_LEFT_TO_OTHERS = (Qt.Key.Key_Space, Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_L)
"""Keys of the replay; a list would search for a letter and select with Space."""


class Timeline(QListView):
    """Steps and notes, newest first.

    Signals:
        chosen: a row was chosen (click or arrow keys); carries its Item, or None.
        entered: Enter was pressed on a row that does not open (no payload).
        wanted: a thumbnail is missing; carries its digest.
    """

    chosen = Signal(object)
    entered = Signal()
    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Timeline"))
        self.setAccessibleDescription(_("Steps, messages, pauses and stops, newest first"))
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
        self._chosen: tuple[str, int] | None = None
        self._reached: int | None = None
        self._updating = False
        self.rows.wanted.connect(self.wanted)
        self.selectionModel().selectionChanged.connect(self._selected)
        self.doubleClicked.connect(self._toggle)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._delegate.tokens = tokens
        self.viewport().update()

    def show_view(self, view: SessionView, whole: ChunkedList[Item] | None = None) -> None:
        """Show the rows of a view; in a replay those of the whole record, of which `view` has reached a part."""
        at_top = self.verticalScrollBar().value() == 0
        items = view.items if whole is None else whole
        self._updating = True
        self.rows.show_items(items, _on_card(view), None if whole is None else len(view.items))
        self._updating = False
        self._choose_again()
        reached = None if whole is None else len(view.items)
        if reached != self._reached:
            self._reached = reached
            self.viewport().update()
            if reached:
                self.scrollTo(self.rows.index(self.rows.row_at(reached - 1)))
        if whole is None and at_top:
            self.scrollToTop()

    def mark_chosen(self, item: Item) -> None:
        """Select the row of an item, without announcing it."""
        self._chosen = _key(item)
        self._choose_again()

    def put_picture(self, digest: str, image: QImage) -> None:
        """Store a requested thumbnail (any size)."""
        ratio = self.devicePixelRatioF()
        size = self._delegate.sizes.thumb * ratio
        smooth = Qt.TransformationMode.SmoothTransformation
        picture = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, smooth))
        picture.setDevicePixelRatio(ratio)
        self.rows.put_picture(digest, picture)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys choose rows, open and close rows of waits. With nothing selected the first one selects the current
        row; Qt would move on to the next."""
        if event.key() in _LEFT_TO_OTHERS:
            event.ignore()
            return
        current = self.currentIndex()
        if current.isValid() and event.key() in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            if not self._expand(current, expanded=event.key() == Qt.Key.Key_Right):
                event.ignore()
            return
        if current.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if isinstance(current.data(ROW_ROLE), WaitsRow):
                self._toggle(current)
            else:
                self.entered.emit()
            return
        arrow = event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up)
        if not arrow or self.selectionModel().hasSelection() or not self.rows.rowCount():
            super().keyPressEvent(event)
            return
        self.setCurrentIndex(current if current.isValid() else self.rows.index(0))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on the arrow of a row of waits opens or closes it; any other chooses the row."""
        at = event.position().toPoint()
        index = self.indexAt(at)
        waits = index.isValid() and isinstance(index.data(ROW_ROLE), WaitsRow)
        if waits and self._delegate.chevron_place(self.visualRect(index)).contains(at):
            self._toggle(index)
            return
        super().mousePressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Rows follow the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_delegate"):
            before = self._delegate.sizes.height
            self._delegate.sizes = RowSizes(self.font())
            if self._delegate.sizes.height != before:
                self.rows.forget_pictures()
            self.scheduleDelayedItemsLayout()

    def clear_choice(self) -> None:
        """Clear the selection."""
        self._chosen = None
        self.selectionModel().clear()

    def _toggle(self, index: QModelIndex | QPersistentModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, WaitsRow):
            self._expand(index, expanded=not row.expanded)

    def _expand(self, index: QModelIndex | QPersistentModelIndex, *, expanded: bool) -> bool:
        """Open or close a row of waits; a member closes its group, which is chosen then."""
        row = index.data(ROW_ROLE)
        place = index.row()
        if _member(row) and not expanded:
            while not isinstance(self.rows.row(place), WaitsRow):
                place -= 1
        self._updating = True
        changed = self.rows.set_expanded(place, expanded=expanded)
        self._updating = False
        if changed and isinstance(row, WaitsRow):
            again = self.rows.row_of(row.key)
            if again is not None:
                self.setCurrentIndex(self.rows.index(again))
        self._choose_again()
        return changed

    def _choose_again(self) -> None:
        """After a change, the selection is where the chosen item is now."""
        if self._chosen is None:
            return
        current = self.selectionModel().selectedIndexes()
        if current and _holds(current[0].data(ROW_ROLE), self._chosen):
            return
        row = self.rows.row_of(self._chosen)
        self._updating = True
        if row is None:
            self.selectionModel().clear()
        else:
            self.setCurrentIndex(self.rows.index(row))
        self._updating = False

    def _selected(self, selected: QItemSelection, _before: QItemSelection) -> None:
        if self._updating:
            return
        indexes = selected.indexes()
        item = indexes[0].data(ITEM_ROLE) if indexes else None
        self._chosen = _key(item) if item is not None else None
        self.chosen.emit(item)


def _on_card(view: SessionView) -> int | None:
    """The `seq` of the item whose details the card shows: what is asked about, or how the session ended."""
    question, step = view.question, view.step
    if view.phase is Phase.ENDED and view.ended is not None and view.items:
        last = view.items[-1]
        return last.seq if isinstance(last, Note) and last.detail == view.ended.message else None
    return step.seq if question is not None and step is not None and question.step == step.number else None


def _key(item: Item) -> tuple[str, int]:
    return ("item", item.seq)


def _holds(row: Row, key: tuple[str, int]) -> bool:
    """Whether the row stands for the item with this key."""
    return row.holds(key) if isinstance(row, WaitsRow) else row.key == key
