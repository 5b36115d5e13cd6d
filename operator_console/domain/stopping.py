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


# The lease: how long the session's loop, and the guard, may be silent. Everything that depends on one of these is
# derived from it; README and design name the values in words.
LEASE_BEAT_S = 0.1
"""The guard asks the session's loop this often, and notes in the ledger that it still runs itself."""
LEASE_PAUSE_AFTER_S = 0.5
"""The session pauses when its loop has not answered for so long; it goes on by itself once it answers."""
LEASE_STOP_AFTER_S = 2.0
"""It stops, and latches, when its loop has not answered for so long."""
INJECTOR_SILENCE_LIMIT_S = LEASE_PAUSE_AFTER_S + LEASE_BEAT_S
"""The injector halts by itself when the ledger shows no newer beat or lease: one beat after the guard would have paused
it, because it must not be the first to do so, and must not depend on a guard that hangs."""
PROBE_EVERY_S = 5.0
"""The guard proves this often that it hears the stop, while a session can act."""
