"""The timeline's rows as a Qt model, newest first. Updates cost what changed, not what there is."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QPixmap

from operator_console.domain.translations import _
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.session_view import Item, Step
from operator_console.ui.view.timeline_entries import ItemRow, Row, WaitsRow, entry_of_row, only_waits, rows_from

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
ROW_ROLE = Qt.ItemDataRole.UserRole + 3
KEPT = 160
"""Thumbnails kept; older ones are requested again when they come into view."""


class TimelineModel(QAbstractListModel):
    """The timeline's rows.

    Signals:
        wanted: a thumbnail is missing; carries its digest.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._items: ChunkedList[Item] = ChunkedList()
        self._rows: list[Row] = []
        self._on_card: int | None = None
        self._reached: int | None = None
        self._expanded: frozenset[int] = frozenset()
        self._pictures: OrderedDict[str, QPixmap] = OrderedDict()
        self._asked: set[str] = set()

    @property
    def items(self) -> ChunkedList[Item]:
        """The items, oldest first as in the view."""
        return self._items

    def show_items(self, items: ChunkedList[Item], on_card: int | None, reached: int | None = None) -> None:
        """Show a view's items, and signal the rows that were added, changed and removed.

        Args:
            items: all that there are.
            on_card: the `seq` of the step or note whose details the card shows.
            reached: how many of the items a replay has reached; None: all.
        """
        before, before_on_card = self._items, self._on_card
        same = items.same_until(before)
        self._items, self._on_card, self._reached = items, on_card, reached
        if same < len(before) or same < len(items):
            kept = self._kept_rows(same)
            start = _end(self._rows[kept - 1]) if kept else 0
            self._replace_rows(kept, rows_from(items, start, self._expanded))
        if on_card != before_on_card:
            for number in (before_on_card, on_card):
                row = self.row_of(("item", number)) if number is not None else None
                if row is not None:
                    self.dataChanged.emit(self.index(row), self.index(row))

    def _kept_rows(self, same: int) -> int:
        """How many rows stay if the first `same` items do; a row of waits before them may still grow."""
        kept = len(self._rows)
        while kept and (_end(self._rows[kept - 1]) > same or _may_grow(self._rows[kept - 1])):
            kept -= 1
        return kept

    def _replace_rows(self, kept: int, rows: list[Row]) -> None:
        """Exchange all rows but the first `kept` (oldest first)."""
        old = self._rows[kept:]
        if old and kept == 0 and (not rows or rows[0].key != old[0].key):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        common, least = 0, min(len(old), len(rows))
        while common < least and old[common].key == rows[common].key:
            common += 1
        unmoved = 0
        while unmoved < least - common and _same(old[-1 - unmoved], rows[-1 - unmoved]):
            unmoved += 1
        if len(old) > common + unmoved:
            self.beginRemoveRows(QModelIndex(), unmoved, len(old) - common - 1)
            del self._rows[kept + common : len(self._rows) - unmoved]
            self.endRemoveRows()
        changed = [n for n in range(common) if not _same(old[n], rows[n])]
        self._rows[kept : kept + common] = rows[:common]
        if len(rows) > common + unmoved:
            self.beginInsertRows(QModelIndex(), unmoved, len(rows) - common - 1)
            self._rows[kept + common : kept + common] = rows[common : len(rows) - unmoved]
            self.endInsertRows()
        if changed:
            first, last = kept + changed[0], kept + changed[-1]
            self.dataChanged.emit(self.index(len(self._rows) - 1 - last), self.index(len(self._rows) - 1 - first))

    def set_expanded(self, row: int, *, expanded: bool) -> bool:
        """Show the steps of a row of waits in rows of their own, or not any more; whether that changed anything."""
        shown = self.row(row)
        if not isinstance(shown, WaitsRow) or shown.expanded == expanded:
            return False
        self._expanded = self._expanded ^ {shown.steps[0].seq}
        before = len(self._rows) - 1 - row - (len(shown.steps) if shown.expanded else 0)
        self._replace_rows(before, rows_from(self._items, shown.place, self._expanded))
        return True

    def row(self, row: int) -> Row:
        """The row there, counted from the newest."""
        return self._rows[len(self._rows) - 1 - row]

    def row_of(self, key: tuple[str, int]) -> int | None:
        """The place of the row with this key, or of the row of waits that holds the step."""
        for place in range(len(self._rows) - 1, -1, -1):
            row = self._rows[place]
            if row.key == key or (isinstance(row, WaitsRow) and not row.expanded and row.holds(key)):
                return len(self._rows) - 1 - place
        return None

    def row_at(self, place: int) -> int:
        """The place of the row that the item at `place` is in."""
        return len(self._rows) - 1 - min(bisect_right(self._rows, place, key=_end), len(self._rows) - 1)

    def is_ahead(self, row: Row) -> bool:
        """Whether a replay has not reached the row yet."""
        return self._reached is not None and row.place >= self._reached

    def is_reached_last(self, row: Row) -> bool:
        """Whether the row is the newest one that a replay has reached."""
        opened = isinstance(row, WaitsRow) and row.expanded
        return self._reached is not None and not opened and row.place < self._reached <= _end(row)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """The number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The item (the last of a row of waits), its text, or one line for a screen reader."""
        if not index.isValid():
            return None
        row = self.row(index.row())
        if role == ITEM_ROLE:
            return row.steps[-1] if isinstance(row, WaitsRow) else row.item
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and isinstance(row, WaitsRow):
            return _("open; Left closes it") if row.expanded else _("closed; Right shows each step")
        if role not in (ENTRY_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole,
                        Qt.ItemDataRole.ToolTipRole):  # fmt: skip
            return None
        entry = entry_of_row(row, on_card=isinstance(row, ItemRow) and row.item.seq == self._on_card)
        if role == ENTRY_ROLE:
            return entry
        if role == Qt.ItemDataRole.ToolTipRole:
            badge = entry.badge.text if entry.badge is not None else ""
            times = " · ".join(part for part in (entry.time, entry.human) if part)
            return "\n".join(part for part in (entry.title, badge, entry.detail, times) if part)
        return entry.spoken

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

    def forget_pictures(self) -> None:
        """Request them again: at another size."""
        self._pictures.clear()
        self._asked.clear()


def _end(row: Row) -> int:
    """The place after the row's last item."""
    return row.place + (len(row.steps) if isinstance(row, WaitsRow) else 1)


def _may_grow(row: Row) -> bool:
    """Whether the next item may belong to this row."""
    return isinstance(row, WaitsRow) or (isinstance(row.item, Step) and only_waits(row.item))


def _same(one: Row, other: Row) -> bool:
    if isinstance(one, WaitsRow) or isinstance(other, WaitsRow):
        return one == other
    return one.item is other.item and one.place == other.place and one.member == other.member
