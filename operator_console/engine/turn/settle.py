"""Waits for the effect of a call to show on the screen, and determines whether the screen changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from operator_console.domain.actions import Action
from operator_console.domain.errors import ComputerError
from operator_console.domain.events import Settled, Warned
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import Settle
from operator_console.engine.targeting import is_input, must_show, points, settle_bounds
from operator_console.engine.turn.observe import MOST_OF_A_TITLE, Observer
from operator_console.engine.visible_text import brief

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
        self._hangs = False

    async def between(self, sent: Sent) -> Settled:
        """Wait between two calls of a turn, so that the effect of the first shows before the next one is checked."""
        settled = await self._settle(sent, BETWEEN_AT_MOST_S, None)
        await self._accept_changes(sent)
        return settled

    async def _accept_changes(self, sent: Sent) -> None:
        """Accept the call's direct, local effect in the checks of the turn's later calls."""
        if sent.before is None or not is_input(sent.action):
            return
        try:
            now, places = await self._session.channel.run(self._session.ports.computer.differences(sent.before))
        except ComputerError:
            return  # nothing is accepted, so a later call is refused where anything changed
        self._session.turn_picture.changed(now, places)

    async def after(self, sent: Sent) -> Settled:
        """Wait after a turn's last call; what came of it."""
        self._session.recorder.mark(Settle())
        return await self._settle(sent, float("inf"), self._observer.expect)

    async def late(self, since: Frame) -> bool:
        """Whether an effect that did not show during the wait comes while the model thinks."""
        try:
            return await self._session.ports.computer.late_change(since)
        except ComputerError:
            return False  # the next frame tells

    async def _settle(self, sent: Sent, at_most_s: float, expect: Callable[[Frame], None] | None) -> Settled:
        session = self._session
        started_s = session.clock.monotonic()
        reason = await self._wait(sent, at_most_s, expect)
        waited_s = session.clock.monotonic() - started_s
        changed = await self._changed(sent)
        settled = Settled(step=sent.step, call=sent.call, reason=reason, waited_s=waited_s, changed=changed)
        session.recorder.emit(settled)
        hangs = reason is SettleReason.NOT_ANSWERING
        if hangs and not self._hangs:
            session.recorder.emit(
                Warned(
                    title=notice(NoticeCode.APPLICATION_DOES_NOT_ANSWER, window=self._window(sent)),
                    detail=notice(NoticeCode.APPLICATION_DOES_NOT_ANSWER_WHY), step=sent.step,
                )
            )  # fmt: skip
        self._hangs = hangs
        return settled

    def _window(self, sent: Sent) -> str:
        """The window that got the input."""
        at = next(iter(points(sent.action, sent.frame, self._session.input_state.pointer)), None)
        owner = None if at is None else sent.frame.owner(at)
        window = sent.frame.front if owner is None else owner.info
        title = sent.frame.title if window is None else window.title or window.app
        return f"“{brief(title, MOST_OF_A_TITLE)}”"

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
