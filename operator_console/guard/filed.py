"""The latch file as others write it: another console's stop or death latches this display for us too.

Only a look: a file that is gone resets nothing (a reset is said to every guard, latch.py). Part of the guard's process.
"""

from __future__ import annotations

from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus

_LOOK_S = 0.25


class Filed:
    """The file of one display."""

    def __init__(self, display: str) -> None:
        self._display = display
        self._looked_s = 0.0

    def stopped(self) -> LatchStatus | None:
        """What it says now, where that is a stop."""
        status = latch.read_file(self._display)
        return status if status.state is LatchState.STOPPED else None

    def looked(self, now_s: float) -> LatchStatus | None:
        """The same, not oftener than it is worth; None in between."""
        if now_s - self._looked_s < _LOOK_S:
            return None
        self._looked_s = now_s
        return self.stopped()
