"""Whether a person's hand is on keyboard or pointer: told to the console turn by turn. Part of the guard's process.

Only that a real device was used, and when; never which key, never where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Hand:
    """What was told of it."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._told_s = 0.0

    def look(self, heard_s: float) -> None:
        """`heard_s`: when a real device was last used, monotonic; 0: never."""
        if heard_s > self._told_s:
            self._told_s = heard_s
            self._tell({"t": "hand", "heard_s": heard_s})
