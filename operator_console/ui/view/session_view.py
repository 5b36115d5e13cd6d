"""What the window shows of a session, as values: phase, steps, calls, notes. The same for live view and replay.

Free of Qt. `fold_records` builds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from operator_console.domain import events as ev
from operator_console.domain.actions import Action, QuestionKind
from operator_console.domain.decisions import Assessment, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.elements import Control
from operator_console.domain.events import ProposedCall
from operator_console.domain.permissions import Permission
from operator_console.domain.prices import Money, total
from operator_console.domain.projection import Projection
from operator_console.domain.proposals import Usage
from operator_console.domain.question_load import QuestionLoad
from operator_console.domain.risk import Autonomy
from operator_console.ui.view.chunked_list import ChunkedList


class Phase(StrEnum):
    """The phase of a session as shown in the window."""

    IDLE = "idle"
    STARTING = "starting"
    OBSERVING = "observing"
    THINKING = "thinking"
    RETRYING = "retrying"
    REVIEWING = "reviewing"
    ACTING = "acting"
    SETTLING = "settling"
    WAITING_FOR_DISK = "waiting for disk"
    PAUSED = "paused"
    HANDED_OVER = "handed over"
    STOPPED = "stopped"
    ENDED = "ended"

    @property
    def active(self) -> bool:
        """Whether a session is in progress."""
        return self not in (Phase.IDLE, Phase.STOPPED, Phase.ENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a step and everything that happened to it.

    `decided_at` and the like are times, "" for not yet. `over`: its run ended, so nothing more will happen to it.
    `permission`: the operator's that its decision rests on; "" for none.
    """

    step: int
    proposed: ProposedCall
    action: Action | None
    assessment: Assessment | None = None
    decision: DecisionKind | None = None
    by: DecidedBy | None = None
    rule: str = ""
    feedback: str = ""
    lead_s: float = 0.0
    granted: bool = False
    performed: ev.Performed | None = None
    changed: bool | None = None
    decided_at: str = ""
    granted_at: str = ""
    performed_at: str = ""
    settled_at: str = ""
    over: bool = False
    permission: str = ""

    @property
    def index(self) -> int:
        """Its position in the turn, from 0."""
        return self.proposed.index

    @property
    def label(self) -> str:
        """The text read at its target."""
        return self.assessment.label if self.assessment else ""

    @property
    def control(self) -> Control | None:
        """The control that it hits; None: none, or not known."""
        return self.assessment.control if self.assessment else None

    @property
    def from_control(self) -> Control | None:
        """The control that a drag or a release starts at."""
        return self.assessment.from_control if self.assessment else None

    @property
    def open(self) -> bool:
        """Whether it can still be performed."""
        return self.performed is None and not self.over and self.decision not in _CLOSING


_CLOSING = frozenset((DecisionKind.SKIP, DecisionKind.DENY, DecisionKind.NOT_DONE, DecisionKind.STOP))


class AwayKind(StrEnum):
    """Why the machine waited."""

    QUESTION = "question"
    CONTROL = "control"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """A time in which the machine waited: a question was open, the human had control, or it was paused."""

    kind: AwayKind
    began: str
    ended: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the model.

    Attributes:
        number: counts from 1 in each run of a file; `seq`, that of its first record, is the file's only one.
        away: when the machine waited since it began; some may lie after its end.
    """

    number: int
    seq: int = 0
    observed: ev.Observed | None = None
    proposed: ev.Proposed | None = None
    calls: tuple[Call, ...] = ()
    began: str = ""
    proposed_at: str = ""
    finished: str = ""
    away: tuple[Away, ...] = ()
    after: str = ""
    """The digest of the next step's picture; "" until there is one."""


