"""Words for what a session used: tokens, money, and the attention of the person who was asked. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable

from operator_console.domain.prices import Money, money_text
from operator_console.domain.projection import ProjectedLimit, Projection
from operator_console.domain.proposals import Usage
from operator_console.domain.translations import _, ngettext
from operator_console.ui.view.session_view import SessionView, Used
from operator_console.ui.view.words import count_words, duration_words


def costs_words(costs: Iterable[Money]) -> str:
    """ "0.12 USD", "0.12 USD + 0.30 EUR"; "" for none."""
    return " + ".join(map(money_text, costs))


def usage_line(usage: Usage) -> str:
    """ "18.4 k tokens (17.0 k in: 9.2 k images, 8.0 k cached; 1.0 k out, 0.4 k thinking)", with what is reported."""
    # Translators: {kinds} is, as in: 17.0 k in: 9.2 k images; 1.4 k out, 0.4 k thinking.
    said = ngettext("{count} token ({kinds})", "{count} tokens ({kinds})", usage.total_tokens)
    return said.format(count=count_words(usage.total_tokens), kinds=usage_kinds(usage))


def usage_kinds(usage: Usage) -> str:
    """ "17.0 k in: 9.2 k images, 8.0 k cached; 1.0 k out, 0.4 k thinking", with what is reported."""
    # Translators: tokens of what is sent, as in: 17.0 k in: 9.2 k images, 8.0 k cached.
    kinds = ((_("{count} images"), usage.image_tokens), (_("{count} cached"), usage.cached_tokens))
    parts = [words.format(count=count_words(count)) for words, count in kinds if count]
    # Translators: tokens of what is sent to a model, as in: 18.4 k tokens (17.0 k in; 1.4 k out).
    taken = _("{count} in").format(count=count_words(usage.input_tokens or 0))
    taken += f": {', '.join(parts)}" if parts else ""
    # Translators: tokens of what a model answers, as in: 18.4 k tokens (17.0 k in; 1.4 k out).
    given = _("{count} out").format(count=count_words(usage.output_tokens or 0))
    if usage.thought_tokens:
        given += f", {_('{count} thinking').format(count=count_words(usage.thought_tokens))}"
    return f"{taken}; {given}"


def tokens_words(used: Used) -> str:
    """ "18.4 k", "not reported"; "" if there was no request."""
    if used.usage.reported:
        return count_words(used.usage.total_tokens)
    return _("not reported") if used.unreported_steps else ""


def used_details(view: SessionView) -> str:
    """All that is known of a run's tokens and cost, a line each; "" if there was no request."""
    used, started = view.used_in_run, view.started
    if not tokens_words(used):
        return ""
    lines = _by_kind(used.usage) if used.usage.reported else []
    lines.append(unreported_words(used.unreported_steps))
    cost = costs_words(used.costs)
    if cost:
        lines.append(_("Cost: {cost}, by the price given for the model").format(cost=cost))
    elif started is None or started.price is None:
        lines.append(_("Cost: not known without a price"))
    else:
        lines.append(_("Cost: not known without the tokens"))
    if started is not None and started.price is not None and started.max_cost is not None:
        limit = money_text(Money(amount=started.max_cost, currency=started.price.currency))
        lines.append(_("Cost limit: {limit} a run; then you are asked whether to go on").format(limit=limit))
    lines.append(projection_words(view.projection) if view.projection is not None else "")
    if before := tokens_words(view.used_before):
        lines.append(_("Before, in the same record: {tokens} tokens").format(tokens=before))
    return "\n".join(filter(None, lines))


def asked_words(questions: int, actions: int) -> str:
    """ "12 · 8 per 100 actions"; "" if there was no question."""
    if not questions:
        return ""
    rate = 100 * questions / max(actions, questions)
    # Translators: so many questions, and so many for 100 actions, as in: 12 · 8 per 100 actions.
    return _("{count} · {rate:.0f} per 100 actions").format(count=questions, rate=rate)


def asked_details(answer_s: float | None) -> str:
    """How long the person took for an answer; "" where nobody answered."""
    if answer_s is None:
        return ""
    return _("you took {time} for an answer (median)").format(time=duration_words(answer_s))


def _by_kind(usage: Usage) -> list[str]:
    written = usage.cache_write_tokens
    return [
        _("Input tokens: {count}").format(count=_count(usage.input_tokens)),
        _("– of these, images: {count}").format(count=_count(usage.image_tokens)),
        _("– of these, read from the service’s cache: {count}").format(count=_count(usage.cached_tokens)),
        _("– of these, written to the service’s cache: {count}").format(count=_count(written)) if written else "",
        _("Output tokens: {count}").format(count=_count(usage.output_tokens)),
        _("Thinking tokens: {count}").format(count=_count(usage.thought_tokens)),
    ]


def projection_words(projection: Projection) -> str:
    """ "Projection: about 1.2 M tokens, 4.10 USD at the limit of 100 steps"."""
    at_time, priced = projection.limit is ProjectedLimit.TIME, projection.cost is not None
    match at_time, priced:
        case False, False:
            said = ngettext(
                "Projection: about {tokens} tokens at the limit of {count} step",
                "Projection: about {tokens} tokens at the limit of {count} steps",
                projection.steps,
            )
        case False, True:
            said = ngettext(
                "Projection: about {tokens} tokens, {cost} at the limit of {count} step",
                "Projection: about {tokens} tokens, {cost} at the limit of {count} steps",
                projection.steps,
            )
        case True, False:
            said = ngettext(
                "Projection: about {tokens} tokens at the time limit, after {count} step",
                "Projection: about {tokens} tokens at the time limit, after {count} steps",
                projection.steps,
            )
        case _:
            said = ngettext(
                "Projection: about {tokens} tokens, {cost} at the time limit, after {count} step",
                "Projection: about {tokens} tokens, {cost} at the time limit, after {count} steps",
                projection.steps,
            )
    cost = money_text(projection.cost) if projection.cost is not None else ""
    return said.format(tokens=count_words(projection.tokens), cost=cost, count=projection.steps)


def unreported_words(steps: int) -> str:
    """That the tokens of so many steps are missing; "" for none."""
    if not steps:
        return ""
    return ngettext(
        "The service did not report the tokens of {count} step.",
        "The service did not report the tokens of {count} steps.",
        steps,
    ).format(count=steps)


def _count(number: int | None) -> str:
    return _("not reported") if number is None else f"{number:,}"
