"""How much a session asks, and how quickly it is answered, by its events: the same for a live session and a record."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace

from operator_console.domain.decisions import DecidedBy, Question
from operator_console.domain.events import Answered, Asked, Decided, Event, SessionStarted
from operator_console.domain.risk import RiskClass

QUICK_S = 1.0
"""Seconds. An answer within less, once it could be given, is too quick to have read the question."""
YES_OPENS_AFTER_S = 1.0
"""Seconds that a question is shown, at least, before a yes counts."""
HASTE = 5
"""So many quick answers in a row are worth a word."""

_ABOUT_ACTIONS = frozenset(("review", "safety"))
_WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLoad:
    """Of all runs whose events were seen.

    Attributes:
        actions: calls that were decided and are more than a look (C1 and above).
        questions: of these, those that were asked about, also where nobody answered; withdrawn ones do not count.
        answers_s: how long a person took for each answer.
        quick_in_a_row: so many of a person's latest answers were quick.
    """

    actions: int = 0
    questions: int = 0
    answers_s: tuple[float, ...] = ()
    quick_in_a_row: int = 0
    _open: Question | None = None
    _counted: tuple[int, int] | None = None

    @property
    def per_100(self) -> float | None:
        """Questions per 100 actions; None without actions."""
        return 100 * self.questions / self.actions if self.actions else None

    @property
    def answer_s(self) -> float | None:
        """How long a person took for an answer, at the median; None without answers."""
        return statistics.median(self.answers_s) if self.answers_s else None

    @property
    def hasty(self) -> bool:
        """Whether the latest answers came too quickly."""
        return self.quick_in_a_row >= HASTE

    def since(self, before: QuestionLoad) -> QuestionLoad:
        """Without what had been counted `before`, in the same events."""
        answers = self.answers_s[len(before.answers_s) :]
        return replace(
            self, actions=self.actions - before.actions, questions=self.questions - before.questions, answers_s=answers
        )

    def after(self, event: Event) -> QuestionLoad:
        """With one more event."""
        match event:
            case SessionStarted():
                return replace(self, quick_in_a_row=0, _open=None, _counted=None)
            case Asked(question=question):
                # Once it was said, the count begins again.
                row = 0 if question.about == "haste" else self.quick_in_a_row
                return replace(self, _open=question, quick_in_a_row=row)
            case Answered():
                return self._answered(event)
            case Decided(step=step, call=call, assessment=assessment):
                looks = assessment is None or assessment.risk is RiskClass.C0
                if looks or self._counted == (step, call):
                    return self
                return replace(self, actions=self.actions + 1, _counted=(step, call))
            case _:
                return self

    def _answered(self, event: Answered) -> QuestionLoad:
        question = self._open
        closed = replace(self, _open=None)
        about = question is not None and question.question_id == event.question_id and question.about in _ABOUT_ACTIONS
        if not about or event.answer == _WITHDRAWN:
            return closed
        asked = replace(closed, questions=self.questions + 1)
        if event.by is not DecidedBy.HUMAN:
            return asked
        opened_s = YES_OPENS_AFTER_S if event.answer == "yes" else 0.0
        row = self.quick_in_a_row + 1 if event.took_s - opened_s < QUICK_S else 0
        return replace(asked, answers_s=(*self.answers_s, event.took_s), quick_in_a_row=row)
