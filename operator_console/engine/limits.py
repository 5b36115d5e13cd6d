"""Steps, minutes, tokens, cost and denials of a run, with limits. Time spent waiting for a human does not count."""

from __future__ import annotations

from collections import deque
from decimal import Decimal
from enum import Enum, auto
from typing import assert_never

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.prices import Money, Price, cost, money_text
from operator_console.domain.projection import NEWEST_STEPS, Projection, StepUse, projected
from operator_console.domain.proposals import Proposal, Provider, TellsUsage, Usage
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.ports import Clock

DENIALS_IN_A_ROW = 3
DENIALS_IN_ALL = 20

_NOTHING = Decimal(0)


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

    @property
    def left_s(self) -> float:
        """Time to the time limit; negative beyond it."""
        return self._max_s - self.working_s

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


class Spending:
    """Counts what a run has used, request by request and step by step.

    The cost limit is kept by an estimate: the next request is expected to cost as much as the last step. So a run can
    exceed its limit by what its next request costs more than that.

    Args:
        price: of the model's tokens; None if it is not known.
        limit: in the price's currency; None for none. Without a price it has no effect.

    Attributes:
        usage: tokens of the whole run.
        unreported_steps: steps whose tokens the service did not report.
        newest: the newest steps with reported tokens.
    """

    def __init__(self, price: Price | None, limit: Decimal | None) -> None:
        self._price = price
        self._portion = limit if price is not None else None  # what the operator agrees to at a time
        self._limit = self._portion
        self._spent = self._spent_before = _NOTHING
        self._likely = _NOTHING
        self._since_step = Usage()
        self._may_be_unknown = False
        self._newest_unreported = False
        self.usage = Usage()
        self.unreported_steps = 0
        self.newest: deque[StepUse] = deque(maxlen=NEWEST_STEPS)

    @property
    def spent(self) -> Money | None:
        """The cost of all reported tokens; None without a price, or while none are reported."""
        return self._money(self._spent) if self.usage.reported else None

    @property
    def limit(self) -> Money | None:
        """The cost limit; None for none."""
        return self._money(self._limit)

    @property
    def likely(self) -> Money | None:
        """What the next request is expected to cost."""
        return self._money(self._likely)

    @property
    def extension(self) -> Money | None:
        """What `extend` allows: the first amount, or the expected cost of a request if that is more."""
        return None if self._portion is None else self._money(max(self._portion, self._likely))

    @property
    def exceeded(self) -> bool:
        """Whether the next request is expected to exceed the limit."""
        return self._limit is not None and self._spent + self._likely > self._limit

    @property
    def unknown(self) -> bool:
        """Whether the limit cannot be kept because tokens are not reported, and nobody has accepted that yet."""
        return self._limit is not None and self.unreported_steps > 0 and not self._may_be_unknown

    @property
    def first_unreported(self) -> bool:
        """Whether the newest step is the first whose cost is not known, though there is a price."""
        return self._price is not None and self.unreported_steps == 1 and self._newest_unreported

    def add(self, usage: Usage) -> None:
        """Count tokens of requests that no step came of."""
        self._count(usage)
        self._likely = max(self._likely, self._cost(usage))

    def add_untold(self, provider: Provider) -> None:
        """Count tokens of the provider's that no proposal tells."""
        if isinstance(provider, TellsUsage):
            self.add(provider.take_usage())

    def step(self, proposal: Proposal, seconds: float) -> tuple[Usage, Money | None]:
        """Count a step; returns the tokens and the cost of all requests since the step before.

        Without a price, a step for which nothing was sent to a service (a runbook's) is not one that lacks its tokens.
        """
        usage = proposal.usage
        self._count(usage)
        used, self._since_step = self._since_step, Usage()
        money = self._money(self._spent - self._spent_before) if used.reported else None
        self._spent_before = self._spent
        self._newest_unreported = not usage.reported and (proposal.request_bytes > 0 or self._price is not None)
        self.unreported_steps += self._newest_unreported
        if usage.reported:
            self._likely = self._cost(usage)
            self.newest.append(StepUse(seconds=seconds, tokens=used.total_tokens, cost=money))
        return used, money

    def extend(self) -> None:
        """Allow `extension` more than was spent."""
        if self._portion is not None:
            self._limit = self._spent + max(self._portion, self._likely)

    def accept_unknown(self) -> None:
        """Go on although the limit cannot be kept."""
        self._may_be_unknown = True

    def _count(self, usage: Usage) -> None:
        self.usage += usage
        self._since_step += usage
        self._spent += self._cost(usage)

    def _cost(self, usage: Usage) -> Decimal:
        money = cost(usage, self._price) if self._price is not None else None
        return _NOTHING if money is None else money.amount

    def _money(self, amount: Decimal | None) -> Money | None:
        if amount is None or self._price is None:
            return None
        return Money(amount=amount, currency=self._price.currency)
