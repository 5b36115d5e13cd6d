"""The tokens and the money of one run, and the cost limit."""

from __future__ import annotations

from collections import deque
from decimal import Decimal

from operator_console.domain.prices import Money, Price, cost
from operator_console.domain.projection import NEWEST_STEPS, StepUse
from operator_console.domain.proposals import Proposal, Provider, TellsUsage, Usage

_NOTHING = Decimal(0)


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
