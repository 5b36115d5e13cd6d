"""Who receives the messages of the guard."""

from __future__ import annotations

from typing import Protocol

from operator_console.domain.stopping import PauseCause, StopReport


class GuardListener(Protocol):
    """Receives the guard's messages, on the session's event loop."""

    def on_stop(self, report: StopReport) -> None:
        """The injector is dead, everything is released, the display is latched."""
        ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The gate is shut: the pause chord, a silent lease, no live stop."""
        ...

    def on_resume(self, cause: PauseCause) -> None:
        """The guard ends its own pause (the lease was answered again before it lapsed)."""
        ...

    def on_approve(self) -> None:
        """The approve chord was pressed while a card review was open."""
        ...
