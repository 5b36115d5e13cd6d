"""The timeline's rows: steps and notes of a view, newest first, as a Qt list model. Painted by `timeline`."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QPixmap

from operator_console.engine.wording import brief
from operator_console.ui.call_words import call_outcome, call_title
from operator_console.ui.model import Call, Item, Note, Step, parse_time

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
KEPT = 160
"""Thumbnails kept; older ones are made again when they come into view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row in words. `picture` is the digest of its thumbnail."""

    number: str
    title: str
    detail: str
    time: str
    picture: str


def entry_of(item: Item, *, waiting: bool = False) -> Entry:
    """The words of a row; `waiting`: an open question is about this step."""
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
        return "Looking and thinking"
    if not step.calls:
        words = step.proposed.narration or step.proposed.thoughts
        return brief(words, 120) or ("Finished" if step.proposed.finished else "Said nothing")
    titles = [call_title(step.calls[0])]
    titles += [title[:1].lower() + title[1:] for title in map(call_title, step.calls[1:])]
    return ", ".join(titles)


def _step_detail(step: Step) -> str:
    if step.proposed is None:
        return "interrupted" if step.finished else "under way"
    if not step.calls:
        return "no action"
    if len(step.calls) == 1:
        return call_outcome(step.calls[0])
    return _several(step.calls)


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
    """Rows 0.. are the newest first.

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
        """Oldest first, as the view has them."""
        return self._items

    def show_items(self, items: tuple[Item, ...], waiting_step: int | None) -> None:
        """Another view; says what was added and what changed."""
        before, old_waiting = self._items, self._waiting
        common = min(len(before), len(items))
        # What is behind grows; only a record of another session, or a step back in a replay, shrinks it.
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
        """One row an item."""
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The item, its words, or one line for a reader."""
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
        """A thumbnail; asks for it where it is missing."""
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
        """A thumbnail that was asked for."""
        self._asked.discard(digest)
        self._pictures[digest] = picture
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        if self._items:
            self.dataChanged.emit(self.index(0), self.index(len(self._items) - 1))


def _key(item: Item) -> tuple[str, int]:
    return ("step", item.number) if isinstance(item, Step) else ("note", item.seq)
