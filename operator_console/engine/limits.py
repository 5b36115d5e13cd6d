"""Steps, minutes, cost and denials of a run, and their limits. Time spent waiting for a human does not count."""

from __future__ import annotations

from enum import Enum, auto
from typing import assert_never

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.prices import Money, money_text
from operator_console.domain.projection import Projection, StepUse, projected
from operator_console.domain.proposals import Proposal, Usage
from operator_console.domain.requests import SessionRequest
from operator_console.engine.ports import Clock
from operator_console.engine.spending import Spending

DENIALS_IN_A_ROW = 3
DENIALS_IN_ALL = 20


def check_cost_limit(request: SessionRequest) -> None:
    """Raises OperatorError where the cost limit cannot be kept or is not an amount."""
    if request.max_cost is None:
        return
    if not request.max_cost.is_finite() or request.max_cost <= 0:
        raise OperatorError(
            notice(NoticeCode.COST_LIMIT_INVALID, amount=str(request.max_cost)),
            remedy=notice(NoticeCode.USE_POSITIVE_NUMBER),
            exit_code=ExitCode.USAGE,
        )
    if request.price is None:
        raise OperatorError(
            notice(NoticeCode.COST_LIMIT_WITHOUT_PRICE),
            remedy=notice(NoticeCode.GIVE_PRICE_OR_NO_COST_LIMIT),
            exit_code=ExitCode.USAGE,
        )


class _Reached(Enum):
    """A limit that can be extended."""

    STEPS = auto()
    TIME = auto()
    COST = auto()
    COST_UNKNOWN = auto()


class Meter:
    """Counts what one run uses.

    Attributes:
        steps: turns that the model has answered.
        spending: tokens and money.
        unanswered: consecutive questions that nobody could answer.
    """

    def __init__(self, request: SessionRequest, clock: Clock) -> None:
        self._clock = clock
        self._request = request
        self._max_steps = request.max_steps
        self._max_s = request.max_minutes * 60
        self._started_s = clock.monotonic()
        self._human_s = 0.0
        self._waiting_since_s: float | None = None
        self._denied_in_a_row = 0
        self._denied_since_pause = 0
        self.steps = 0
        self.spending = Spending(request.price, request.max_cost)
        self._reached: _Reached | None = None
        self._answered_s = 0.0
        self.unanswered = 0

    @property
    def elapsed_s(self) -> float:
        """Time since the start, including waiting for a human."""
        return self._clock.monotonic() - self._started_s

    @property
    def working_s(self) -> float:
        """Time since the start, without waiting for a human."""
        waiting = 0.0 if self._waiting_since_s is None else self._clock.monotonic() - self._waiting_since_s
        return self.elapsed_s - self._human_s - waiting

    def human_begins(self) -> None:
        """Waiting for a human begins."""
        if self._waiting_since_s is None:
            self._waiting_since_s = self._clock.monotonic()

    def human_ends(self) -> None:
        """Waiting for a human ends."""
        if self._waiting_since_s is not None:
            self._human_s += self._clock.monotonic() - self._waiting_since_s
            self._waiting_since_s = None

    def answered(self, proposal: Proposal) -> tuple[Usage, Money | None]:
        """Count a turn that the model answered; returns the tokens and the cost of all requests since the last one."""
        self.steps += 1
        before, self._answered_s = self._answered_s, self.working_s
        return self.spending.step(proposal, self._answered_s - before)

    @property
    def projection(self) -> Projection | None:
        """What the run will have used at its step or time limit; None in the first steps or without token counts."""
        spending = self.spending
        whole = StepUse(seconds=self.working_s, tokens=spending.usage.total_tokens, cost=spending.spent)
        return projected(
            tuple(spending.newest), whole, steps=self.steps, max_steps=self._max_steps, max_s=self._max_s
        )  # fmt: skip

    def limit(self) -> str:
        """The limit that is reached, as a sentence; "" for none. The next `extend` is for this limit."""
        if self.steps >= self._max_steps:
            self._reached = _Reached.STEPS
            return notice(NoticeCode.STEP_LIMIT_REACHED, count=self.steps)
        if self.working_s >= self._max_s:
            self._reached = _Reached.TIME
            return notice(NoticeCode.TIME_LIMIT_REACHED, minutes=self._max_s / 60)
        return self.cost_limit()

    def cost_limit(self) -> str:
        """The same for the cost limit alone."""
        spending, self._reached = self.spending, None
        if (limit := spending.limit) is None:
            return ""
        if spending.unknown:
            self._reached = _Reached.COST_UNKNOWN
            return notice(NoticeCode.COST_LIMIT_NOT_KEPT, limit=money_text(limit))
        spent, likely = spending.spent, spending.likely
        if not spending.exceeded or spent is None or likely is None:
            return ""
        self._reached = _Reached.COST
        whole = None if (projection := self.projection) is None else projection.cost
        return joined(
            notice(NoticeCode.COST_LIMIT_REACHED, spent=money_text(spent), limit=money_text(limit)),
            notice(NoticeCode.NEXT_REQUEST_COSTS, amount=money_text(likely)),
            notice(NoticeCode.WHOLE_RUN_COSTS, amount=money_text(whole)) if whole is not None else "",
        )

    def offer(self) -> str:
        """The question whether to go on; for the limit that `limit` told."""
        extension = self.spending.extension
        if self._reached is _Reached.COST and extension is not None:
            return notice(NoticeCode.CONTINUE_FOR_AMOUNT, amount=money_text(extension))
        if self._reached is _Reached.COST_UNKNOWN:
            return notice(NoticeCode.CONTINUE_AT_UNKNOWN_COST)
        return notice(NoticeCode.CONTINUE_QUESTION)

    def extend(self) -> None:
        """Extend the limit that `limit` told by its first amount."""
        reached, self._reached = self._reached, None
        match reached:
            case None:
                return
            case _Reached.STEPS:
                self._max_steps = self.steps + self._request.max_steps
            case _Reached.TIME:
                self._max_s = self.working_s + self._request.max_minutes * 60
            case _Reached.COST:
                self.spending.extend()
            case _Reached.COST_UNKNOWN:
                self.spending.accept_unknown()
            case _:
                assert_never(reached)

    def denied(self) -> None:
        """Count a call that was declined."""
        self._denied_in_a_row += 1
        self._denied_since_pause += 1

    def performed(self) -> None:
        """An action was carried out: reset the consecutive counts."""
        self._denied_in_a_row = 0
        self.unanswered = 0

    def denials(self) -> str:
        """A sentence where too many calls were declined, which resets the counts; else ""."""
        self._reached = None
        if self._denied_in_a_row < DENIALS_IN_A_ROW and self._denied_since_pause < DENIALS_IN_ALL:
            return ""
        in_a_row = self._denied_in_a_row >= DENIALS_IN_A_ROW
        count = self._denied_in_a_row if in_a_row else self._denied_since_pause
        self._denied_in_a_row = self._denied_since_pause = 0
        return notice(NoticeCode.CALLS_DECLINED_IN_A_ROW if in_a_row else NoticeCode.CALLS_DECLINED, count=count)
