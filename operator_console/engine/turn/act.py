"""Does what was approved: prepares the target, makes the grant, writes the intent, acts, writes the outcome.

The only caller of Injector.perform and of the effect ports. A pause or a stop that comes meanwhile never loses the
outcome: the gate is shut (or the guard has killed the injector), and what was delivered is still recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

from operator_console.domain.actions import Action, Click, Drag, Press, Scroll
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    OperatorError,
    RecordError,
    RejectedReason,
)
from operator_console.domain.events import Granted, PauseCause, Performed, StopCause
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.intents import Pause, Stop
from operator_console.domain.proposals import CallStatus
from operator_console.engine.browser_keys import needs_browser
from operator_console.engine.context import EffectPort, SessionContext
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.targeting import check_points, is_input, is_keyboard, points
from operator_console.engine.turn.approve import Approval, Ruling
from operator_console.engine.wording import describe
from operator_console.policy.applications import is_browser

# Nothing was sent, and nothing is wrong with the call: the screen changed, or a pause came before the grant arrived.
_OVERTAKEN = frozenset((RejectedReason.STALE.value, RejectedReason.BAD_GRANT.value))
STALE_AFTER_S = 0.25  # a picture older than this is no picture of the moment before the act
OUTCOME_WITHIN_S = 2.0  # after a stop or a pause: the injector is dead or its gate shut, so the answer is near


class Actor:
    """One session's acting.

    Attributes:
        in_flight: what is being done, in words, "" for nothing.
        last: the outcome before.
        before: the picture right before the last call was done; None where it was not.
    """

    def __init__(self, session: SessionContext, approval: Approval) -> None:
        self._session = session
        self._approval = approval
        self.in_flight = ""
        self.last: Outcome | None = None
        self.before: Frame | None = None

    async def perform(self, ruled: Ruling, frame: Frame) -> tuple[CallStatus, Outcome]:
        """Do an approved call, part by part; it ends with the first part that was not done.

        Raises:
            Holding, Stopping: before anything was sent. Once something is sent, the outcome says how far it came.
        """
        effect = self._effect(ruled.action)
        if effect is None and (refusal := self._refusal(ruled, frame)):
            return self.said(ruled, refusal)
        outcome = Outcome(result=ActResult.DONE)
        self.before = None
        done: list[Action] = []
        for part, make in self._approval.grants(ruled, frame):
            try:
                status, outcome = await self.part(ruled, part, make, frame, effect)
            except (Holding, Stopping):
                if not done:
                    raise
                return self._broken_off(ruled, done)
            if status is not CallStatus.DONE:
                return status, replace(outcome, detail=f"{outcome.detail} {_begun(done)}".strip())
            done.append(part)
        return CallStatus.DONE, outcome

    def _broken_off(self, ruled: Ruling, done: list[Action]) -> tuple[CallStatus, Outcome]:
        """A pause or a stop came between the parts; whoever waits next hears of it."""
        return self.said(ruled, Outcome(result=ActResult.STOPPED, detail=_begun(done)))

    def _effect(self, action: Action) -> EffectPort | None:
        return next((port for port in self._session.ports.effects if port.handles(action)), None)

    def _refusal(self, ruled: Ruling, frame: Frame) -> Outcome | None:
        action = ruled.action
        if needs_browser(action):
            if is_browser(ruled.window.app if ruled.window is not None else frame.target.app):
                return None
            detail = "No browser has the focus. Open one first, or click its window."
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.NO_FOCUS.value)
        if isinstance(action, Click | Press | Scroll) and not points(action, frame, self._session.input_state.pointer):
            detail = "Its own pointer is not on the target. Name a point."
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.OUT_OF_RANGE.value)
        if is_input(action):
            return None
        detail = f"“{action.kind}” is not available here. Use the mouse and the keyboard instead."
        return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.UNSUPPORTED.value)

    async def part(
        self, ruled: Ruling, part: Action, make: Callable[[], Grant], frame: Frame, effect: EffectPort | None = None
    ) -> tuple[CallStatus, Outcome]:
        """Do one part of what was approved. Raises Holding, Stopping before anything was sent."""
        session = self._session
        session.channel.check()
        if not session.ports.guard.liveness.live:
            raise Holding(Pause(by=PauseCause.STOP_NOT_LIVE, detail=session.ports.guard.liveness.detail))
        prepared = effect is None
        try:
            if prepared:
                at, *_ = points(part, frame, session.input_state.pointer) or (None,)
                path = part.path[1:] if isinstance(part, Drag) else ()
                await session.channel.run(session.ports.computer.prepare_input(at, is_keyboard(part), path))
                await session.channel.run(self._require_same(ruled, part, frame))
            first = self.before is None
            self.before = self.before or await session.channel.run(session.ports.computer.glimpse())
            grant = make()
            await self._record_intent(ruled, grant, look_again=first)
            outcome = await self._act(ruled, self._approval.sealed(grant), effect)
        except (ComputerRejected, ComputerUnavailable) as error:
            return self.said(ruled, Outcome(result=ActResult.FAILED, detail=str(error), reason=error.reason.value))
        finally:
            if prepared:
                await self._after_input()
        return self._done(ruled, grant, outcome, frame)

    async def _record_intent(self, ruled: Ruling, grant: Grant, *, look_again: bool) -> None:
        """Durable before the act: nothing is done that is not recorded.

        Args:
            look_again: take the picture before the act anew where the disk took long.

        Raises:
            Holding: it cannot be written, or a pause came while it was.
            Stopping: a stop came.
        """
        recorder = self._session.recorder
        if recorder.trouble is not None:
            raise Holding(Pause(by=PauseCause.RECORD, detail=str(recorder.trouble)))
        granted = Granted(
            step=ruled.step, call=ruled.call, grant_id=grant.grant_id, action=grant.action, epoch=grant.epoch
        )
        recorder.emit(granted)
        try:
            await self._session.channel.run(self._durable(look_again=look_again))
        except (Holding, asyncio.CancelledError):
            self._not_sent(ruled, grant, ActResult.FAILED)
            raise
        except Stopping:
            self._not_sent(ruled, grant, ActResult.STOPPED)
            raise
        except RecordError as error:
            self._not_sent(ruled, grant, ActResult.FAILED)
            raise Holding(Pause(by=PauseCause.RECORD, detail=str(error))) from error

    async def _durable(self, *, look_again: bool) -> None:
        session = self._session
        began_s = session.clock.monotonic()
        await session.recorder.durable()
        if look_again and session.clock.monotonic() - began_s > STALE_AFTER_S:
            with contextlib.suppress(ComputerError):
                self.before = await session.ports.computer.glimpse()

    def _not_sent(self, ruled: Ruling, grant: Grant, result: ActResult) -> None:
        """An intent that is in the record already, and of which nothing happened."""
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, grant_id=grant.grant_id, result=result,
                status=CallStatus.STOPPED if result is ActResult.STOPPED else CallStatus.NOT_DONE,
                detail="Nothing was sent: it had to wait until the record was written.",
            )
        )  # fmt: skip

    async def _require_same(self, ruled: Ruling, part: Action, frame: Frame) -> None:
        """The window at the point must be the one that was judged: a question may have waited for a minute."""
        where = check_points(part, frame, self._session.input_state.pointer)
        now = [await self._session.ports.computer.receiver(point) for point in where]
        meant = _id(ruled.window)
        if where and meant not in map(_id, now):
            title = next((window.title for window in now if window is not None), "")
            raise ComputerRejected(
                "Another window lies there now.", reason=RejectedReason.STALE,
                detail=f"It is “{title}”." if title else "", remedy="Look again.",
            )  # fmt: skip

    async def _after_input(self) -> None:
        try:
            await self._session.ports.computer.after_input()
        except ComputerError:
            # Its windows are where they were or it is gone; the next frame says which.
            return

    async def _act(self, ruled: Ruling, grant: Grant, effect: EffectPort | None) -> Outcome:
        door = effect or self._session.ports.injector
        task = asyncio.ensure_future(door.perform(grant))
        self.in_flight = describe(grant.action, ruled.assessment.label)
        try:
            await self._session.channel.watch(task)
        except Holding:
            await self._shut_gate()
            if effect is not None:
                task.cancel()
        except (Stopping, asyncio.CancelledError) as signal:
            if effect is not None:
                task.cancel()
            if isinstance(signal, asyncio.CancelledError):
                raise
        outcome = await _outcome(task)
        if outcome.result is ActResult.STOPPED:
            # Its reason comes by another pipe, the guard's, and may be a moment later.
            await self._session.channel.reason(OUTCOME_WITHIN_S)
        return outcome

    async def _shut_gate(self) -> None:
        """Before a pause. A guard that hangs or dies meanwhile is a stop; the outcome is waited for either way."""
        channel = self._session.channel
        try:
            await channel.run(self._session.ports.guard.set_gate(open_=False), holds=False)
        except Stopping:
            return
        except OperatorError as error:
            channel.post(Stop(reason=StopCause.GUARD_DIED, detail=str(error)))

    def _done(self, ruled: Ruling, grant: Grant, outcome: Outcome, frame: Frame) -> tuple[CallStatus, Outcome]:
        session = self._session
        status = _status(outcome)
        session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, grant_id=grant.grant_id, result=outcome.result, status=status,
                detail=outcome.detail, reason=outcome.reason, method=outcome.method, delivered=outcome.delivered,
                total=outcome.total, duration_s=outcome.duration_s, pointer=outcome.pointer,
            )
        )  # fmt: skip
        self.last = outcome
        if outcome.result is not ActResult.STOPPED:
            self.in_flight = ""
        if outcome.result is ActResult.DONE or outcome.delivered:
            session.expected.acted(grant.action, frame, session.input_state.pointer)
            session.input_state.did(grant.action, ruled.context, outcome)
        if status is CallStatus.DONE:
            session.meter.performed()
        return status, outcome

    def said(self, ruled: Ruling, outcome: Outcome) -> tuple[CallStatus, Outcome]:
        """Record how a call, or the rest of it, ended without a grant of its own."""
        status = _status(outcome)
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, result=outcome.result, status=status, detail=outcome.detail,
                reason=outcome.reason,
            )
        )  # fmt: skip
        return status, outcome


async def _outcome(task: asyncio.Future[Outcome]) -> Outcome:
    """The outcome, awaited for a bounded time where it is not there yet; unknown where it never comes."""
    if not task.done():
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if task.cancelled() or not task.done():
        return Outcome(result=ActResult.UNKNOWN, detail="It was cut short; how much of it happened is not known.")
    try:
        return task.result()
    except ComputerError as error:
        return Outcome(result=ActResult.UNKNOWN, detail=str(error))


def _id(window: WindowInfo | None) -> int | None:
    return None if window is None else window.window_id


def _begun(done: list[Action]) -> str:
    return f"Only its beginning was done: {', '.join(describe(part) for part in done)}." if done else ""


def _status(outcome: Outcome) -> CallStatus:
    match outcome.result:
        case ActResult.DONE:
            return CallStatus.DONE
        case ActResult.STOPPED:
            return CallStatus.STOPPED
        case ActResult.FAILED if outcome.reason in _OVERTAKEN:
            return CallStatus.NOT_DONE
        case ActResult.FAILED | ActResult.UNKNOWN:
            return CallStatus.FAILED
