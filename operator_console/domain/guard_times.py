"""How long the session's event loop and the guard may be silent before input pauses or stops.

guard/server/lease.py applies the limits of the session, injector/input_sender.py that of the injector. Limits that
follow from others are derived from them there and here, so a change of one value moves them too.
resources/help/architecture.md states the limits after which a session pauses and stops.
"""

from __future__ import annotations

LEASE_BEAT_S = 0.1
"""How often the guard asks the session's loop for a sign of life and writes its own to the ledger. The guard checks
the lease twice as often, and the injector's limit is one beat longer than the guard's pause."""
LEASE_PAUSE_AFTER_S = 0.5
"""The session pauses when its loop has not answered for this long; it resumes by itself once it answers. The
injector's limit and the guard's test for a stalled loop of its own depend on it."""
LEASE_STOP_AFTER_S = 2.0
"""The session stops and latches when its loop has not answered for this long. Must exceed both limits of a pause."""
INJECTOR_SILENCE_LIMIT_S = LEASE_PAUSE_AFTER_S + LEASE_BEAT_S
"""The injector halts by itself when the ledger shows no newer beat or lease for this long. One beat later than the
guard's pause, which should come first; independent of the guard, because the guard may hang."""
PROBE_EVERY_S = 5.0
"""How often the guard tests that it hears the stop chord, while a session can act or the last test failed."""
