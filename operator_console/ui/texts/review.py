"""Texts of the review: the side card, its editor, the safety dialog and the bar of the folded console."""

from __future__ import annotations

from operator_console.ui.texts.counting import counted

NEXT = "Next action"
APPROVE, APPROVE_EDITED = "Approve", "Approve edited"
EDIT, CANCEL_EDIT, EDITED = "Edit", "Cancel edit", "Edited"
EDIT_HEADING = "Change the action"
SKIP, SKIP_WITH_NOTE, SKIP_WITHOUT_NOTE = "Skip", "Skip with note", "Skip without note"
NOTE_PLACEHOLDER = "Reason for the model (optional)"
NO_LIMIT = "No time limit. Approve: Ctrl+Enter"
ASKED_IN_DIALOG = "This is asked in the dialog."
NOT_ASKED = "This action waits for no answer now."
PERFORMED_NOW = "This action is being performed."
RESUME_FIRST = "The session is paused. Resume it first."
BEING_EDITED = "The action is being edited. Cancel edit discards the changes."
NOTHING_TO_EDIT = "This action has no text and no place to change."
EDIT_INVALID = "The change is not valid yet; the editor says why."
APPROVE_SOON = "Approve opens after a second on the screen."
CLASS_LATER = "The risk is looked at again when you approve."
CLASS_AGAIN = "Looked at again as edited."
TARGET_PICTURE = "Picture of the target"
ENLARGE = "Enlarge"
ENLARGED = "Enlarged picture of the target"
CLOSE = "Close"
NO_TEXT = "This action has no text."
MOVE_BAR = "Drag to move"
LOADING = "The text is being loaded."

DENY, DENY_WITH_NOTE = "Deny", "Deny with note"
DENY_NOTE = "Note for the model"
FULL_TEXT, SCROLL_FULL_TEXT = "Full text", "Scroll the full text"
FULL_TEXT_TO_THE_END = "Full text, read to the end"
READ_FIRST = "Allow opens when you have read to the end of the text."
IN_FRONT_FIRST = "Allow opens when this window is in front."
SEEN_FIRST = "Allow opens when the target can be seen."
TARGET_CLOSED = (
    "The target was closed, so nothing more can be allowed. End the session; then you can choose another target."
)
NOT_COVERED_FIRST = "Allow opens when no other window covers the target."
SMALLER_FIRST = "Allow opens when the enlarged picture is closed."
ALLOW_SOON = "Allow opens when this has been shown undisturbed for a second."
TOO_LATE = "Not answered in time: denied."


def numbered(number: int, total: int) -> str:
    """Which call of a batch."""
    return f"{number} of {total}"


def next_of(number: int, total: int) -> str:
    """The heading over one call of a batch."""
    return f"{NEXT} · {numbered(number, total)}"


def approve_one(number: int, total: int) -> str:
    """The button for one call of a batch."""
    return f"{APPROVE} {numbered(number, total)}"


def runs_by_itself(lead_s: float) -> str:
    """A call whose lead time is running."""
    return f"Runs automatically after {lead_s:g} s. You can still pause, skip or edit it."


def enlarged(x: int, y: int, times: int) -> str:
    """The heading over the enlarged picture."""
    return f"Around {x}, {y} · {times} times"


def why(reasons: str) -> str:
    """The reasons for the risk."""
    return f"Why: {reasons}"


def window(title: str) -> str:
    """The window that is hit."""
    return f"Window: {title}"


def not_focused(title: str, focused: str) -> str:
    """The window that is hit, where another one has the focus."""
    return f"Window: {title}. Another window has the focus: {focused}."


def more_calls(count: int) -> str:
    """Calls that are not listed."""
    return counted(count, "and {} more action", "and {} more actions")


def hidden_character(code: str, times: int) -> str:
    """An invisible character and how often it occurs."""
    return code if times == 1 else f"{code} ({counted(times, '{} time', '{} times')})"


def hidden_characters(names: str) -> str:
    """The invisible characters in a text."""
    return f"Invisible characters: {names}"


def counts_as_deny(left_s: int | None) -> str:
    """What happens without an answer; None: it never lapses."""
    return "Counts as Deny when closed." if left_s is None else f"Counts as Deny in {left_s} s, or when closed."


def opens_in(left_s: float) -> str:
    """How long Allow stays disabled."""
    return f"Allow opens in {left_s:.1f} s."


def by_keyboard(word: str) -> str:
    """How to allow without a pointer."""
    return f"By keyboard: type “{word}” to allow"
