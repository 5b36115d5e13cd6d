"""Waits until what was sent shows itself: between the calls of a turn, and after its last. Called by loop."""

from __future__ import annotations

from operator_console.domain.actions import Action
from operator_console.domain.errors import ComputerError
from operator_console.domain.events import Settled
from operator_console.domain.frames import Frame, SettleReason
from operator_console.engine.desk import Desk
from operator_console.engine.machine import Settle
from operator_console.engine.targeting import points, settle_bounds

BETWEEN_AT_MOST_S = 1.0


class Settler:
    """One session's waits; never a fixed sleep, always between a lower and an upper bound."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def between(self, sent: list[Action], frame: Frame) -> None:
        """Let the effect of the call before show itself, so that the next one's check sees what it does."""
        if sent:
            await self._wait(sent[-1], frame, BETWEEN_AT_MOST_S)

    async def after(self, sent: list[Action], frame: Frame) -> None:
        """After a turn's last call; recorded."""
        if not sent:
            return
        desk = self._desk
        desk.recorder.mark(Settle())
        started_s = desk.clock.monotonic()
        reason = await self._wait(sent[-1], frame, float("inf"))
        waited_s = desk.clock.monotonic() - started_s
        desk.recorder.emit(Settled(step=desk.meter.steps, reason=reason, waited_s=waited_s))

    async def _wait(self, action: Action, frame: Frame, at_most_s: float) -> SettleReason:
        lower_s, upper_s = settle_bounds(action)
        at = next(iter(points(action, frame, self._desk.hands.pointer)), None)
        settle = self._desk.ports.computer.settle(frame, at=at, lower_s=lower_s, upper_s=min(upper_s, at_most_s))
        try:
            return await self._desk.channel.run(settle)
        except ComputerError:
            # What was sent may have closed or hidden it. The next look says which; nothing is judged here.
            return SettleReason.INTERRUPTED
