"""Decides when a session pauses, resumes or stops: the lease, the pause chord, a stop that no longer works.

The lease shows that the event loop that runs the session is alive. At each beat the guard sends a new random number;
only the complement of that number renews the lease, and only once. After LEASE_PAUSE_AFTER_S without an answer the
session pauses, after LEASE_STOP_AFTER_S it stops. Both limits are in domain/guard_times.py, because the injector's own
limit is derived from them.

`Lease` does no input or output and reads no clock. `PausePolicy` shuts the injector's gate with a reason; the gate
opens again when every reason is gone.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol

from operator_console.desktop.ledger import Gate
from operator_console.domain.guard_times import LEASE_BEAT_S, LEASE_PAUSE_AFTER_S, LEASE_STOP_AFTER_S
from operator_console.domain.message_texts import notice, to_wire
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, WaitsFor

_MASK = (1 << 64) - 1
_OPEN_CHALLENGES = 32
_SAME_PRESS_S = 0.3
_TICK_S = LEASE_BEAT_S / 2
_STALLED_S = LEASE_PAUSE_AFTER_S - LEASE_BEAT_S
_SUSPENDED_S = 1.0
HAND_QUIET_S = 1.0
"""Seconds without input of a person after which the hand counts as gone."""
HAND_WAITS_S = 20.0
"""Longest wait for that, once the operator said to go on."""


class Verdict(Enum):
    """Result of checking the lease at one time."""

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
        renewed_s: time of the newest challenge that was answered.
        lapsed: whether the session is paused because of the lease.
    """

    renewed_s: float
    lapsed: bool = False
    _asked: dict[int, float] = field(default_factory=dict)

    def ask(self, now_s: float) -> int:
        """A new challenge, to be answered with `answer_to`."""
        challenge = secrets.randbits(64)
        self._asked[challenge] = now_s
        while len(self._asked) > _OPEN_CHALLENGES:
            del self._asked[next(iter(self._asked))]
        return challenge

    def answered(self, answer: int) -> bool:
        """Renew up to the time of the challenge, if the answer is right and new. Returns whether it was."""
        asked_s = self._asked.pop(answer ^ _MASK, None)
        if asked_s is None:
            return False
        self.renewed_s = max(self.renewed_s, asked_s)
        return True

    def verdict(self, now_s: float) -> Verdict:
        """Whether the time since the last renewal calls for a pause or a stop."""
        silent_s = now_s - self.renewed_s
        if silent_s >= LEASE_STOP_AFTER_S:
            return Verdict.STOP
        return Verdict.PAUSE if silent_s >= LEASE_PAUSE_AFTER_S else Verdict.GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One periodic wake-up of the guard's loop.

    Attributes:
        now_s: time.monotonic().
        stalled: the guard itself did not run for some time before it.
        slept: the machine was suspended before it.
    """

    now_s: float
    stalled: bool
    slept: bool


async def ticks() -> AsyncIterator[Tick]:
    """Endless; about twenty a second."""
    last_s, last_apart_s = time.monotonic(), _suspended_s()
    while True:
        await asyncio.sleep(_TICK_S)
        now_s, apart_s = time.monotonic(), _suspended_s()
        stalled, slept = now_s - last_s > _STALLED_S, apart_s - last_apart_s > _SUSPENDED_S
        yield Tick(now_s=now_s, stalled=stalled, slept=slept)
        last_s, last_apart_s = now_s, apart_s


def _suspended_s() -> float:
    """Seconds this machine was suspended since its start; 0 if the system does not provide it."""
    boot_clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if boot_clock is None else time.clock_gettime(boot_clock) - time.monotonic()


class PausableSession(Protocol):
    """The part of an armed session that the policy uses."""

    by_hand: bool
    resuming: bool

    @property
    def lease(self) -> Lease: ...
    @property
    def gate(self) -> Gate: ...
    def shut(self, why: Gate, cause: PauseCause | None = None) -> None: ...
    def shut_for(self, cause: PauseCause | WaitsFor) -> None: ...
    def open(self, why: Gate) -> None: ...
    def set_epoch(self, epoch: int) -> None: ...
    def beat(self) -> None: ...
    async def quiet(self) -> bool: ...
    async def reach(self) -> str: ...
    @property
    def paused_for(self) -> PauseCause | WaitsFor | None: ...
    @property
    def resumes_after_hand(self) -> bool: ...


class PauseActions(Protocol):
    """The part of the guard that the policy uses."""

    @property
    def armed(self) -> PausableSession | None: ...
    @property
    def epoch(self) -> int: ...
    def stop(self, cause: StopCause, detail: str = "") -> None: ...
    def begin_epoch(self, armed: PausableSession) -> None: ...
    def publish_status(self) -> None: ...
    def tell(self, message: dict[str, Any], *, droppable: bool = False) -> None: ...
    def answer(self, message: dict[str, Any]) -> None: ...


class PausePolicy:
    """Pauses, resumes and stops the armed session; does nothing while there is none."""

    def __init__(self, guard: PauseActions) -> None:
        self._guard = guard
        self._pressed_s = self._asked_s = 0.0
        self._shut = 0  # how often the gate was shut: one that is being opened then stays shut

    def pause(self, cause: PauseCause, detail: str, gate: Gate) -> None:
        """Shut the gate and report the cause."""
        armed = self._guard.armed
        if armed is None:
            return
        if Gate.HELD in gate:  # what ends by itself changes nothing about what a person has to end
            self._shut += 1
            armed.by_hand, armed.resuming = cause is PauseCause.HAND, False
        armed.shut(gate, cause)
        self._guard.begin_epoch(armed)
        self._guard.tell({"t": "pause", "cause": cause.value, "epoch": self._guard.epoch, **to_wire("detail", detail)})
        self._guard.publish_status()

    def chord(self, text: str) -> None:
        """Pause because the pause chord was pressed."""
        now = time.monotonic()
        if now - self._pressed_s > _SAME_PRESS_S:  # both listeners report the same press
            self._pressed_s = now
            self.pause(PauseCause.HOTKEY, notice(NoticeCode.PAUSE_KEYS_PRESSED, keys=text), Gate.HELD)

    def liveness(self, liveness: StopLiveness) -> None:
        """Pause a session while a stop would not be received."""
        armed = self._guard.armed
        if armed is None:
            return
        if liveness.live:
            armed.open(Gate.NOT_LIVE)  # HELD stays: a person resumes
        elif Gate.NOT_LIVE not in armed.gate:
            self.pause(PauseCause.STOP_NOT_LIVE, liveness.detail, Gate.HELD | Gate.NOT_LIVE)

    def tick(self, armed: PausableSession, tick: Tick) -> None:
        """Send a challenge when one is due; pause or stop if the answers are overdue."""
        if tick.slept:
            self.pause(PauseCause.SUSPEND, notice(NoticeCode.MACHINE_SUSPENDED), Gate.HELD)
        if tick.now_s - self._asked_s >= LEASE_BEAT_S:
            self._asked_s = tick.now_s
            self._guard.tell({"t": "lease", "n": armed.lease.ask(tick.now_s)}, droppable=True)
        if tick.stalled and not tick.slept:
            # The guard itself did not run, so missing answers say nothing about the session.
            armed.lease.renewed_s = max(armed.lease.renewed_s, tick.now_s - LEASE_BEAT_S)
        self._apply_lease(armed, tick.now_s)

    def _apply_lease(self, armed: PausableSession, now_s: float) -> None:
        match armed.lease.verdict(now_s):
            case Verdict.STOP:
                self._guard.stop(StopCause.LAPSE, notice(NoticeCode.CONSOLE_SILENT, seconds=LEASE_STOP_AFTER_S))
            case Verdict.PAUSE if not armed.lease.lapsed:
                armed.lease.lapsed = True
                detail = notice(NoticeCode.CONSOLE_SILENT_MS, milliseconds=round(LEASE_PAUSE_AFTER_S * 1000))
                self.pause(PauseCause.LEASE, detail, Gate.LEASE)
            case _:
                return

    def hand_left(self, armed: PausableSession, human_input_s: float, now_s: float) -> None:
        """Resume after a second without a hand, where the operator wants that."""
        if not armed.resumes_after_hand or armed.paused_for is not PauseCause.HAND or armed.resuming:
            return
        if now_s - human_input_s >= HAND_QUIET_S:
            armed.resuming = True
            self._guard.tell({"t": "resume", "cause": PauseCause.HAND.value, "epoch": self._guard.epoch})

    def held_again(self, armed: PausableSession) -> None:
        """Resume: the person holds the key of hold-to-run again."""
        armed.open(Gate.LET_GO)
        self._guard.begin_epoch(armed)
        self._guard.tell({"t": "resume", "cause": PauseCause.HOLD.value, "epoch": self._guard.epoch})
        self._guard.publish_status()

    def lease_answered(self, armed: PausableSession, answer: int) -> None:
        """Renew the lease; resume if the lease alone had paused the session."""
        if not armed.lease.answered(answer):
            return
        armed.beat()
        if armed.lease.lapsed and armed.lease.verdict(time.monotonic()) is Verdict.GOOD:
            armed.lease.lapsed = False
            armed.open(Gate.LEASE)
            self._guard.begin_epoch(armed)
            self._guard.tell({"t": "resume", "cause": PauseCause.LEASE.value, "epoch": self._guard.epoch})
            self._guard.publish_status()

    async def _hand_leaves(self, armed: PausableSession, human_input_s: Callable[[], float]) -> bool:
        """Wait for a second without a hand; whether it came, or is no longer waited for."""
        until_s = time.monotonic() + HAND_WAITS_S
        async for tick in ticks():
            if tick.now_s - human_input_s() >= HAND_QUIET_S or self._guard.armed is not armed or not armed.by_hand:
                return True
            if tick.now_s > until_s:
                break
        return False

    async def set_gate(
        self, message: dict[str, Any], live: StopLiveness, human_input_s: Callable[[], float] = float
    ) -> None:
        """Shut or open the gate for the console. Shutting is confirmed once no further input is sent.

        After a pause for the person's hand it opens once the hand has left: `human_input_s` is when it was there last.
        """
        guard = self._guard
        armed = guard.armed
        if armed is not None:
            if not message["open"]:
                self._shut += 1
                acting = Gate.HELD not in armed.gate
                armed.shut_for(_why(message))
                if acting:
                    guard.begin_epoch(armed)
                if not await armed.quiet() and guard.armed is armed:
                    guard.stop(StopCause.STOP_NOT_LIVE, notice(NoticeCode.INPUT_EVENT_HANGS, seconds=2))
            elif Gate.NOT_LIVE in armed.gate:
                guard.tell({"t": "pause", "cause": PauseCause.STOP_NOT_LIVE.value, "epoch": guard.epoch,
                            **to_wire("detail", live.detail)})  # fmt: skip
            elif Gate.HELD in armed.gate:
                shut = self._shut
                if armed.by_hand and not await self._hand_leaves(armed, human_input_s):
                    self.pause(PauseCause.HAND, notice(NoticeCode.HAND_STAYS), Gate.HELD)
                elif trouble := await armed.reach():
                    self.pause(PauseCause.TARGET, trouble, Gate.HELD)
                elif guard.armed is armed and self._shut == shut:
                    armed.by_hand = False
                    armed.open(Gate.HELD)
                    guard.begin_epoch(armed)
                    if Gate.LET_GO in armed.gate:  # let go while the gate was shut for another reason
                        self.pause(PauseCause.HOLD, notice(NoticeCode.HOLD_KEY_UP), Gate.LET_GO)
            guard.publish_status()
        guard.answer(message)


def _why(message: dict[str, Any]) -> PauseCause | WaitsFor:
    why = str(message["why"])
    return WaitsFor(why) if why in set(WaitsFor) else PauseCause(why)
