"""What is said about the check of a model: a heading for each outcome, and what to do."""

from __future__ import annotations

from operator_console.ui.profile_values import CheckOutcome, CheckReport

_HEADINGS: dict[CheckOutcome, str] = {
    CheckOutcome.WORKS: "It works",
    CheckOutcome.KEY_MISSING: "A key is missing",
    CheckOutcome.KEY_REFUSED: "The key was refused",
    CheckOutcome.MODEL_UNKNOWN: "The model is unknown",
    CheckOutcome.NO_ADDRESS: "The address is missing or wrong",
    CheckOutcome.UNREACHABLE: "The endpoint cannot be reached",
    CheckOutcome.OTHER_DIALECT: "The endpoint speaks another dialect",
    CheckOutcome.RATE_LIMITED: "Too many requests",
    CheckOutcome.UNAVAILABLE: "The service is not available now",
    CheckOutcome.REFUSED: "The request was refused",
    CheckOutcome.NOT_SENT: "Nothing was sent",
}

_ADVICE: dict[CheckOutcome, str] = {
    CheckOutcome.KEY_MISSING: "Enter a key above.",
    CheckOutcome.KEY_REFUSED: "Enter another key above, or ask whoever runs the service whether it may use this model.",
    CheckOutcome.MODEL_UNKNOWN: (
        "Choose a listed model, or write the name under which the endpoint serves it. "
        "The address of most endpoints ends in /v1."
    ),
    CheckOutcome.NO_ADDRESS: "Enter the address of the endpoint above. Most end in /v1.",
}


def check_heading(report: CheckReport) -> str:
    """The outcome in a few words, with the time that an answer took."""
    heading = _HEADINGS[report.outcome]
    return f"{heading} · answered in {report.seconds:.1f} s" if report.seconds else heading


def check_advice(report: CheckReport) -> str:
    """What to do; "" where nothing is to be done."""
    if report.outcome is CheckOutcome.WORKS:
        return ""
    return _ADVICE.get(report.outcome, report.remedy)
