"""What the guard reports about stops."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.events import StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """How the guard stopped the session; the engine makes the Stopped event of it."""

    reason: StopCause
    detail: str = ""
    latched: bool = True
    released_keys: int = 0
    released_buttons: int = 0
    press_to_last_event_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopLiveness:
    """Whether pressing the stop chord would stop now. `proven_s`: time.monotonic() of the last successful test."""

    live: bool
    detail: str = ""
    proven_s: float | None = None
