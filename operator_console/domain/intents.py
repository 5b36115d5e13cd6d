"""Requests to a running session, from a human or the guard: a closed union. Only the session task acts on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.hand_input import UNUSED, HandUse
from operator_console.domain.risk import Autonomy
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Yes to the open review; `action`, where the operator edited it, replaces the model's and is assessed anew.
    `permits`: also yes to what the question offers."""

    question_id: str
    action: Action | None = None
    permits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Skip one call, before or during its lead time or review, with feedback for the model."""

    step: int
    call: int
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the action of a call, before or during its lead time or review."""

    step: int
    call: int
    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to an open question: "yes", "no", the chosen index, or the text. None: declined (Esc, closed).

    Attributes:
        nobody: it is declined because nobody was there to answer.
        note: for the model, with a "no" to an action.
        permits: with a "yes", also yes to what the question offers.
    """

    question_id: str
    answer: str | None
    nobody: bool = False
    note: str = ""
    permits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke:
    """End a permission of this session; what is being carried out is not interrupted."""

    permission_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOver:
    """The operator takes control of the target; the session waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBack:
    """The operator returns control, with an optional note. `by_hand`: what was given in the preview."""

    note: str = ""
    by_hand: HandUse = UNUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Send no further primitive, keep all state."""

    by: PauseCause = PauseCause.HUMAN
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """End a pause; a fresh frame is captured next."""

    by: str = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """End the run in order, because it cannot go on; `why` it cannot."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """End the session task. The guard has stopped all input already, where it could."""

    reason: StopCause = StopCause.BUTTON
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """A message to the model, delivered with its next turn."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteSnapshot:
    """The operator took a snapshot of the machine, or went back to one: recorded, and the model told of the latter."""

    act: SnapshotAct
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAutonomy:
    """Another level of autonomy from the next decision on. Ignored to and from hold-to-run, which the guard keeps."""

    autonomy: Autonomy


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveNext:
    """Yes to so many of the next actions that the side card would ask about; 0: to none any more. An open question is
    not among them."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryNow:
    """Ask the model's service again without waiting for the rest of the delay. Ignored outside such a delay."""


Intent: TypeAlias = (
    Approve
    | ApproveNext
    | Skip
    | Edit
    | Answer
    | Revoke
    | TakeOver
    | HandBack
    | Pause
    | Resume
    | End
    | Stop
    | Say
    | NoteSnapshot
    | RetryNow
    | SetAutonomy
)
