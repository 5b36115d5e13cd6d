"""When a session pauses and goes on, or stops: the lease, the pause chord, a stop that would not be heard.

The lease is the proof that the loop that runs the session still turns. Each beat the guard asks with a fresh number;
only that number's complement renews the lease, once. Silence of LEASE_PAUSE_AFTER_S pauses, of LEASE_STOP_AFTER_S
stops; both stand in domain/stopping.py, because the injector's own limit is derived from them.

`Lease` is pure: times come in, verdicts go out. `PausePolicy` shuts the injector's gate and says why; only what shut it
opens it again.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Protocol

from operator_console.desktop.ledger import Gate
from operator_console.domain.events import PauseCause, StopCause
from operator_console.domain.stopping import (
    LEASE_BEAT_S,
    LEASE_PAUSE_AFTER_S,
    LEASE_STOP_AFTER_S,
    StopLiveness,
)

if TYPE_CHECKING:
    from operator_console.guard.server.session import ArmedSession


_MASK = (1 << 64) - 1
_OPEN_CHALLENGES = 32
_SAME_PRESS_S = 0.3
_TICK_S = LEASE_BEAT_S / 2
_STALLED_S = LEASE_PAUSE_AFTER_S - LEASE_BEAT_S
_SUSPENDED_S = 1.0


class Verdict(Enum):
    """What the lease says at a moment."""

    GOOD = auto()
    PAUSE = auto()
    STOP = auto()


def answer_to(challenge: int) -> int:
    """The answer that renews the lease."""
    return challenge ^ _MASK


@dataclass(slots=True)
class Lease:
    """All times are seconds of one monotonic clock.

    Attributes:
        renewed_s: when the newest answered question was asked.
        lapsed: whether the session is paused for it.
    """

    renewed_s: float
    lapsed: bool = False
    _asked: dict[int, float] = field(default_factory=dict)

    def ask(self, now_s: float) -> int:
        """A fresh challenge, to be answered by `answer_to`."""
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

    def verdict(self, now_s: float) -> Verdict:
        """Whether the silence so far is good, a pause or a stop."""
        silent_s = now_s - self.renewed_s
        if silent_s >= LEASE_STOP_AFTER_S:
            return Verdict.STOP
        return Verdict.PAUSE if silent_s >= LEASE_PAUSE_AFTER_S else Verdict.GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One turn of the guard's loop.

    Attributes:
        now_s: time.monotonic().
        stalled: the guard itself was kept from running before it.
        slept: the machine was suspended before it.
    """

    now_s: float
    stalled: bool
    slept: bool


async def ticks() -> AsyncIterator[Tick]:
    """For ever, about twenty a second."""
    last_s, last_apart_s = time.monotonic(), _suspended_s()
    while True:
        await asyncio.sleep(_TICK_S)
        now_s, apart_s = time.monotonic(), _suspended_s()
        stalled, slept = now_s - last_s > _STALLED_S, apart_s - last_apart_s > _SUSPENDED_S
        yield Tick(now_s=now_s, stalled=stalled, slept=slept)
        last_s, last_apart_s = now_s, apart_s


def _suspended_s() -> float:
    """Seconds this machine was suspended since its start; 0 where the system does not tell."""
    boot_clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if boot_clock is None else time.clock_gettime(boot_clock) - time.monotonic()


class PauseActions(Protocol):
    """What the policy needs of the guard."""

    armed: ArmedSession | None
    epoch: int

    def stop(self, cause: StopCause, detail: str = "") -> None: ...
    def move_on(self, armed: ArmedSession) -> None: ...
    def file_status(self) -> None: ...
    def tell(self, message: dict[str, Any], *, droppable: bool = False) -> None: ...
    def answer(self, message: dict[str, Any]) -> None: ...


