"""What the guard tells the others: how a stop went, and whether a stop would work now. Values only."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.events import StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """What the guard did: becomes the Stopped event."""

    reason: StopCause
    detail: str = ""
    latched: bool = True
    released_keys: int = 0
    released_buttons: int = 0
    press_to_last_event_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopLiveness:
    """Whether a press of the chord would stop now. `proven_s`: time.monotonic() of the last proof."""

    live: bool
    detail: str = ""
    proven_s: float | None = None
