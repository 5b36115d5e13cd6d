"""Words for the tokens and the money that a session used. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from operator_console.domain.prices import Money, money_text
from operator_console.domain.projection import ProjectedLimit, Projection
from operator_console.domain.proposals import Usage
from operator_console.ui.view.session_view import SessionView, Used
from operator_console.ui.view.words import count_words

NOT_REPORTED = "not reported"


def costs_words(costs: Iterable[Money]) -> str:
    """ "0.12 USD", "0.12 USD + 0.30 EUR"; "" for none."""
    return " + ".join(map(money_text, costs))


def usage_line(usage: Usage) -> str:
    """ "18.4 k tokens (17.0 k in: 9.2 k images, 8.0 k cached; 1.0 k out, 0.4 k thinking)", with what is reported."""
    parts = [
        f"{count_words(count)} {name}"
        for count, name in ((usage.image_tokens, "images"), (usage.cached_tokens, "cached"))
        if count
    ]
    taken = f"{count_words(usage.input_tokens or 0)} in{': ' if parts else ''}{', '.join(parts)}"
    thought = f", {count_words(usage.thought_tokens)} thinking" if usage.thought_tokens else ""
    given = f"{count_words(usage.output_tokens or 0)} out{thought}"
    return f"{count_words(usage.total_tokens)} tokens ({taken}; {given})"


def tokens_words(used: Used) -> str:
    """ "18.4 k", "not reported"; "" if there was no request."""
    if used.usage.reported:
        return count_words(used.usage.total_tokens)
    return NOT_REPORTED if used.unreported_steps else ""


def used_details(view: SessionView) -> str:
    """All that is known of tokens and cost, a line each; "" if there was no request."""
    used, started = view.used, view.started
    if not tokens_words(used):
        return ""
    lines = _by_kind(used.usage) if used.usage.reported else []
    lines.append(unreported_words(used.unreported_steps))
    cost = costs_words(used.costs)
    unpriced = started is None or started.price is None
    why = "without a price" if unpriced else "without the tokens"
    lines.append(f"Cost: {cost}, by the price given for the model" if cost else f"Cost: not known {why}")
    if started is not None and started.price is not None and started.max_cost is not None:
        limit = money_text(Money(amount=started.max_cost, currency=started.price.currency))
        lines.append(f"Cost limit: {limit} a run; then you are asked whether to go on")
    lines.append(projection_words(view.projection) if view.projection is not None else "")
    return "\n".join(filter(None, lines))


def _by_kind(usage: Usage) -> list[str]:
    written = usage.cache_write_tokens
    return [
        f"Input tokens: {_count(usage.input_tokens)}",
        f"– of these, images: {_count(usage.image_tokens)}",
        f"– of these, read from the service’s cache: {_count(usage.cached_tokens)}",
        f"– of these, written to the service’s cache: {_count(written)}" if written else "",
        f"Output tokens: {_count(usage.output_tokens)}",
        f"Thinking tokens: {_count(usage.thought_tokens)}",
    ]


def projection_words(projection: Projection) -> str:
    """ "Projection: about 1.2 M tokens, 4.10 USD at the limit of 100 steps"."""
    cost = f", {money_text(projection.cost)}" if projection.cost is not None else ""
    steps = f"{projection.steps} step{'' if projection.steps == 1 else 's'}"
    match projection.limit:
        case ProjectedLimit.STEPS:
            end = f"at the limit of {steps}"
        case ProjectedLimit.TIME:
            end = f"at the time limit, after {steps}"
        case _:
            assert_never(projection.limit)
    return f"Projection: about {count_words(projection.tokens)} tokens{cost} {end}"


def unreported_words(steps: int) -> str:
    """That the tokens of so many steps are missing; "" for none."""
    if not steps:
        return ""
    return f"The service did not report the tokens of {steps} step{'' if steps == 1 else 's'}."


def _count(number: int | None) -> str:
    return NOT_REPORTED if number is None else f"{number:,}"
