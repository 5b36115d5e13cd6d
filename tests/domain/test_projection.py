"""The projection of a run to its step or time limit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from operator_console.domain.prices import Money
from operator_console.domain.projection import ProjectedLimit, Projection, StepUse, projected


def usd(text: str) -> Money:
    return Money(amount=Decimal(text), currency="USD")


def use(seconds: float, tokens: int, cost: str = "") -> StepUse:
    return StepUse(seconds=seconds, tokens=tokens, cost=usd(cost) if cost else None)


NEWEST = (use(10, 1000, "0.01"), use(20, 2000, "0.02"), use(30, 3000, "0.03"))


def test_to_the_step_limit_at_the_mean_of_the_newest_steps() -> None:
    whole = use(100, 50_000, "0.50")
    assert projected(NEWEST, whole, steps=20, max_steps=100, max_s=1800) == Projection(
        limit=ProjectedLimit.STEPS, steps=100, tokens=50_000 + 80 * 2000, cost=usd("2.10")
    )


def test_to_the_time_limit_where_that_comes_first() -> None:
    whole = use(1700, 50_000, "0.50")
    assert projected(NEWEST, whole, steps=20, max_steps=100, max_s=1800) == Projection(
        limit=ProjectedLimit.TIME, steps=25, tokens=60_000, cost=usd("0.60")
    )


def test_without_a_price_tokens_alone() -> None:
    newest = [use(1, 10)] * 3
    made = projected(newest, use(3, 30), steps=3, max_steps=4, max_s=1e9)
    assert made == Projection(limit=ProjectedLimit.STEPS, steps=4, tokens=40, cost=None)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_none_in_the_first_steps(count: int) -> None:
    assert projected(NEWEST[:count], use(1, 1), steps=count, max_steps=100, max_s=1800) is None


@pytest.mark.parametrize(("steps", "seconds"), [(100, 5.0), (120, 5.0), (5, 5000.0)])
def test_beyond_a_limit_nothing_is_added(steps: int, seconds: float) -> None:
    made = projected(NEWEST, use(seconds, 9, "1"), steps=steps, max_steps=100, max_s=1800)
    assert made is not None
    assert (made.steps, made.tokens, made.cost) == (steps, 9, usd("1"))


def test_steps_that_took_no_time_are_limited_by_their_number() -> None:
    made = projected([use(0, 10, "1")] * 3, use(0, 30, "3"), steps=3, max_steps=10, max_s=60)
    assert made is not None
    assert (made.limit, made.steps, made.cost) == (ProjectedLimit.STEPS, 10, usd("10"))
