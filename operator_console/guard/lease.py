"""The lease: the proof that the loop that runs the session still turns. Pure: times come in, verdicts go out.

Every beat the guard asks with a fresh number; only its one's complement renews the lease, once. Silence of 500 ms
pauses, of 2 s stops. Called by the guard's process.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import Enum, auto

BEAT_S = 0.1
PAUSE_AFTER_S = 0.5
STOP_AFTER_S = 2.0
_MASK = (1 << 64) - 1
_OPEN_CHALLENGES = 32


class Verdict(Enum):
    """What a look at the clock found; each change is told once."""

    GOOD = auto()
    PAUSE = auto()
    STOP = auto()


def answer_to(challenge: int) -> int:
    """The one right answer."""
    return challenge ^ _MASK


@dataclass(slots=True)
class Lease:
    """Times are seconds of one monotonic clock."""

    renewed_s: float
    lapsed: bool = False
    _asked: dict[int, float] = field(default_factory=dict)

    def ask(self, now_s: float) -> int:
        """A fresh challenge."""
        challenge = secrets.randbits(64)
        self._asked[challenge] = now_s
        while len(self._asked) > _OPEN_CHALLENGES:
            del self._asked[next(iter(self._asked))]
        return challenge

    def answered(self, answer: int) -> bool:
        """Renew by a right answer: to the time of its question, never later. A wrong or used one changes nothing."""
        asked_s = self._asked.pop(answer ^ _MASK, None)
        if asked_s is None:
            return False
        self.renewed_s = max(self.renewed_s, asked_s)
        return True

    def look(self, now_s: float) -> Verdict:
        """How it stands now."""
        silent_s = now_s - self.renewed_s
        if silent_s >= STOP_AFTER_S:
            return Verdict.STOP
        return Verdict.PAUSE if silent_s >= PAUSE_AFTER_S else Verdict.GOOD
