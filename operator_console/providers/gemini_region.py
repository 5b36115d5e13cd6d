"""A part of the screen as an argument of our own functions for Gemini: its four edges on the grid. Pure.

Called by `gemini_reading` and `gemini_zoom`.
"""

from __future__ import annotations

from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import Rect
from operator_console.providers.gemini_arguments import Arguments

_EDGES = ("left", "top", "right", "bottom")


def region_schema(**others: dict[str, str]) -> dict[str, object]:
    """The JSON schema of a function that takes a part of the screen, and the arguments that may come with it."""
    edges = {
        edge: {"type": "number", "description": f"{edge.capitalize()} edge of the part, 0-999 of the whole screen."}
        for edge in _EDGES
    }
    return {"type": "object", "properties": {**edges, **others}, "required": list(_EDGES)}


def read_region(arguments: Arguments) -> Rect:
    """The region between two grid points, both pixels included. Raises ActionError."""
    start, end = arguments.point("left", "top"), arguments.point("right", "bottom")
    if end.x < start.x or end.y < start.y:
        raise ActionError("'right' and 'bottom' must not be smaller than 'left' and 'top'.")
    return Rect(start.x, start.y, end.x - start.x + 1, end.y - start.y + 1)
