"""Does what was approved: prepares the target, makes the grant, writes the intent, acts, writes the outcome.

The only caller of Injector.perform and of the effect ports. A pause or a stop that comes meanwhile never loses the
outcome: the gate is shut (or the guard has killed the injector), and what was delivered is still recorded. Called by
engine.calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from operator_console.domain.actions import Action, Click, Drag, Press, Scroll
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    RecordError,
    RejectedReason,
)
from operator_console.domain.events import Granted, PauseCause, Performed
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.intents import Pause
from operator_console.domain.proposals import CallStatus
from operator_console.engine.approval import Approval, Ruling
from operator_console.engine.channel import Holding, Stopping
from operator_console.engine.desk import Desk
from operator_console.engine.extras import EffectPort
from operator_console.engine.navigating import needs_browser
from operator_console.engine.targeting import check_points, is_input, is_keyboard, points
from operator_console.engine.wording import describe
from operator_console.policy.places import is_browser

# Nothing was sent, and nothing is wrong with the call: the screen changed, or a pause came before the grant arrived.
_OVERTAKEN = frozenset((RejectedReason.STALE.value, RejectedReason.BAD_GRANT.value))
OUTCOME_WITHIN_S = 2.0  # after a stop or a pause: the injector is dead or its gate shut, so the answer is near


class Actor:
    """One session's acting.

    Attributes:
        in_flight: what is being done, in words, "" for nothing.
        last: the outcome before.
        before: the picture right before the last call was done; None where it was not.
    """

    def __init__(self, desk: Desk, approval: Approval) -> None:
        self._desk = desk
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
        return next((port for port in self._desk.ports.effects if port.handles(action)), None)

    def _refusal(self, ruled: Ruling, frame: Frame) -> Outcome | None:
        action = ruled.action
        if needs_browser(action):
            if is_browser(ruled.window.app if ruled.window is not None else frame.target.app):
                return None
            detail = "No browser has the focus. Open one first, or click its window."
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.NO_FOCUS.value)
        if isinstance(action, Click | Press | Scroll) and not points(action, frame, self._desk.hands.pointer):
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
        desk = self._desk
        desk.channel.check()
        if not desk.ports.guard.liveness.live:
            raise Holding(Pause(by=PauseCause.STOP_NOT_LIVE, detail=desk.ports.guard.liveness.detail))
        prepared = effect is None
        try:
            if prepared:
                at, *_ = points(part, frame, desk.hands.pointer) or (None,)
                path = part.path[1:] if isinstance(part, Drag) else ()
                await desk.channel.run(desk.ports.computer.prepare_input(at, is_keyboard(part), path))
                await desk.channel.run(self._require_same(ruled, part, frame))
            self.before = self.before or await desk.channel.run(desk.ports.computer.glimpse())
            grant = make()
            self._record_intent(ruled, grant)
            outcome = await self._act(ruled, grant, effect)
        except ComputerRejected as error:
            return self.said(ruled, _refused(error, error.reason.value))
        except ComputerUnavailable as error:
            return self.said(ruled, _refused(error, error.reason.value))
        finally:
            if prepared:
                await self._after_input()
        return self._done(ruled, grant, outcome, frame)

    def _record_intent(self, ruled: Ruling, grant: Grant) -> None:
        """Durable before the act. Raises Holding where it cannot be: nothing is done that is not recorded."""
        granted = Granted(
            step=ruled.step, call=ruled.call, grant_id=grant.grant_id, action=grant.action, epoch=grant.epoch
        )
        try:
            self._desk.recorder.emit(granted)
        except RecordError as error:
            raise Holding(Pause(by=PauseCause.RECORD, detail=str(error))) from error

    async def _require_same(self, ruled: Ruling, part: Action, frame: Frame) -> None:
        """The window at the point must be the one that was judged: a question may have waited for a minute."""
        where = check_points(part, frame, self._desk.hands.pointer)
        now = [await self._desk.ports.computer.receiver(point) for point in where]
        meant = _id(ruled.window)
        if where and meant not in map(_id, now):
            title = next((window.title for window in now if window is not None), "")
            raise ComputerRejected(
                "Another window lies there now.", reason=RejectedReason.STALE,
                detail=f"It is “{title}”." if title else "", remedy="Look again.",
            )  # fmt: skip

    async def _after_input(self) -> None:
        try:
            await self._desk.ports.computer.after_input()
        except ComputerError:
            # Its windows are where they were or it is gone; the next frame says which.
            return

    async def _act(self, ruled: Ruling, grant: Grant, effect: EffectPort | None) -> Outcome:
        door = effect or self._desk.ports.injector
        task = asyncio.ensure_future(door.perform(grant))
        self.in_flight = describe(grant.action, ruled.assessment.label)
        try:
            await self._desk.channel.watch(task)
        except Holding:
            await self._desk.ports.guard.set_gate(open_=False)
            if effect is not None:
                task.cancel()
        except Stopping:
            if effect is not None:
                task.cancel()
        outcome = await _outcome(task)
        if outcome.result is ActResult.STOPPED:
            # Its reason comes by another pipe, the guard's, and may be a moment later.
            await self._desk.channel.reason(OUTCOME_WITHIN_S)
        return outcome

    def _done(self, ruled: Ruling, grant: Grant, outcome: Outcome, frame: Frame) -> tuple[CallStatus, Outcome]:
        desk = self._desk
        status = _status(outcome)
        desk.recorder.emit(
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
            desk.expected.acted(grant.action, frame, desk.hands.pointer)
            desk.hands.did(grant.action, ruled.context, outcome)
        if status is CallStatus.DONE:
            desk.meter.performed()
        return status, outcome

    def said(self, ruled: Ruling, outcome: Outcome) -> tuple[CallStatus, Outcome]:
        """Record how a call, or the rest of it, ended without a grant of its own."""
        status = _status(outcome)
        self._desk.recorder.emit(
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


def _refused(error: ComputerError, reason: str) -> Outcome:
    return Outcome(result=ActResult.FAILED, detail=str(error), reason=reason)


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
