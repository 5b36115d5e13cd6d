"""What the guard reports about stops, and the timing of the lease."""

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


# The lease: how long the session's event loop and the guard may be silent. Other limits are derived from these; the
# texts of README and design state the values.
LEASE_BEAT_S = 0.1
"""How often the guard asks the session's loop for a sign of life and writes its own to the ledger."""
LEASE_PAUSE_AFTER_S = 0.5
"""The session pauses when its loop has not answered for this long; it resumes by itself once it answers."""
LEASE_STOP_AFTER_S = 2.0
"""The session stops and latches when its loop has not answered for this long."""
INJECTOR_SILENCE_LIMIT_S = LEASE_PAUSE_AFTER_S + LEASE_BEAT_S
"""The injector halts by itself when the ledger shows no newer beat or lease for this long. One beat later than the
guard's pause, which should come first; independent of the guard, because the guard may hang."""
PROBE_EVERY_S = 5.0
"""How often the guard tests that it hears the stop chord, while a session can act."""
