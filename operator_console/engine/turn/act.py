"""Carries out approved calls: prepares the target, makes the grant, records `granted`, acts, records the outcome.

Nothing else calls Injector.perform or the effect ports. A pause or a stop that comes meanwhile never loses the outcome:
the gate is shut (or the guard has killed the injector), and what was delivered is still recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

from operator_console.domain.actions import Action, Click, Drag, KeyUp, Move, Press, Release, Scroll, UseElement
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    OperatorError,
    RecordError,
    RejectedReason,
)
from operator_console.domain.events import Granted, Performed, StoppedAction, Warned
from operator_console.domain.frames import Frame, WindowInfo, target_app
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Pause, Stop
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.engine.action_wording import control_words, describe
from operator_console.engine.control_finder import ControlFinder, Hit
from operator_console.engine.operator_channel import Holding, Stopping, why_held
from operator_console.engine.ports import EffectPort
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import (
    check_points,
    is_browser_action,
    is_input,
    is_keyboard,
    needs_browser,
    points,
)
from operator_console.engine.turn.approve import Approval, Ruling
from operator_console.policy.applications import is_browser

# Nothing was sent, and nothing is wrong with the call: the screen changed, or a pause came before the grant arrived.
_OVERTAKEN = frozenset((RejectedReason.STALE.value, RejectedReason.BAD_GRANT.value))
STALE_AFTER_S = 0.25  # what is older than this need not be true right before the action
_NEVER_REFUSED = (Move, Scroll, Release, KeyUp)
OUTCOME_WITHIN_S = 2.0  # after a stop or a pause: the injector is dead or its gate shut, so the outcome comes soon


class Actor:
    """Carries out one session's approved calls.

    Attributes:
        in_flight: the action that is being carried out, or that a stop interrupted; None for none.
        last: the last outcome.
        before: the picture right before the last call was carried out; None where it was not.
    """

    def __init__(self, session: SessionContext, approval: Approval, controls: ControlFinder) -> None:
        self._session = session
        self._approval = approval
        self.in_flight: StoppedAction | None = None
        self._controls = controls
        self.last: Outcome | None = None
        self.before: Frame | None = None

    async def perform(self, ruled: Ruling, frame: Frame) -> tuple[CallStatus, Outcome]:
        """Carry out an approved call, part by part, until a part is not done.

        Raises:
            Holding, Stopping: before anything was sent. Once something was sent, the outcome says how much.
        """
        effect = self._effect(ruled.action)
        if effect is None and (refusal := self._refusal(ruled, frame)):
            return self.record_outcome(ruled, refusal)
        outcome = Outcome(result=ActResult.DONE)
        self.before = None
        done: list[Action] = []
        for part, make in self._approval.grants(ruled, frame):
            try:
                status, outcome = await self.part(ruled, part, make, frame, effect)
            except (Holding, Stopping):
                if not done:
                    raise
                return self._interrupted(ruled, done)
            if status is not CallStatus.DONE:
                return status, replace(outcome, detail=joined(outcome.detail, _first_parts(done)))
            done.append(part)
        return CallStatus.DONE, outcome

    def _interrupted(self, ruled: Ruling, done: list[Action]) -> tuple[CallStatus, Outcome]:
        """A pause or a stop came between two parts; the next wait raises it."""
        outcome = Outcome(result=ActResult.STOPPED, detail=_first_parts(done))
        return self.record_outcome(ruled, outcome, tuple(done))

    def _effect(self, action: Action) -> EffectPort | None:
        return next((port for port in self._session.ports.effects if port.handles(action)), None)

    def _refusal(self, ruled: Ruling, frame: Frame) -> Outcome | None:
        action = ruled.action
        if frame.page is not None and is_browser_action(action):
            return None
        if needs_browser(action):
            if is_browser(ruled.window.app if ruled.window is not None else target_app(frame.target)):
                return None
            detail = notice(NoticeCode.NO_BROWSER_HAS_FOCUS)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.NO_FOCUS.value)
        if isinstance(action, Click | Press | Scroll) and not points(action, frame, self._session.input_state.pointer):
            detail = notice(NoticeCode.AGENT_POINTER_OFF_TARGET)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.OUT_OF_RANGE.value)
        if isinstance(action, UseElement) and not _is_found_there(action, ruled.place.hit):
            detail = notice(NoticeCode.OTHER_ELEMENT_AT_PLACE)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.COVERED.value)
        if is_input(action):
            return None
        detail = joined(
            notice(NoticeCode.ACTION_UNAVAILABLE, kind=action.kind), notice(NoticeCode.USE_MOUSE_AND_KEYBOARD)
        )
        return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.UNSUPPORTED.value)

    async def part(
        self, ruled: Ruling, part: Action, make: Callable[[], Grant], frame: Frame, effect: EffectPort | None = None
    ) -> tuple[CallStatus, Outcome]:
        """Carry out one part of an approved call. Raises Holding, Stopping before anything was sent."""
        session = self._session
        session.channel.check()
        if not session.ports.guard.liveness.live:
            session.channel.hold(Pause(by=PauseCause.STOP_NOT_LIVE, detail=session.ports.guard.liveness.detail))
        prepared = effect is None
        try:
            if prepared:
                at = _prepared_at(part, frame, session.input_state.pointer)
                path = part.path[1:] if isinstance(part, Drag) else ()
                await session.channel.run(session.ports.computer.prepare_input(at, is_keyboard(part), path))
                await session.channel.run(self._require_same(ruled, part, frame))
            first = self.before is None
            if (before := self.before) is None:
                before = await session.channel.run(session.ports.computer.glimpse())
            await session.channel.run(self._require_same_control(ruled, part, frame, before))
            self.before = before
            grant = make()
            await self._record_granted(ruled, grant, look_again=first)
            outcome = await self._act(ruled, self._approval.sealed(grant), effect)
        except (ComputerRejected, ComputerUnavailable) as error:
            return self.not_sent(ruled, error)
        finally:
            if prepared:
                await self._after_input()
        return self._done(ruled, grant, outcome, frame)

    async def _record_granted(self, ruled: Ruling, grant: Grant, *, look_again: bool) -> None:
        """Record `granted` and wait until it is durable, so that no action happens unrecorded.

        Args:
            look_again: capture the picture before the action again where the disk was slow.

        Raises:
            Holding: it cannot be written, or a pause came meanwhile.
            Stopping: a stop came meanwhile.
        """
        recorder = self._session.recorder
        if recorder.trouble is not None:
            self._session.channel.hold(Pause(by=PauseCause.RECORD, detail=recorder.trouble.text))
        granted = Granted(
            step=ruled.step, call=ruled.call, grant_id=grant.grant_id, action=grant.action, epoch=grant.epoch
        )
        recorder.emit(granted)
        try:
            await self._session.channel.run(self._durable(look_again=look_again))
        except (Holding, asyncio.CancelledError):
            self._grant_unused(ruled, grant, ActResult.FAILED)
            raise
        except Stopping:
            self._grant_unused(ruled, grant, ActResult.STOPPED)
            raise
        except RecordError as error:
            self._grant_unused(ruled, grant, ActResult.FAILED)
            self._session.channel.hold(Pause(by=PauseCause.RECORD, detail=error.text))

    async def _durable(self, *, look_again: bool) -> None:
        session = self._session
        began_s = session.clock.monotonic()
        await session.recorder.durable()
        if look_again and session.clock.monotonic() - began_s > STALE_AFTER_S:
            with contextlib.suppress(ComputerError):
                self.before = await session.ports.computer.glimpse()

    def _grant_unused(self, ruled: Ruling, grant: Grant, result: ActResult) -> None:
        """Record the outcome of a `granted` after which nothing was sent."""
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, grant_id=grant.grant_id, result=result,
                status=CallStatus.STOPPED if result is ActResult.STOPPED else CallStatus.NOT_DONE,
                detail=notice(NoticeCode.NOT_SENT_RECORD_LATE),
            )
        )  # fmt: skip

    async def _require_same(self, ruled: Ruling, part: Action, frame: Frame) -> None:
        """Require that the window at the point is the one that was assessed, perhaps minutes ago."""
        at = check_points(part, frame, self._session.input_state.pointer)
        now = [await self._session.ports.computer.receiver(point) for point in at]
        if at and _id(ruled.window) not in map(_id, now):
            title = next((window.title for window in now if window is not None), "")
            raise ComputerRejected(
                notice(NoticeCode.OTHER_WINDOW_THERE), reason=RejectedReason.STALE,
                detail=notice(NoticeCode.IT_IS_WINDOW, window=title) if title else "",
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )  # fmt: skip

    async def _require_same_control(self, ruled: Ruling, part: Action, frame: Frame, now: Frame) -> None:
        """Require, where an application tells it, that the control is the one that was assessed a while ago."""
        place, session = ruled.place, self._session
        age_s = session.clock.monotonic() - place.found_s
        if place.hit is None or part != ruled.action or age_s <= STALE_AFTER_S or isinstance(part, _NEVER_REFUSED):
            return
        where = points(part, frame, session.input_state.pointer)
        focus = frame.focus if where else place.window
        seen = replace(frame, frame_id=now.frame_id, pixels=now.pixels, taken_s=now.taken_s, focus=focus)
        found = await self._controls.replaced(seen, where[-1] if where else None, place.hit)
        if found is None and where and place.start is not None:
            found = await self._controls.replaced(seen, where[0], place.start)
        if found is not None:
            raise ComputerRejected(
                notice(NoticeCode.OTHER_CONTROL_THERE) if where else notice(NoticeCode.OTHER_CONTROL_FOCUSED),
                reason=RejectedReason.STALE,
                detail=notice(NoticeCode.IT_IS_CONTROL, control=words) if (words := control_words(found)) else "",
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )  # fmt: skip

    async def _after_input(self) -> None:
        try:
            await self._session.ports.computer.after_input()
        except ComputerError:
            # The target may be gone; the next frame tells.
            return

    async def _act(self, ruled: Ruling, grant: Grant, effect: EffectPort | None) -> Outcome:
        port = effect or self._session.ports.injector
        task = asyncio.ensure_future(port.perform(grant))
        same = grant.action == ruled.action
        self.in_flight = StoppedAction(
            action=grant.action, assessment=ruled.assessment if same else None,
            window=ruled.window.title if ruled.window is not None and same else "",
        )  # fmt: skip
        try:
            # A console that was briefly busy cancels nothing: a shell that is killed has lost its state.
            await self._session.channel.watch(task, passing=effect is None)
        except Holding as held:
            if effect is not None:
                task.cancel()  # first: the gate does not hold back what is no input
            await self._shut_gate(why_held(held.intent))
        except (Stopping, asyncio.CancelledError) as signal:
            if effect is not None:
                task.cancel()
            if isinstance(signal, asyncio.CancelledError):
                raise
        outcome = await _outcome(task)
        if outcome.result is ActResult.STOPPED:
            # The stop or pause itself comes through the guard's pipe and may arrive a moment later.
            await self._session.channel.wait_for_interruption(OUTCOME_WITHIN_S)
        return outcome

    async def _shut_gate(self, why: PauseCause | WaitsFor) -> None:
        """Shut the gate before a pause. A guard that hangs or dies meanwhile is a stop."""
        channel = self._session.channel
        try:
            await channel.run(self._session.ports.guard.set_gate(open_=False, why=why), holds=False)
        except Stopping:
            return
        except OperatorError as error:
            channel.post(Stop(reason=StopCause.GUARD_DIED, detail=error.text))

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
        stopped = outcome.result is ActResult.STOPPED
        if not stopped or session.channel.stop is None:
            self.in_flight = None
        if stopped and session.channel.interruption is None:
            title = notice(NoticeCode.ACTION_NOT_FINISHED)
            session.recorder.emit(Warned(title=title, detail=outcome.detail, step=ruled.step))
        if outcome.result is ActResult.DONE or outcome.delivered:
            session.turn_picture.acted(grant.action, frame, session.input_state.pointer)
            self._note_sent(ruled, grant.action, outcome)
        if status is CallStatus.DONE:
            session.meter.performed()
        return status, outcome

    def _note_sent(self, ruled: Ruling, sent: Action, outcome: Outcome) -> None:
        input_state, place = self._session.input_state, ruled.place
        if sent == ruled.action and place.hit is not None and place.field is not None:
            input_state.note_sent(sent, place.context, outcome, place.hit, place.field)
        else:  # a part of it: the focus is where the part before left it
            input_state.note_sent(sent, place.context, outcome, Hit(), input_state.place(None, place.window))

    def not_sent(self, ruled: Ruling, error: ComputerRejected | ComputerUnavailable) -> tuple[CallStatus, Outcome]:
        """Record why an approved call could not be prepared."""
        outcome = Outcome(result=ActResult.FAILED, detail=error.text, reason=error.reason.value)
        return self.record_outcome(ruled, outcome)

    def record_outcome(
        self, ruled: Ruling, outcome: Outcome, parts_done: tuple[Action, ...] = ()
    ) -> tuple[CallStatus, Outcome]:
        """Record how a call, or the rest of it after `parts_done`, ended without a grant."""
        status = _status(outcome)
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, result=outcome.result, status=status, detail=outcome.detail,
                reason=outcome.reason, parts_done=parts_done,
            )
        )  # fmt: skip
        return status, outcome


async def _outcome(task: asyncio.Future[Outcome]) -> Outcome:
    """The outcome, waited for up to `OUTCOME_WITHIN_S`; unknown where it does not come."""
    if not task.done():
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if task.cancelled() or not task.done():
        return Outcome(result=ActResult.UNKNOWN, detail=notice(NoticeCode.INTERRUPTED_EXTENT_UNKNOWN))
    try:
        return task.result()
    except ComputerError as error:
        return Outcome(result=ActResult.UNKNOWN, detail=error.text)


def _is_found_there(action: UseElement, hit: Hit | None) -> bool:
    """Whether what was assessed is the element itself, and not something over it, or nothing at all."""
    return hit is not None and hit.element_id == action.element.element_id


def _prepared_at(part: Action, frame: Frame, pointer: tuple[int, int] | None) -> NativePoint | None:
    """The point that must be free of the console's windows. A release where the pointer is must not be refused."""
    if isinstance(part, Release):
        return part.at
    if isinstance(part, UseElement) and frame.target.kind.is_one_window:
        return None  # no pointer is sent there, so that other windows may cover the target
    return next(iter(points(part, frame, pointer)), None)


def _id(window: WindowInfo | None) -> int | None:
    return None if window is None else window.window_id


def _first_parts(done: list[Action]) -> str:
    if not done:
        return ""
    return notice(NoticeCode.ONLY_FIRST_PARTS_DONE, actions=", ".join(describe(part) for part in done))


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