class NoteKind(StrEnum):
    """The kind of a timeline entry that is not a step."""

    HUMAN = "human"
    MESSAGE = "message"
    WARNING = "warning"
    STOP = "stop"
    PAUSE = "pause"
    RUN = "run"
    END = "end"
    FILE = "file"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A timeline entry that is not a step: an answer, a message, a warning, a pause, a stop, a run's start or end, a
    file that a browser saved, a request that it was kept from.

    `stopped`: what a stop did, for its receipt.
    """

    seq: int
    kind: NoteKind
    title: str
    detail: str = ""
    time: str = ""
    picture: str = ""
    stopped: ev.Stopped | None = None


Item: TypeAlias = Step | Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A pending retry of a service request; `until_s` (time.monotonic()) is known for a live session only."""

    attempt: int
    of: int
    wait_s: float
    reason: str
    until_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What the requests of a session used.

    Attributes:
        usage: tokens by kind.
        costs: a sum for each currency; empty where no price is known.
        unreported_steps: steps whose tokens the service did not report.
    """

    usage: Usage = field(default_factory=Usage)
    costs: tuple[Money, ...] = ()
    unreported_steps: int = 0

    def __add__(self, other: Used) -> Used:
        """Both together."""
        return Used(
            usage=self.usage + other.usage,
            costs=total((*self.costs, *other.costs)),
            unreported_steps=self.unreported_steps + other.unreported_steps,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """Everything shown about one session file.

    Attributes:
        used_in_run: by the newest run; `used_before`: by those before it in the file.
        projection: of the newest run; None where there is none.
        run_seq: the record with which the newest run began.
        autonomy: that of now; None before a run. `approve_next`: so many of the next actions that the side card would
            ask about are approved.
        line: the line of a runbook that ran last; 0 for another model.
        looks: steps of a runbook that only looked for something and waited.
        waiting: the open question, pause or hand-over that the machine waits for; None: it does not wait.
        waiting_note: the number of the note about that pause or hand-over; 0 for none.
        stop_note: the number of the note about the newest stop; 0 for none.
        permissions: those that stand.
        load: how much was asked in all runs, and how quickly it was answered; `load_before`: before the newest.
    """

    phase: Phase = Phase.IDLE
    started: ev.SessionStarted | None = None
    items: ChunkedList[Item] = field(default_factory=ChunkedList)
    question: Question | None = None
    retry: Retry | None = None
    pause: ev.Paused | None = None
    handed_over: str = ""
    stopped: ev.Stopped | None = None
    stopped_time: str = ""
    ended: ev.Ended | None = None
    used_in_run: Used = field(default_factory=Used)
    used_before: Used = field(default_factory=Used)
    projection: Projection | None = None
    run_began: str = ""
    last_time: str = ""
    last_seq: int = 0
    run_seq: int = 0
    autonomy: Autonomy | None = None
    approve_next: int = 0
    line: int = 0
    looks: int = 0
    waiting: Away | None = None
    waiting_note: int = 0
    stop_note: int = 0
    permissions: tuple[Permission, ...] = ()
    load: QuestionLoad = field(default_factory=QuestionLoad)
    load_before: QuestionLoad = field(default_factory=QuestionLoad)

    @property
    def used(self) -> Used:
        """By all runs in the file."""
        return self.used_before + self.used_in_run

    @property
    def step(self) -> Step | None:
        """The newest step."""
        return next((item for item in reversed(self.items) if isinstance(item, Step)), None)

    @property
    def step_reached(self) -> int:
        """The number of the step that the run is at; once it is over, of the last one that the model answered."""
        step = self.step
        if step is None or step.seq < self.run_seq:
            return 0
        return step.number if self.phase.active or step.proposed is not None else step.number - 1

    @property
    def plays_runbook(self) -> bool:
        """Whether a runbook is played, and no model is asked."""
        return self.started is not None and self.started.provider == "runbook"

    @property
    def open_calls(self) -> tuple[Call, ...]:
        """Calls of the newest step that can still be performed."""
        if not self.phase.active or self.phase is Phase.HANDED_OVER or (step := self.step) is None:
            return ()
        return tuple(call for call in step.calls if call.open)

    @property
    def asked_call(self) -> Call | None:
        """The call that the open question is about."""
        question = self.question
        if question is None or question.call is None:
            return None
        return self.call(question.step, question.call)

    @property
    def leading_call(self) -> Call | None:
        """The call whose lead time is running or that is being performed."""
        return next((call for call in self.open_calls if call.decision is not None and call.decision.approves), None)

    @property
    def upcoming_call(self) -> Call | None:
        """The call that is asked about, being performed, or next."""
        return self.asked_call or self.leading_call or next(iter(self.open_calls), None)

    def call(self, step: int | None, index: int) -> Call | None:
        """The call with this step number and index; None if there is none."""
        for item in reversed(self.items):
            if isinstance(item, Step) and item.number == step:
                return next((call for call in item.calls if call.index == index), None)
        return None

    def elapsed_s(self, now: datetime | None = None) -> float | None:
        """Seconds since the run began, up to its end, the last record, or `now` while it is active."""
        if self.ended is not None and self.ended.elapsed_s:
            return self.ended.elapsed_s
        began = parse_time(self.run_began)
        until = now if now is not None and self.phase.active else parse_time(self.last_time)
        if began is None or until is None:
            return None
        return max(0.0, (until - began).total_seconds())


def asked_in_dialog(question: Question | None) -> bool:
    """Whether the safety dialog asks the open question; the side card asks all others."""
    return question is not None and question.surface is Surface.DIALOG and question.answer is QuestionKind.CONFIRM


def parse_time(text: str) -> datetime | None:
    """Parse an RFC 3339 time; None if it is not one."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def seconds_between(began: str, ended: str) -> float | None:
    """Seconds from one RFC 3339 time to another, at least 0; None if one is not known."""
    start, end = parse_time(began), parse_time(ended)
    return max(0.0, (end - start).total_seconds()) if start is not None and end is not None else None
