"""Tokens and cost in words."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from operator_console.domain import events as ev
from operator_console.domain.prices import Money, Price
from operator_console.domain.projection import ProjectedLimit, Projection
from operator_console.domain.proposals import Usage
from operator_console.ui.view.session_view import SessionView, Used
from operator_console.ui.view.usage_words import (
    costs_words,
    projection_words,
    tokens_words,
    unreported_words,
    usage_line,
    used_details,
)
from tests.display.ui.scene import Story
from tests.ui.view.folding import fold_all

USAGE = Usage(input_tokens=18_400, cached_tokens=9_200, image_tokens=7_700, output_tokens=420, thought_tokens=1_310)
PRICE = Price(input=Decimal(1), output=Decimal(4))


def usd(text: str) -> Money:
    return Money(amount=Decimal(text), currency="USD")


def eur(text: str) -> Money:
    return Money(amount=Decimal(text), currency="EUR")


def proposed(step: int, usage: Usage, cost: Money | None = None, request_bytes: int = 9) -> ev.Proposed:
    return ev.Proposed(step=step, calls=(), usage=usage, cost=cost, request_bytes=request_bytes)


def test_a_line_has_what_is_reported() -> None:
    assert usage_line(USAGE) == "20.1 k tokens (18.4 k in: 7.7 k images, 9.2 k cached; 420 out, 1.3 k thinking)"
    assert usage_line(Usage(input_tokens=500, output_tokens=20)) == "520 tokens (500 in; 20 out)"


def test_details_tell_zero_and_not_reported_apart() -> None:
    usage = Usage(input_tokens=5_000, cached_tokens=0, output_tokens=20)
    said = used_details(SessionView(used_in_run=Used(usage=usage)))
    assert "read from the service’s cache: 0" in said
    assert "images: not reported" in said
    assert "Thinking tokens: not reported" in said
    assert "Cost: not known without a price" in said


def test_without_reported_tokens_nothing_is_made_up() -> None:
    used = Used(unreported_steps=2)
    assert tokens_words(used) == "not reported"
    said = used_details(SessionView(used_in_run=used))
    assert said == "The service did not report the tokens of 2 steps.\nCost: not known without a price"
    assert tokens_words(Used()) == used_details(SessionView()) == unreported_words(0) == ""


def test_a_projection_says_that_it_is_one() -> None:
    steps = Projection(limit=ProjectedLimit.STEPS, steps=100, tokens=2_013_000, cost=usd("4.13"))
    assert projection_words(steps) == "Projection: about 2.0 M tokens, 4.13 USD at the limit of 100 steps"
    time = Projection(limit=ProjectedLimit.TIME, steps=1, tokens=900)
    assert projection_words(time) == "Projection: about 900 tokens at the time limit, after 1 step"


def test_costs_of_runs_in_two_currencies_stay_apart() -> None:
    story = Story()
    for price, cost in ((PRICE, usd("0.10")), (Price(input=Decimal(1), output=Decimal(1), currency="EUR"), eur("0.3"))):
        story.add(_started(price))
        story.add(proposed(1, USAGE, cost))
        story.add(proposed(2, USAGE, cost))
    view = fold_all(story.records)
    assert costs_words(view.used.costs) == "0.20 USD + 0.60 EUR"
    assert view.used.usage.total_tokens == 4 * USAGE.total_tokens


def test_the_end_of_a_run_counts_what_came_after_its_last_step() -> None:
    story = Story()
    story.add(_started(PRICE))
    story.add(proposed(1, USAGE, usd("0.1")))
    story.add(ev.Ended(outcome=ev.EndedOutcome.LIMIT, usage=USAGE, cost=usd("0.1")))
    story.add(_started(PRICE, resumed=True))
    story.add(proposed(1, USAGE, usd("0.1")))
    assert costs_words(fold_all(story.records).used.costs) == "0.20 USD"
    story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, usage=USAGE + USAGE, cost=usd("0.2"), unreported_steps=1))
    view = fold_all(story.records)
    assert costs_words(view.used.costs) == "0.30 USD"
    assert view.used.unreported_steps == 1
    assert view.projection is None


def test_a_step_that_asked_no_service_lacks_no_tokens() -> None:
    story = Story()
    story.add(proposed(1, Usage(), request_bytes=0))
    assert fold_all(story.records).used.unreported_steps == 0
    story.add(proposed(2, Usage(), request_bytes=900))
    assert fold_all(story.records).used.unreported_steps == 1


def _started(price: Price, *, resumed: bool = False) -> ev.SessionStarted:
    started = Story().started().event
    assert isinstance(started, ev.SessionStarted)
    return replace(started, price=price, resumed=resumed)
