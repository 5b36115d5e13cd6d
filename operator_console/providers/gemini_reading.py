"""Reading text off the screen, for Gemini: a function of ours, since the service has no such action.

What a picture shows the model can read itself; this is for texts that must be exact, or are longer than the screen.
Called by `gemini_actions` and `gemini_request`. Pure.
"""

from __future__ import annotations

from operator_console.domain.actions import QuoteText
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import Rect
from operator_console.providers.gemini_arguments import Arguments

READ_TEXT = "read_text"
DESCRIPTION = (
    "Read the text of a part of the screen, line by line; it comes back as this function's output. Use it where a text "
    "must be exact, or is longer than what can be seen: with scroll_to_end the part is scrolled down to its end, and "
    "back."
)


def _edge(words: str) -> dict[str, str]:
    return {"type": "number", "description": f"{words} edge of the part, 0-999 of the whole screen."}


SCHEMA = {
    "type": "object",
    "properties": {
        "left": _edge("Left"),
        "top": _edge("Top"),
        "right": _edge("Right"),
        "bottom": _edge("Bottom"),
        "scroll_to_end": {"type": "boolean", "description": "Read on below what can be seen. Default false."},
    },
    "required": ["left", "top", "right", "bottom"],
}


def read_region(arguments: Arguments) -> Rect:
    """The region between two grid points, both pixels included. Raises ActionError."""
    start, end = arguments.point("left", "top"), arguments.point("right", "bottom")
    if end.x < start.x or end.y < start.y:
        raise ActionError("'right' and 'bottom' must not be smaller than 'left' and 'top'.")
    return Rect(start.x, start.y, end.x - start.x + 1, end.y - start.y + 1)


def read_reading(arguments: Arguments) -> QuoteText:
    """The reading that a call asks for. Raises ActionError."""
    scrolls = arguments.flag("scroll_to_end", default=False)
    return QuoteText(region=read_region(arguments), variable="text", auto_scroll=scrolls)
