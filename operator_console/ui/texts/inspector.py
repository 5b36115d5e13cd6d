"""The texts of the inspector of a step, and of the slider between the pictures before and after it."""

from __future__ import annotations

from operator_console.ui.texts.counting import counted
from operator_console.ui.texts.timeline import seconds

OVERVIEW, ARGUMENTS, ANSWER, TOLD = "Overview", "Arguments", "Answer", "Told"
PAGE_TIPS = {
    OVERVIEW: "What was done, who decided, and how long it took",
    ARGUMENTS: "The call exactly as the model wrote it",
    ANSWER: "The model’s answer exactly as it arrived",
    TOLD: "What the model was told beside the picture",
}


def call_tab(number: int, title: str) -> str:
    """The tab of one of several calls."""
    return f"{number} · {title}"


# names of facts


def risk(word: str, categories: str) -> str:
    """A risk class with the kinds of effect."""
    return f"{word} · {categories}" if categories else word


def request(size: str, latency_s: float) -> str:
    """The request's size and how long its answer took."""
    return " · ".join(part for part in (size, f"answered in {seconds(latency_s)}" if latency_s else "") if part)


def picture(width: int, height: int, size: str) -> str:
    """The picture that the model was shown."""
    return " · ".join(part for part in (f"{width} × {height}", size) if part)


# times


def part(name: str, value: float) -> str:
    """One part of a step's time."""
    return f"{name} {seconds(value)}"


# documents


def shortened(more: int) -> str:
    """Stands for the rest of a long text in a document."""
    return counted(more, "… {} more character", "… {} more characters")


# before and after
