"""Waits for the effect of a call to show on the screen, and determines whether the screen changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from operator_console.domain.actions import Action
from operator_console.domain.errors import ComputerError
from operator_console.domain.events import Settled
from operator_console.domain.frames import Frame, SettleReason
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import Settle
from operator_console.engine.targeting import is_input, must_show, points, settle_bounds
from operator_console.engine.turn.observe import Observer

BETWEEN_AT_MOST_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A call whose action was sent, wholly or in part.

    Attributes:
        frame: the frame that the model saw.
        before: the picture right before it was sent; None: not known.
    """

    step: int
    call: int
    action: Action
    frame: Frame
    before: Frame | None


class Settler:
    """Waits for one session's screen to stop changing, between a lower and an upper bound."""

    def __init__(self, session: SessionContext, observer: Observer) -> None:
        self._session = session
        self._observer = observer

    async def between(self, sent: Sent) -> bool | None:
        """Wait between two calls of a turn, so that the effect of the first shows before the next one is checked."""
        changed = await self._settle(sent, BETWEEN_AT_MOST_S, None)
        await self._accept_changes(sent)
        return changed

    async def _accept_changes(self, sent: Sent) -> None:
        """Accept the call's direct, local effect in the checks of the turn's later calls."""
        if sent.before is None or not is_input(sent.action):
            return
        try:
            now, places = await self._session.channel.run(self._session.ports.computer.differences(sent.before))
        except ComputerError:
            return  # nothing is accepted, so a later call is refused where anything changed
        self._session.turn_picture.changed(now, places)

    async def after(self, sent: Sent) -> bool | None:
        """Wait after a turn's last call.

        Returns:
            Whether the screen changed as expected; None: no change was expected, or it cannot be determined.
        """
        self._session.recorder.mark(Settle())
        return await self._settle(sent, float("inf"), self._observer.expect)

    async def late(self, since: Frame) -> bool:
        """Whether an effect that did not show during the wait comes while the model thinks."""
        try:
            return await self._session.ports.computer.late_change(since)
        except ComputerError:
            return False  # the next frame tells

    async def _settle(self, sent: Sent, at_most_s: float, expect: Callable[[Frame], None] | None) -> bool | None:
        session = self._session
        started_s = session.clock.monotonic()
        reason = await self._wait(sent, at_most_s, expect)
        waited_s = session.clock.monotonic() - started_s
        changed = await self._changed(sent)
        session.recorder.emit(
            Settled(step=sent.step, call=sent.call, reason=reason, waited_s=waited_s, changed=changed)
        )
        return changed

    async def _wait(self, sent: Sent, at_most_s: float, expect: Callable[[Frame], None] | None) -> SettleReason:
        lower_s, upper_s = settle_bounds(sent.action)
        at = next(iter(points(sent.action, sent.frame, self._session.input_state.pointer)), None)
        before = sent.before or sent.frame
        upper_s = min(upper_s, at_most_s)
        settle = self._session.ports.computer.settle(before, at=at, lower_s=lower_s, upper_s=upper_s, expect=expect)
        try:
            return await self._session.channel.run(settle)
        except ComputerError:
            # The action may have closed or hidden the target; the next frame tells.
            return SettleReason.INTERRUPTED

    async def _changed(self, sent: Sent) -> bool | None:
        if sent.before is None or not must_show(sent.action):
            return None
        try:
            return await self._session.channel.run(self._session.ports.computer.changed(sent.before))
        except ComputerError:
            return None
