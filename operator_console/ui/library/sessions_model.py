"""The rows of the sessions library: which sessions are shown, in which order, and in which words. No painting."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QPixmap

from operator_console.domain.translations import _, ngettext
from operator_console.engine.visible_text import brief
from operator_console.ui.backend import SessionOutcome, SessionSummary
from operator_console.ui.view.session_view import parse_time
from operator_console.ui.view.words import clock_words, size_words, task_line

SUMMARY_ROLE = Qt.ItemDataRole.UserRole + 1
LINES_ROLE = Qt.ItemDataRole.UserRole + 2
NOTE_ROLE = Qt.ItemDataRole.UserRole + 3
KEPT = 200
"""Thumbnails kept; others are requested again when they come into view."""


class NoteTone(StrEnum):
    """What a note beside a session says about it."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What was last done with a session, shown in its row.

    Attributes:
        progress: how far it has come; follows the text, and is not read out when it changes.
        cancel: whether it can be cancelled.
        written: the file that it made, which can be opened; None: there is none.
    """

    text: str
    tone: NoteTone = NoteTone.PLAIN
    progress: str = ""
    cancel: bool = False
    written: Path | None = None

    @property
    def whole(self) -> str:
        """The text with the progress."""
        return f"{self.text} {self.progress}".strip()


def open_words(written: Path) -> str:
    """What opens an exported file: a page itself, anything else's folder."""
    return _("Open page") if written.suffix == ".html" else _("Show folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The text of a row: its title; its outcome and the other facts; where it is from."""

    title: str
    outcome: str
    facts: str
    origin: str


class Order(StrEnum):
    """The orders of the list."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    LONGEST = "longest"
    LARGEST = "largest"
    OUTCOME = "outcome"

    @property
    def words(self) -> str:
        """In the words of the window."""
        match self:
            case Order.NEWEST:
                return _("Newest first")
            case Order.OLDEST:
                return _("Oldest first")
            case Order.NAME:
                return _("Name")
            case Order.LONGEST:
                return _("Longest first")
            case Order.LARGEST:
                return _("Largest first")
            case Order.OUTCOME:
                return _("Result")


def outcome_words(outcome: SessionOutcome) -> str:
    """How a session ended."""
    match outcome:
        case SessionOutcome.FINISHED:
            return _("Finished")
        case SessionOutcome.FAILED:
            return _("Failed")
        case SessionOutcome.STOPPED:
            return _("Stopped")
        case SessionOutcome.LIMIT:
            return _("Limit reached")
        case SessionOutcome.INTERRUPTED:
            return _("Interrupted")
        case SessionOutcome.RUNNING:
            return _("Running")
        case SessionOutcome.UNREADABLE:
            return _("Cannot be read")


def title_of(summary: SessionSummary) -> str:
    """The name that somebody gave it, else its task, else the file's name."""
    if summary.named:
        return brief(summary.path.stem, 200)
    return _task(summary) if summary.task.strip() else brief(summary.path.name, 200)


def lines_of(summary: SessionSummary, now: datetime) -> Lines:
    """The text of a row."""
    outcome = outcome_words(summary.outcome)
    when = _when(parse_time(summary.started), now)
    if summary.outcome is SessionOutcome.UNREADABLE:
        return Lines(
            title=title_of(summary), outcome=outcome, facts=_joined(when, size_words(summary.size_bytes)),
            origin=brief(summary.trouble, 400),
        )  # fmt: skip
    steps = ngettext("{count} step", "{count} steps", summary.steps).format(count=summary.steps)
    if summary.runs > 1:
        steps = _("{steps} of {count} runs").format(steps=steps, count=summary.runs)
    length = steps
    if summary.length_s:
        length = _("{steps} in {time}").format(steps=steps, time=clock_words(summary.length_s))
    origin = _joined(_task(summary), summary.model) if summary.named else _joined(summary.model, summary.path.name)
    return Lines(
        title=title_of(summary), outcome=outcome, facts=_joined(when, length, size_words(summary.size_bytes)),
        origin=brief(origin, 400),
    )  # fmt: skip


def _task(summary: SessionSummary) -> str:
    return task_line(summary.task, 200, runbook=summary.is_runbook)


def _when(began: datetime | None, now: datetime) -> str:
    """Today 14:05, Yesterday 9:30, or the date and time, in the zone of `now`; "" for None."""
    if began is None:
        return ""
    local = began.astimezone(now.tzinfo)
    time = local.strftime("%H:%M")
    if local.date() == now.date():
        return _("Today {time}").format(time=time)
    if local.date() == now.date() - timedelta(days=1):
        return _("Yesterday {time}").format(time=time)
    return f"{local.strftime('%Y-%m-%d')} {time}"


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


_KEYS: dict[Order, Callable[[SessionSummary], Any]] = {
    Order.NEWEST: lambda one: one.started,
    Order.OLDEST: lambda one: one.started,
    Order.NAME: lambda one: title_of(one).casefold(),
    Order.LONGEST: lambda one: one.length_s,
    Order.LARGEST: lambda one: one.size_bytes,
    Order.OUTCOME: lambda one: list(SessionOutcome).index(one.outcome),
}
_DESCENDING = {Order.NEWEST, Order.LONGEST, Order.LARGEST}


class SessionsModel(QAbstractListModel):
    """The sessions that match the search, in the chosen order.

    Signals:
        wanted: a thumbnail is missing; carries the SessionSummary.
    """

    wanted = Signal(object)

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        super().__init__()
        self._now = now
        self._all: list[SessionSummary] = []
        self._words: dict[Path, str] = {}
        self._shown: list[SessionSummary] = []
        self._notes: dict[Path, Note] = {}
        self._pictures: OrderedDict[tuple[Path, str], QPixmap | None] = OrderedDict()
        self._asked: set[tuple[Path, str]] = set()
        self.search = ""
        self.order = Order.NEWEST

    @property
    def total(self) -> int:
        """How many sessions there are, shown or not."""
        return len(self._all)

    def show_sessions(self, sessions: Sequence[SessionSummary]) -> bool:
        """Replace the sessions; whether they are others than before."""
        if list(sessions) == self._all:
            return False
        self._all = list(sessions)
        self._words = {one.path: _searched(one) for one in sessions}
        self._notes = {path: note for path, note in self._notes.items() if path in self._words}
        self._arrange()
        return True

    def set_search(self, text: str) -> None:
        """Show only sessions that contain every word of the text."""
        self.search = text
        self._arrange()

    def set_order(self, order: Order) -> None:
        """Show them in another order."""
        self.order = order
        self._arrange()

    def note(self, path: Path, note: Note | None) -> None:
        """Show a note in a row; None removes it."""
        if note is None:
            self._notes.pop(path, None)
        else:
            self._notes[path] = note
        self._changed(path)

    def note_of(self, path: Path) -> Note | None:
        """The note in a row."""
        return self._notes.get(path)

    def row_of(self, path: Path) -> int:
        """The row of a session; -1 if it is not shown."""
        return next((row for row, one in enumerate(self._shown) if one.path == path), -1)

    def picture(self, summary: SessionSummary) -> QPixmap | None:
        """A thumbnail; requests it if it is missing. None if there is none, or not yet."""
        key = (summary.path, summary.picture)
        if key in self._pictures:
            self._pictures.move_to_end(key)
            return self._pictures[key]
        if summary.picture and key not in self._asked:
            self._asked.add(key)
            self.wanted.emit(summary)
        return None

    def put_picture(self, summary: SessionSummary, picture: QPixmap | None) -> None:
        """Store a requested thumbnail; None: the session lacks it."""
        key = (summary.path, summary.picture)
        self._asked.discard(key)
        self._pictures[key] = picture
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        self._changed(summary.path)

    def drop_request(self, summary: SessionSummary) -> None:
        """A requested thumbnail will not come now; it is requested again when its row is painted."""
        self._asked.discard((summary.path, summary.picture))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """One row per session shown."""
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The summary, its text, its note, or what a screen reader says."""
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        summary = self._shown[index.row()]
        note = self._notes.get(summary.path)
        if role == SUMMARY_ROLE:
            return summary
        if role == NOTE_ROLE:
            return note
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = lines_of(summary, self._now())
            facts = _joined(lines.outcome, lines.facts)
            parts = (brief(summary.task, 2_000), facts, str(summary.path), note.whole if note else summary.trouble)
            return "\n".join(part for part in parts if part)
        if role not in (LINES_ROLE, Qt.ItemDataRole.DisplayRole, *_ACCESSIBLE):
            return None
        lines = lines_of(summary, self._now())
        if role == LINES_ROLE:
            return lines
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return _joined(note.whole if note else "", lines.origin)
        return f"{lines.title}, {lines.outcome}, {lines.facts.replace(' · ', ', ')}"

    def _arrange(self) -> None:
        wanted = self.search.casefold().split()
        self.beginResetModel()
        found = [one for one in self._all if all(word in self._words[one.path] for word in wanted)]
        found.sort(key=lambda one: one.started, reverse=True)
        if self.order is not Order.NEWEST:
            found.sort(key=_KEYS[self.order], reverse=self.order in _DESCENDING)
        self._shown = found
        self.endResetModel()

    def _changed(self, path: Path) -> None:
        row = self.row_of(path)
        if row >= 0:
            index = self.index(row)
            self.dataChanged.emit(index, index)


_ACCESSIBLE = (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole)


def _searched(summary: SessionSummary) -> str:
    parts = (
        summary.task, summary.model, summary.target, summary.path.name, outcome_words(summary.outcome),
        summary.trouble,
    )  # fmt: skip
    return "\n".join(parts).casefold()
