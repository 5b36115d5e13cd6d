"""Everything that the page says about a session, as values: read in one go, without its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from operator_console.domain import events as ev
from operator_console.domain.events import Record
from operator_console.domain.message_texts import with_words
from operator_console.domain.question_load import QuestionLoad
from operator_console.ui.reading_page.pictures import RecordedPicture
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.fold_records import cut_off, fold
from operator_console.ui.view.session_view import AwayKind, Item, SessionView, Step, Used, seconds_between
from operator_console.ui.view.timeline_entries import Row, WaitsRow, rows_from


class StoredEvent(Protocol):
    """An event as the record has it; `record` None: of a kind that this version does not know."""

    @property
    def object(self) -> Mapping[str, Any]: ...

    @property
    def record(self) -> Record | None: ...


class SessionSource(Protocol):
    """A session file open for reading."""

    @property
    def session_id(self) -> str: ...

    @property
    def created(self) -> str: ...

    def entries(self) -> Iterator[StoredEvent]:
        """The events in order. Raises RecordError."""

    def blob(self, digest: str) -> bytes | None:
        """A picture or a model's answer; None if the record lacks it. Raises RecordError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds of a run: of the machine, waiting for the human, and in pauses that ended by themselves."""

    whole_s: float
    you_s: float
    paused_s: float

    @property
    def machine_s(self) -> float:
        """Without all waits."""
        return max(0.0, self.whole_s - self.you_s - self.paused_s)

    def __add__(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(
            whole_s=self.whole_s + other.whole_s,
            you_s=self.you_s + other.you_s,
            paused_s=self.paused_s + other.paused_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of the session: from a start to its end, or to the next start. `rows`: as in the timeline, oldest first.

    Its steps are counted from 1, as those of the other runs.
    """

    number: int
    started: ev.SessionStarted | None
    began: str
    ended: ev.Ended | None
    stopped: ev.Stopped | None
    rows: tuple[Row, ...]
    spent: Spent

    @property
    def steps(self) -> Iterator[Step]:
        """Its steps in order."""
        for row in self.rows:
            yield from steps_of(row)

    def anchor(self, step: Step) -> str:
        """The name of a step's section, unique in the page."""
        return f"step-{step.number}" if self.number == 1 else f"run-{self.number}-step-{step.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A whole session.

    Attributes:
        used: tokens and cost of all runs.
        load: how much was asked in all runs, and how quickly it was answered.
        stops: of the notes, by their sequence number.
        retries: by run and step.
        asked: how long questions about calls were open, in seconds, by run, step and call.
        unknown: events of kinds that this version does not know.
    """

    session_id: str
    created: str
    runs: tuple[Run, ...]
    used: Used
    load: QuestionLoad
    stops: Mapping[int, ev.Stopped]
    retries: Mapping[tuple[int, int], tuple[ev.Retrying, ...]]
    asked: Mapping[tuple[int, int, int], float]
    unknown: tuple[Mapping[str, Any], ...]

    @property
    def started(self) -> ev.SessionStarted | None:
        """Its first start."""
        return next((run.started for run in self.runs if run.started is not None), None)

    @property
    def steps(self) -> Iterator[Step]:
        """The steps of all runs."""
        for run in self.runs:
            yield from run.steps

    @property
    def pictures(self) -> tuple[RecordedPicture, ...]:
        """The distinct pictures in the order of the page."""
        found: dict[str, RecordedPicture] = {}
        for step in self.steps:
            seen = step.observed
            if seen is not None and seen.picture and seen.picture not in found:
                found[seen.picture] = RecordedPicture(
                    digest=seen.picture, mime_type=seen.mime_type, size_bytes=seen.picture_bytes
                )
        return tuple(found.values())


def steps_of(row: Row) -> tuple[Step, ...]:
    """The steps of a row; none for a note."""
    if isinstance(row, WaitsRow):
        return row.steps
    return (row.item,) if isinstance(row.item, Step) else ()


@dataclass(slots=True)
class _Draft:
    started: ev.SessionStarted | None = None
    began: str = ""
    last: str = ""
    ended: ev.Ended | None = None
    stopped: ev.Stopped | None = None
    first_item: int = 0


@dataclass(slots=True)
class _Reader:
    view: SessionView = field(default_factory=SessionView)
    drafts: list[_Draft] = field(default_factory=list)
    stops: dict[int, ev.Stopped] = field(default_factory=dict)
    retries: dict[tuple[int, int], tuple[ev.Retrying, ...]] = field(default_factory=dict)
    asked: dict[tuple[int, int, int], float] = field(default_factory=dict)
    unknown: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """One more event."""
        event = with_words(record.event)
        if isinstance(event, ev.SessionStarted) or not self.drafts:
            self.drafts.append(_Draft(began=record.time, last=record.time, first_item=len(self.view.items)))
        self.view = fold(self.view, record)
        draft, run = self.drafts[-1], len(self.drafts)
        if draft.ended is None:
            draft.last = record.time
        match event:
            case ev.SessionStarted():
                draft.started = event
            case ev.Ended():
                draft.ended = event
            case ev.Stopped():
                draft.stopped = event
                self.stops[record.seq] = event
            case ev.Retrying(step=step):
                self.retries[run, step] = (*self.retries.get((run, step), ()), event)
            case ev.Answered(step=int(step), call=int(call), took_s=took_s):
                self.asked[run, step, call] = self.asked.get((run, step, call), 0.0) + took_s
            case _:
                pass

    def run(self, number: int) -> Run:
        """The run with this number, from 1."""
        draft = self.drafts[number - 1]
        end = self.drafts[number].first_item if number < len(self.drafts) else len(self.view.items)
        items: ChunkedList[Item] = ChunkedList(self.view.items[draft.first_item : end])
        return Run(
            number=number, started=draft.started, began=draft.began, ended=draft.ended, stopped=draft.stopped,
            rows=tuple(rows_from(items, 0, frozenset())), spent=_spent(draft, items),
        )  # fmt: skip


def read_session(source: SessionSource, *, live: bool) -> Reading:
    """Read all events; `live`: it is being written. Raises RecordError."""
    reader = _Reader()
    for entry in source.entries():
        if entry.record is None:
            reader.unknown.append(entry.object)
        else:
            reader.add(entry.record)
    if not live:
        reader.view = cut_off(reader.view)
    return Reading(
        session_id=source.session_id, created=source.created,
        runs=tuple(reader.run(number) for number in range(1, len(reader.drafts) + 1)),
        used=reader.view.used, load=reader.view.load,
        stops=reader.stops, retries=reader.retries, asked=reader.asked, unknown=tuple(reader.unknown),
    )  # fmt: skip


def _spent(draft: _Draft, items: Iterable[Item]) -> Spent:
    you_s = paused_s = 0.0
    for item in items:
        for away in item.away if isinstance(item, Step) else ():
            took_s = seconds_between(away.began, away.ended or draft.last) or 0.0
            if away.kind is AwayKind.PAUSE:
                paused_s += took_s
            else:
                you_s += took_s
    whole_s = seconds_between(draft.began, draft.last) or 0.0
    return Spent(whole_s=whole_s, you_s=min(you_s, whole_s), paused_s=min(paused_s, whole_s))
