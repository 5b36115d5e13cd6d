"""Waits until what was sent shows itself, and says whether it did: between the calls of a turn, and after its last."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.actions import Action
from operator_console.domain.errors import ComputerError
from operator_console.domain.events import Settled
from operator_console.domain.frames import Frame, SettleReason
from operator_console.engine.context import SessionContext
from operator_console.engine.state_machine import Settle
from operator_console.engine.targeting import is_input, must_show, points, settle_bounds

BETWEEN_AT_MOST_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What was sent for a call, wholly or in part.

    Attributes:
        frame: the frame that the call was made for.
        before: the picture right before it was sent; None: not known.
    """

    step: int
    call: int
    action: Action
    frame: Frame
    before: Frame | None


class Settler:
    """One session's waits; never a fixed sleep, always between a lower and an upper bound."""

    def __init__(self, session: SessionContext) -> None:
        self._session = session

    async def between(self, sent: Sent) -> bool | None:
        """Let the effect of a call show itself, so that the next one's check sees what it does."""
        changed = await self._settle(sent, BETWEEN_AT_MOST_S)
        await self._take_over(sent)
        return changed

    async def _take_over(self, sent: Sent) -> None:
        """What the call changed where it went counts as seen by the model for the rest of its turn."""
        if sent.before is None or not is_input(sent.action):
            return
        try:
            now, places = await self._session.channel.run(self._session.ports.computer.differences(sent.before))
        except ComputerError:
            return  # nothing is taken over, so the next call is refused where anything changed
        self._session.expected.changed(now, places)

    async def after(self, sent: Sent) -> bool | None:
        """After a turn's last call; whether the screen changed where it should, None: it need not, or is not known."""
        self._session.recorder.mark(Settle())
        return await self._settle(sent, float("inf"))

    async def late(self, since: Frame) -> bool:
        """Whether an effect that was not seen comes after all, while the model thinks."""
        try:
            return await self._session.ports.computer.late_change(since)
        except ComputerError:
            return False  # the next look says what became of it

    async def _settle(self, sent: Sent, at_most_s: float) -> bool | None:
        session = self._session
        started_s = session.clock.monotonic()
        reason = await self._wait(sent, at_most_s)
        waited_s = session.clock.monotonic() - started_s
        changed = await self._changed(sent)
        session.recorder.emit(
            Settled(step=sent.step, call=sent.call, reason=reason, waited_s=waited_s, changed=changed)
        )
        return changed

    async def _wait(self, sent: Sent, at_most_s: float) -> SettleReason:
        lower_s, upper_s = settle_bounds(sent.action)
        at = next(iter(points(sent.action, sent.frame, self._session.input_state.pointer)), None)
        before = sent.before or sent.frame
        settle = self._session.ports.computer.settle(before, at=at, lower_s=lower_s, upper_s=min(upper_s, at_most_s))
        try:
            return await self._session.channel.run(settle)
        except ComputerError:
            # What was sent may have closed or hidden it. The next look says which; nothing is judged here.
            return SettleReason.INTERRUPTED

    async def _changed(self, sent: Sent) -> bool | None:
        if sent.before is None or not must_show(sent.action):
            return None
        try:
            return await self._session.channel.run(self._session.ports.computer.changed(sent.before))
        except ComputerError:
            return None
