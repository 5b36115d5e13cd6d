"""What is said about the check of a model: a heading for each outcome, what came back, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.actions import AskOperator, Finish
from operator_console.domain.geometry import Size
from operator_console.domain.prices import Money, money_text
from operator_console.domain.proposals import Proposal, Usage
from operator_console.engine.action_wording import action_words, quoted
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from operator_console.ui.view.usage_words import usage_line

_HEADINGS: dict[CheckOutcome, str] = {
    CheckOutcome.WORKS: "It works",
    CheckOutcome.DOUBTFUL: "It answers, but not as asked",
    CheckOutcome.KEY_MISSING: "A key is missing",
    CheckOutcome.KEY_REFUSED: "The key was refused",
    CheckOutcome.MODEL_UNKNOWN: "The model is unknown",
    CheckOutcome.NO_ADDRESS: "The address is missing or wrong",
    CheckOutcome.UNREACHABLE: "The endpoint cannot be reached",
    CheckOutcome.OTHER_DIALECT: "The endpoint speaks another dialect",
    CheckOutcome.UNUSABLE: "The answer cannot be used",
    CheckOutcome.RATE_LIMITED: "Too many requests",
    CheckOutcome.UNAVAILABLE: "The service is not available now",
    CheckOutcome.REFUSED: "The request was refused",
    CheckOutcome.NOT_SENT: "Nothing was sent",
}

_ADVICE: dict[CheckOutcome, str] = {
    CheckOutcome.DOUBTFUL: (
        "Check again. If it stays so, choose the provider and the options that the model was trained for, or another "
        "model."
    ),
    CheckOutcome.KEY_MISSING: "Enter a key above.",
    CheckOutcome.KEY_REFUSED: "Enter another key above, or ask whoever runs the service whether it may use this model.",
    CheckOutcome.MODEL_UNKNOWN: (
        "Choose a listed model, or write the name under which the endpoint serves it. "
        "The address of most endpoints ends in /v1."
    ),
    CheckOutcome.NO_ADDRESS: "Enter the address of the endpoint above. Most end in /v1.",
}

_NOT_TRIED = "Not tried: pictures as large as your screen, long sessions, and tools of your own."


def check_heading(report: CheckReport) -> str:
    """The outcome in a few words, with the time that the answers took."""
    heading = _HEADINGS[report.outcome]
    return f"{heading} · answered in {report.seconds:.1f} s" if report.seconds else heading


def check_advice(report: CheckReport) -> str:
    """What to do; "" where nothing is to be done."""
    if report.outcome is CheckOutcome.WORKS:
        return ""
    return _ADVICE.get(report.outcome, report.remedy)


def nothing_to_check(title: str) -> str:
    """Of a provider that sends nothing."""
    return f"{title}: needs no key; there is nothing to check."


def two_turns(model: str, turns: Sequence[Proposal], picture: Size, usage: Usage, cost: Money | None) -> str:
    """What a model answered to the first requests of a session, what that took, and what remains unknown."""
    answers = ", then ".join(map(_answer, turns))
    spent = f" {usage_line(usage)}{f', {money_text(cost)}' if cost is not None else ''}." if usage.reported else ""
    return (
        f"{model} answered the first two requests of a session, each with a drawn picture of {picture.width} × "
        f"{picture.height}, with {answers}.{spent} Nothing was carried out. {_NOT_TRIED}"
    )


def doubt(first: Proposal, beside_px: int) -> str:
    """Why the first step of a session would not get far although its request was answered; "" where it would.

    Args:
        first: The answer to the request to click a button.
        beside_px: How far from the button it pointed, in pixels; 0: it did not point elsewhere.
    """
    if not first.calls:
        then = "end" if first.finished else "ask you"
        return f"It answered in words, without a call: {quoted(first.narration)}. A session would {then} here."
    if unread := next((call for call in first.calls if call.action is None), None):
        return f"Its call {quoted(unread.name)} was not understood: {unread.error}"
    if any(call.safety is not None for call in first.calls):
        return "The service wants your consent to a click on a drawn button. A session would ask you here."
    match first.calls[0].action:
        case AskOperator(question=question):
            return f"It asked a question: {quoted(question)}. A session would ask you here."
        case Finish():
            return "It ended the task instead of clicking the button."
        case _ if beside_px:
            return f"It pointed {beside_px} pixels beside the button that it was asked to click."
        case _:
            return ""


def _answer(turn: Proposal) -> str:
    if not turn.calls:
        return "words"
    first, *more = turn.calls
    words = "the end of the task" if isinstance(first.action, Finish) else f"“{action_words(first.action).sentence}”"
    return f"{words} and {len(more)} more" if more else words
