"""What a human wants: the closed union that the app, the terminal and the guard post to a running session.

The session task is the only one that acts on them. Values only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.events import PauseCause, StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Yes to the open review; `action` replaces the model's where the operator edited it (classed again)."""

    question_id: str
    action: Action | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Leave out one call (also during its lead time), with words for the model."""

    step: int
    call: int
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Put this action in the place of a call during its lead time or review."""

    step: int
    call: int
    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to an open question: "yes", "no", the chosen index, or the text. None: declined (Esc, closed).

    `nobody`: it is declined because nobody was there to answer, which no human did.
    """

    question_id: str
    answer: str | None
    nobody: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOver:
    """The human takes the target; the session waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBack:
    """The human gives it back, perhaps saying what was done."""

    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Finish no further primitive, keep everything."""

    by: PauseCause = PauseCause.HUMAN
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Go on, with a fresh frame."""

    by: str = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Stop. The guard has acted already where it could; this ends the session task."""

    reason: StopCause = StopCause.BUTTON
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Words for the model, delivered with its next turn."""

    text: str


Intent: TypeAlias = Approve | Skip | Edit | Answer | TakeOver | HandBack | Pause | Resume | Stop | Say