class PausePolicy:
    """Does nothing while no session is armed."""

    def __init__(self, guard: PauseActions) -> None:
        self._guard = guard
        self._pressed_s = self._asked_s = 0.0

    def pause(self, cause: PauseCause, detail: str, gate: Gate) -> None:
        """Shut the gate for a reason of the guard's own."""
        armed = self._guard.armed
        if armed is None:
            return
        armed.shut(gate, cause)
        self._guard.move_on(armed)
        self._guard.tell({"t": "pause", "cause": cause.value, "detail": detail, "epoch": self._guard.epoch})
        self._guard.file_status()

    def chord(self, text: str) -> None:
        """The pause chord."""
        now = time.monotonic()
        if now - self._pressed_s > _SAME_PRESS_S:  # both listeners hear the same press
            self._pressed_s = now
            self.pause(PauseCause.HOTKEY, f"{text} was pressed.", Gate.HELD)

    def liveness(self, liveness: StopLiveness) -> None:
        """The stop is live or not: pause a session whose stop would not be heard."""
        armed = self._guard.armed
        if armed is None:
            return
        if liveness.live:
            armed.open(Gate.NOT_LIVE)  # a person resumes: HELD stays
        elif Gate.NOT_LIVE not in armed.gate:
            self.pause(PauseCause.STOP_NOT_LIVE, liveness.detail, Gate.HELD | Gate.NOT_LIVE)

    def tick(self, armed: ArmedSession, tick: Tick) -> None:
        """Ask the session's loop, and pause or stop where it has been silent for too long."""
        if tick.slept:
            self.pause(PauseCause.SUSPEND, "The machine was suspended.", Gate.HELD)
        if tick.now_s - self._asked_s >= LEASE_BEAT_S:
            self._asked_s = tick.now_s
            self._guard.tell({"t": "lease", "n": armed.lease.ask(tick.now_s)}, droppable=True)
        if tick.stalled and not tick.slept:
            # The guard itself did not run: the session is not to blame, but nobody watched meanwhile.
            armed.lease.renewed_s = max(armed.lease.renewed_s, tick.now_s - LEASE_BEAT_S)
        self._apply_lease(armed, tick.now_s)

    def _apply_lease(self, armed: ArmedSession, now_s: float) -> None:
        match armed.lease.verdict(now_s):
            case Verdict.STOP:
                self._guard.stop(StopCause.LAPSE, f"The console did not answer for {LEASE_STOP_AFTER_S:g} s.")
            case Verdict.PAUSE if not armed.lease.lapsed:
                armed.lease.lapsed = True
                self.pause(
                    PauseCause.LEASE, f"The console did not answer for {LEASE_PAUSE_AFTER_S * 1000:.0f} ms.", Gate.LEASE
                )
            case _:
                return

    def lease_answered(self, armed: ArmedSession, answer: int) -> None:
        """The session's loop answered; go on where only the lease had paused."""
        if not armed.lease.answered(answer):
            return
        armed.beat()
        if armed.lease.lapsed and armed.lease.verdict(time.monotonic()) is Verdict.GOOD:
            armed.lease.lapsed = False
            armed.open(Gate.LEASE)
            self._guard.move_on(armed)
            self._guard.tell({"t": "resume", "cause": PauseCause.LEASE.value, "epoch": self._guard.epoch})
            self._guard.file_status()

    async def set_gate(self, message: dict[str, Any], live: StopLiveness) -> None:
        """The console shuts or opens it; answered when nothing further is sent."""
        guard = self._guard
        armed = guard.armed
        if armed is not None:
            if not message["open"]:
                if Gate.HELD not in armed.gate:
                    armed.shut(Gate.HELD, PauseCause.HUMAN)
                    guard.move_on(armed)
                if not await armed.quiet() and guard.armed is armed:
                    guard.stop(StopCause.STOP_NOT_LIVE, "A press or motion under way did not end for 2 s.")
            elif Gate.NOT_LIVE in armed.gate:
                guard.tell({"t": "pause", "cause": PauseCause.STOP_NOT_LIVE.value, "detail": live.detail,
                            "epoch": guard.epoch})  # fmt: skip
            elif Gate.HELD in armed.gate:
                armed.open(Gate.HELD)
                guard.move_on(armed)
            guard.file_status()
        guard.answer(message)
