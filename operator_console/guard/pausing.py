"""Pausing and going on: the pause chord, the gate, the lease, a stop that is not live. Part of the guard's process.

Shuts the injector's gate and says why; only what shut it opens it again. Stops where a pause is not enough.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

from operator_console.desktop.ledger import Gate
from operator_console.domain.events import PauseCause, StopCause
from operator_console.domain.stopping import StopLiveness
from operator_console.guard.armed import Armed
from operator_console.guard.lease import BEAT_S, Verdict
from operator_console.guard.turning import Turn

_SAME_PRESS_S = 0.3


class Guarding(Protocol):
    """What pausing needs of the guard: what is armed, and its ways to stop, to go to a new epoch and to tell."""

    armed: Armed | None
    epoch: int

    def stop(self, cause: StopCause, detail: str = "") -> None: ...
    def move_on(self, armed: Armed) -> None: ...
    def file_status(self) -> None: ...
    def tell(self, message: dict[str, Any], *, droppable: bool = False) -> None: ...
    def answer(self, message: dict[str, Any]) -> None: ...


class Pausing:
    """One per guard; does nothing while nothing is armed."""

    def __init__(self, guard: Guarding) -> None:
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
        if now - self._pressed_s > _SAME_PRESS_S:  # both ears hear the same press
            self._pressed_s = now
            self.pause(PauseCause.HOTKEY, f"{text} was pressed.", Gate.HELD)

    def liveness(self, liveness: StopLiveness) -> None:
        """Whether the stop would be heard."""
        armed = self._guard.armed
        if armed is None:
            return
        if liveness.live:
            armed.open(Gate.NOT_LIVE)  # a person resumes: HELD stays
        elif Gate.NOT_LIVE not in armed.gate:
            self.pause(PauseCause.STOP_NOT_LIVE, liveness.detail, Gate.HELD | Gate.NOT_LIVE)

    def turned(self, armed: Armed, turn: Turn) -> None:
        """Ask the session's loop, and see whether it still answers."""
        if turn.slept:
            self.pause(PauseCause.SUSPEND, "The machine was suspended.", Gate.HELD)
        if turn.now_s - self._asked_s >= BEAT_S:
            self._asked_s = turn.now_s
            self._guard.tell({"t": "lease", "n": armed.lease.ask(turn.now_s)}, droppable=True)
        if turn.stalled and not turn.slept:
            # It was the guard that did not turn: the session is not to blame, but nobody watched meanwhile.
            armed.lease.renewed_s = max(armed.lease.renewed_s, turn.now_s - BEAT_S)
        self._look_at_lease(armed, turn.now_s)

    def _look_at_lease(self, armed: Armed, now_s: float) -> None:
        match armed.lease.look(now_s):
            case Verdict.STOP:
                self._guard.stop(StopCause.LAPSE, "The console did not answer for 2 s.")
            case Verdict.PAUSE if not armed.lease.lapsed:
                armed.lease.lapsed = True
                self.pause(PauseCause.LEASE, "The console did not answer for 500 ms.", Gate.LEASE)
            case _:
                return

    def lease_answered(self, armed: Armed, answer: int) -> None:
        """It answered."""
        if not armed.lease.answered(answer):
            return
        armed.beat()
        if armed.lease.lapsed and armed.lease.look(time.monotonic()) is Verdict.GOOD:
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
