"""The guard's turns: a steady beat that notices when it, or the whole machine, stood still meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from operator_console.guard.lease import BEAT_S

_TURN_S = BEAT_S / 2
_STALLED_S = 0.4
_SUSPENDED_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: when, whether the guard itself was kept from turning before it, whether the machine was suspended."""

    now_s: float
    stalled: bool
    slept: bool


async def turns() -> AsyncIterator[Turn]:
    """For ever, some twenty a second."""
    last_s, apart_s = time.monotonic(), _suspended_s()
    while True:
        await asyncio.sleep(_TURN_S)
        now_s, now_apart_s = time.monotonic(), _suspended_s()
        yield Turn(now_s=now_s, stalled=now_s - last_s > _STALLED_S, slept=now_apart_s - apart_s > _SUSPENDED_S)
        last_s, apart_s = now_s, now_apart_s


def _suspended_s() -> float:
    """Seconds this machine was suspended since its start."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
