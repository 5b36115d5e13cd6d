"""What is said about the check of a model: a heading for each outcome, what came back, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.actions import AskOperator, Finish
from operator_console.domain.geometry import Size
from operator_console.domain.prices import Money, money_text
from operator_console.domain.proposals import Proposal, Usage
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import action_words, quoted
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from operator_console.ui.view.state_words import for_the_window
from operator_console.ui.view.usage_words import usage_line


def check_heading(report: CheckReport) -> str:
    """The outcome in a few words, with the time that the answers took."""
    heading = _heading(report.outcome)
    if not report.seconds:
        return heading
    return _("{heading} · answered in {seconds:.1f} s").format(heading=heading, seconds=report.seconds)


def _heading(outcome: CheckOutcome) -> str:  # noqa: C901, PLR0911 - one arm an outcome
    """The outcome in a few words."""
    match outcome:
        case CheckOutcome.WORKS:
            return _("It works")
        case CheckOutcome.DOUBTFUL:
            return _("It answers, but not as asked")
        case CheckOutcome.KEY_MISSING:
            return _("A key is missing")
        case CheckOutcome.KEY_REFUSED:
            return _("The key was refused")
        case CheckOutcome.MODEL_UNKNOWN:
            return _("The model is unknown")
        case CheckOutcome.NO_ADDRESS:
            return _("The address is missing or wrong")
        case CheckOutcome.UNREACHABLE:
            return _("The endpoint cannot be reached")
        case CheckOutcome.OTHER_DIALECT:
            return _("The endpoint speaks another dialect")
        case CheckOutcome.UNUSABLE:
            return _("The answer cannot be used")
        case CheckOutcome.RATE_LIMITED:
            return _("Too many requests")
        case CheckOutcome.UNAVAILABLE:
            return _("The service is not available now")
        case CheckOutcome.REFUSED:
            return _("The request was refused")
        case CheckOutcome.NOT_SENT:
            return _("Nothing was sent")


def check_advice(report: CheckReport) -> str:
    """What to do; "" where nothing is to be done."""
    match report.outcome:
        case CheckOutcome.WORKS:
            return ""
        case CheckOutcome.DOUBTFUL:
            return _(
                "Check again. If it stays so, choose the provider and the options that the model was trained for, or "
                "another model."
            )
        case CheckOutcome.KEY_MISSING:
            return _("Enter a key above.")
        case CheckOutcome.KEY_REFUSED:
            return " ".join(filter(None, (for_the_window(report.remedy), _("Enter another key above."))))
        case CheckOutcome.MODEL_UNKNOWN:
            return _(
                "Choose a listed model, or write the name under which the endpoint serves it. The address of most "
                "endpoints ends in /v1."
            )
        case CheckOutcome.NO_ADDRESS:
            return _("Enter the address of the endpoint above. Most end in /v1.")
        case _:
            return report.remedy


def nothing_to_check(title: str) -> str:
    """Of a provider that sends nothing."""
    return _("{title}: needs no key; there is nothing to check.").format(title=title)


def two_turns(model: str, turns: Sequence[Proposal], picture: Size, usage: Usage, cost: Money | None) -> str:
    """What a model answered to the first requests of a session, what that took, and what remains unknown."""
    # Translators: between two answers of a model. The spaces stay.
    answers = _(", then ").join(map(_answer, turns))
    spent = f" {usage_line(usage)}{f', {money_text(cost)}' if cost is not None else ''}." if usage.reported else ""
    said = _(
        "{model} answered the first two requests of a session, each with a drawn picture of {width} × {height}, with "
        "{answers}.{spent} Nothing was carried out. Not tried: pictures as large as your screen, long sessions, and "
        "tools of your own."
    )
    return said.format(model=model, width=picture.width, height=picture.height, answers=answers, spent=spent)


def doubt(first: Proposal, beside_px: int) -> str:
    """Why the first step of a session would not get far although its request was answered; "" where it would.

    Args:
        first: The answer to the request to click a button.
        beside_px: How far from the button it pointed, in pixels; 0: it did not point elsewhere.
    """
    if not first.calls:
        said = (
            _("It answered in words, without a call: {words}. A session would end here.")
            if first.finished
            else _("It answered in words, without a call: {words}. A session would ask you here.")
        )
        return said.format(words=quoted(first.narration))
    if unread := next((call for call in first.calls if call.action is None), None):
        return _("Its call {name} was not understood: {error}").format(name=quoted(unread.name), error=unread.error)
    if any(call.safety is not None for call in first.calls):
        return _("The service wants your consent to a click on a drawn button. A session would ask you here.")
    match first.calls[0].action:
        case AskOperator(question=question):
            return _("It asked a question: {question}. A session would ask you here.").format(question=quoted(question))
        case Finish():
            return _("It ended the task instead of clicking the button.")
        case _ if beside_px:
            return ngettext(
                "It pointed {count} pixel beside the button that it was asked to click.",
                "It pointed {count} pixels beside the button that it was asked to click.",
                beside_px,
            ).format(count=beside_px)
        case _:
            return ""


def _answer(turn: Proposal) -> str:
    if not turn.calls:
        return _("words")
    first, *more = turn.calls
    words = _("the end of the task") if isinstance(first.action, Finish) else f"“{action_words(first.action).sentence}”"
    # Translators: {words} is the first of several actions, in quotes.
    return _("{words} and {count} more").format(words=words, count=len(more)) if more else words
