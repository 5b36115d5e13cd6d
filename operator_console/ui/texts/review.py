"""Texts of the review: the side card, its editor, the safety dialog and the bar of the folded console."""

from __future__ import annotations

from operator_console.ui.texts.counting import counted

NEXT = "Next action"
APPROVE, APPROVE_EDITED = "Approve", "Approve edited"
EDIT, CANCEL_EDIT, EDITED = "Edit", "Cancel edit", "Edited"
SKIP, SKIP_WITH_NOTE, SKIP_WITHOUT_NOTE = "Skip", "Skip with note", "Skip without note"
CLASS_AGAIN = "Looked at again as edited."
CLOSE = "Close"

DENY, DENY_WITH_NOTE = "Deny", "Deny with note"
TARGET_CLOSED = (
    "The target was closed, so nothing more can be allowed. End the session; then you can choose another target."
)


def numbered(number: int, total: int) -> str:
    """Which call of a batch."""
    return f"{number} of {total}"


def next_of(number: int, total: int) -> str:
    """The heading over one call of a batch."""
    return f"{NEXT} · {numbered(number, total)}"


def approve_one(number: int, total: int) -> str:
    """The button for one call of a batch."""
    return f"{APPROVE} {numbered(number, total)}"


def hidden_character(code: str, times: int) -> str:
    """An invisible character and how often it occurs."""
    return code if times == 1 else f"{code} ({counted(times, '{} time', '{} times')})"


def opens_in(left_s: float) -> str:
    """How long Allow stays disabled."""
    return f"Allow opens in {left_s:.1f} s."
