"""What a run will have used when it reaches its step or time limit, if it goes on as in its newest steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from operator_console.domain.prices import Money

FEWEST_STEPS = 3
NEWEST_STEPS = 10


class ProjectedLimit(StrEnum):
    """The limit that is reached first."""

    STEPS = "steps"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """An estimate: the whole run at its limit.

    Attributes:
        limit: the limit that is reached first.
        steps: the number of steps by then.
        tokens: all input and output.
        cost: None without a price.
    """

    limit: ProjectedLimit
    steps: int
    tokens: int
    cost: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepUse:
    """What one step used; `seconds` without waiting for a human."""

    seconds: float
    tokens: int
    cost: Money | None = None


def projected(
    newest: Sequence[StepUse], whole: StepUse, *, steps: int, max_steps: int, max_s: float
) -> Projection | None:
    """The projection at the mean of the newest steps; None for fewer than `FEWEST_STEPS`.

    Args:
        newest: the newest steps whose tokens were reported.
        whole: the run so far.
        steps: the number of its steps so far.
        max_steps, max_s: its limits.
    """
    if len(newest) < FEWEST_STEPS:
        return None
    count = len(newest)
    mean_s = sum(step.seconds for step in newest) / count
    by_steps = max(0, max_steps - steps)
    by_time = int(max(0.0, max_s - whole.seconds) / mean_s) if mean_s > 0 else by_steps
    left = min(by_steps, by_time)
    tokens = whole.tokens + round(sum(step.tokens for step in newest) / count * left)
    cost = None
    if whole.cost is not None:
        newest_cost = sum((step.cost.amount for step in newest if step.cost is not None), Decimal(0))
        cost = Money(amount=whole.cost.amount + newest_cost * left / count, currency=whole.cost.currency)
    return Projection(
        limit=ProjectedLimit.STEPS if by_steps <= by_time else ProjectedLimit.TIME,
        steps=steps + left,
        tokens=tokens,
        cost=cost,
    )
