"""Reading text off the screen, for Gemini: a function of ours, since the service has no such action.

What a picture shows the model can read itself; this is for texts that must be exact, or are longer than the screen.
Called by `gemini_actions` and `gemini_request`. Pure.
"""

from __future__ import annotations

from operator_console.domain.actions import QuoteText
from operator_console.providers.gemini_arguments import Arguments
from operator_console.providers.gemini_region import read_region, region_schema

READ_TEXT = "read_text"
DESCRIPTION = (
    "Read the text of a part of the screen, line by line; it comes back as this function's output. Use it where a text "
    "must be exact, or is longer than what can be seen: with scroll_to_end the part is scrolled down to its end, and "
    "back."
)


SCHEMA = region_schema(
    scroll_to_end={"type": "boolean", "description": "Read on below what can be seen. Default false."},
)


def read_reading(arguments: Arguments) -> QuoteText:
    """The reading that a call asks for. Raises ActionError."""
    scrolls = arguments.flag("scroll_to_end", default=False)
    return QuoteText(region=read_region(arguments), variable="text", auto_scroll=scrolls)
