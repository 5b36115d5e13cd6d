"""A guard without a process: the same latch, epoch, gate and answers, driven by the test instead of by hotkeys.

It stops nothing but the fake injector whose `kill` it is given.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable
from typing import Protocol

from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetRef
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, StopReport, WaitsFor


class Listener(Protocol):
    """The shape of a GuardListener."""

    def on_stop(self, report: StopReport) -> None:
        """Stopped and latched."""
        ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The gate is shut."""
        ...

    def on_resume(self, cause: PauseCause) -> None:
        """A pause that ended by itself."""
        ...

    def on_approve(self) -> None:
        """The approve chord."""
        ...


class FakeGuard:
    """In memory; `press_stop`, `press_pause`, `press_approve`, `lease_silent`, `lease_answered`, `lose_stop`,
    `find_stop` and `reset` are what the outside world would do.

    Attributes:
        on_kill: called when the injector would be killed (give it FakeInjector.kill).
        latched: the reason of the latch, None where there is none.
        armed: the session that holds the display, "" where none.
        calls: the methods that were called, in order ("arm", "gate shut", "gate open", "review open", "disarm" ...).
    """

    def __init__(self, *, on_kill: Callable[[], None] = lambda: None) -> None:
        self.on_kill = on_kill
        self.latched: StopCause | None = None
        self.armed = ""
        self.calls: list[str] = []
        self.gate_open = False
        self.shut_for: PauseCause | WaitsFor | None = None
        self.review_open = False
        self._lease_lost = False
        self._epoch = 1
        self._key = secrets.token_bytes(32)
        self._proofs = itertools.count(1)
        self._liveness = StopLiveness(live=True, proven_s=0.0)
        self._listeners: list[Listener] = []

    @property
    def liveness(self) -> StopLiveness:
        """As last said by `lose_stop` or `find_stop`."""
        return self._liveness

    @property
    def epoch(self) -> int:
        """Moves on at each arm, stop, pause and resume."""
        return self._epoch

    @property
    def grant_key(self) -> bytes:
        """A new one for each arm."""
        return self._key

    @property
    def may_act(self) -> bool:
        """Whether an injector could act now."""
        return bool(self.armed) and self.latched is None and self.gate_open and not self._lease_lost

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear it; the returned callable ends that."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    async def arm(self, *, session: str, target: TargetRef) -> None:
        """Raises OperatorError where the real one does."""
        self.calls.append("arm")
        if self.latched is not None:
            raise OperatorError(
                "The display is stopped", detail=f"Reason: {self.latched.value}.", remedy="Reset it, then start."
            )
        if self.armed:
            raise OperatorError("Another session works this display", remedy="End it first.")
        if not self._liveness.live:
            raise OperatorError("The stop is not live", detail=self._liveness.detail, remedy="Run the doctor command.")
        self._key = secrets.token_bytes(32)
        self._epoch += 1
        self.armed, self.gate_open, self._lease_lost = session, True, False

    async def disarm(self) -> None:
        """An orderly end."""
        self.calls.append("disarm")
        self.armed, self.gate_open, self.review_open = "", False, False

    async def set_gate(self, *, open_: bool, why: PauseCause | WaitsFor = PauseCause.HUMAN) -> None:
        """Shut (`why` is kept) or open; opening without a live stop pauses again, as the real one does."""
        self.calls.append("gate open" if open_ else "gate shut")
        self.shut_for = None if open_ else why
        if open_ and not self._liveness.live:
            self._pause(PauseCause.STOP_NOT_LIVE, self._liveness.detail)
        elif open_ != self.gate_open:
            self._epoch += 1
            self.gate_open = open_

    async def set_review_open(self, open_: bool) -> None:
        """Whether the approve chord counts."""
        self.calls.append("review open" if open_ else "review shut")
        self.review_open = open_

    async def stop(self, cause: StopCause, detail: str = "") -> None:
        """The button: acts at once, tells from the event loop."""
        self.calls.append(f"stop {cause.value}")
        report = self._cut(cause, detail)
        if report is not None:
            asyncio.get_running_loop().call_soon(self._tell_stop, report)

    def press_stop(self, cause: StopCause = StopCause.HOTKEY, detail: str = "") -> None:
        """The chord, a corner, the stop command, a lapse ..."""
        report = self._cut(cause, detail)
        if report is not None:
            self._tell_stop(report)

    def press_pause(self) -> None:
        """The pause chord: only ever pauses."""
        if self.armed and self.latched is None:
            self._pause(PauseCause.HOTKEY, "pause chord")

    def press_approve(self) -> None:
        """The approve chord: counts only while a review is open and the gate is shut."""
        if self.review_open and not self.gate_open and self.armed and self.latched is None:
            for listener in tuple(self._listeners):
                listener.on_approve()

    def let_go(self) -> None:
        """The key of hold-to-run went up."""
        self.lease_silent(PauseCause.HOLD)

    def held_again(self) -> None:
        """It went down again."""
        self.lease_answered(PauseCause.HOLD)

    def lease_silent(self, cause: PauseCause = PauseCause.LEASE) -> None:
        """The session's loop did not answer for 500 ms."""
        if self.armed and self.latched is None and not self._lease_lost:
            self._lease_lost = True
            self._epoch += 1
            for listener in tuple(self._listeners):
                listener.on_pause(cause, "no answer for 500 ms")

    def lease_answered(self, cause: PauseCause = PauseCause.LEASE) -> None:
        """It answered again before 2 s."""
        if self._lease_lost and self.latched is None:
            self._lease_lost = False
            self._epoch += 1
            for listener in tuple(self._listeners):
                listener.on_resume(cause)

    def lose_stop(self, detail: str = "the listener is dead") -> None:
        """A probe was not heard."""
        self._liveness = StopLiveness(live=False, detail=detail, proven_s=self._liveness.proven_s)
        if self.armed and self.latched is None:
            self._pause(PauseCause.STOP_NOT_LIVE, detail)

    def find_stop(self) -> None:
        """A probe was heard again; a session that it paused stays paused."""
        self._liveness = StopLiveness(live=True, proven_s=float(next(self._proofs)))

    def reset(self) -> None:
        """The human's reset: permits a start, starts nothing."""
        self.latched = None

    def _pause(self, cause: PauseCause, detail: str) -> None:
        self._epoch += 1
        self.gate_open = False
        for listener in tuple(self._listeners):
            listener.on_pause(cause, detail)

    def _cut(self, cause: StopCause, detail: str) -> StopReport | None:
        if self.latched is not None:
            return None
        self.on_kill()
        self._epoch += 1
        self.latched, self.armed, self.gate_open, self.review_open = cause, "", False, False
        return StopReport(reason=cause, detail=detail, latched=True)

    def _tell_stop(self, report: StopReport) -> None:
        for listener in tuple(self._listeners):
            listener.on_stop(report)
