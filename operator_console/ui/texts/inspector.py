"""The texts of the inspector of a step, and of the slider between the pictures before and after it."""

from __future__ import annotations

from operator_console.domain.frames import SettleReason
from operator_console.ui.texts.counting import counted
from operator_console.ui.texts.timeline import seconds

NAME = "Inspector"
CLOSE = "Close inspector"
CLOSE_TIP = "Close the inspector (Esc)"
CALLS = "Calls of this step"
PAGES = "Pages of the inspector"
OVERVIEW, ARGUMENTS, ANSWER, TOLD = "Overview", "Arguments", "Answer", "Told"
PAGE_TIPS = {
    OVERVIEW: "What was done, who decided, and how long it took",
    ARGUMENTS: "The call exactly as the model wrote it",
    ANSWER: "The model’s answer exactly as it arrived",
    TOLD: "What the model was told beside the picture",
}
DETAILS = "Details of the step"


def step_title(number: int) -> str:
    """The heading for a step."""
    return f"Step {number}"


def call_tab(number: int, title: str) -> str:
    """The tab of one of several calls."""
    return f"{number} · {title}"


# names of facts

ACTION, WHERE, CONTROL, WINDOW = "Action", "Where", "On", "Window"
PROPOSED = "Proposed by the model"
RISK, RULE, WHY = "Risk", "Rule", "Why"
DECISION, NOTE, SERVICE = "Decision", "Your note", "Service’s check"
RESULT, METHOD, SENT, SCREEN = "Result", "Typed or used by", "Sent", "Screen"
SAYS, THINKS, LINE = "The model says (not verified)", "The model thinks (not verified)", "Runbook line"
REMARK, PROBLEM = "Remark", "Problem"
PICTURE, PAGE, FOCUS = "Picture", "Page", "Focus"
REQUEST, TOKENS, COST, WHEN = "Request", "Tokens", "Cost", "When"
DETAIL = "Details"


def risk(word: str, categories: str) -> str:
    """A risk class with the kinds of effect."""
    return f"{word} · {categories}" if categories else word


def request(size: str, latency_s: float) -> str:
    """The request's size and how long its answer took."""
    return " · ".join(part for part in (size, f"answered in {seconds(latency_s)}" if latency_s else "") if part)


def picture(width: int, height: int, size: str) -> str:
    """The picture that the model was shown."""
    return " · ".join(part for part in (f"{width} × {height}", size) if part)


def sent(delivered: int, total: int) -> str:
    """How much of an action was sent."""
    return f"{delivered} of {total} characters or events"


def changed(value: bool) -> str:
    """Whether the screen changed."""
    return "changed" if value else "unchanged"


SETTLED = {reason: reason.value.replace("_", " ") for reason in SettleReason}


# times

TIMES = "Times"
THINK, DECIDE, YOU, PAUSED, ACT, SETTLE = "Thinking", "Checks", "You", "Paused", "Acting", "Settling"


def part(name: str, value: float) -> str:
    """One part of a step's time."""
    return f"{name} {seconds(value)}"


# documents

LOADING = "Loading…"
NOTHING = "The record has none."
NOT_READABLE = "The record could not be read."
SEARCH, FIND_NEXT, COPY = "Search", "Find next", "Copy all"
COPIED = "Copied"
NOT_FOUND = "Not found"


def shortened(more: int) -> str:
    """Stands for the rest of a long text in a document."""
    return counted(more, "… {} more character", "… {} more characters")


def matches(count: int) -> str:
    """How often a searched text occurs."""
    return counted(count, "{} match", "{} matches") if count else NOT_FOUND


# before and after

WIPE = "Before and after"
WIPE_TIP = "Drag to compare the screen before and after this step"
BEFORE, AFTER = "Before", "After"
