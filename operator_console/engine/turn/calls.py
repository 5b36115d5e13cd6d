"""Handles one call of a turn, from its assessment to the result for the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.actions import Action, QuoteText
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, Decision, DecisionKind, Outcome
from operator_console.domain.errors import ComputerError, RejectedReason
from operator_console.domain.events import PauseCause, Performed
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.geometry import NativePoint
from operator_console.domain.intents import Pause
from operator_console.domain.notice_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus
from operator_console.domain.risk import RiskClass
from operator_console.engine.context import SessionContext
from operator_console.engine.screen_text import Reading, TargetReader
from operator_console.engine.state_machine import CallTurn
from operator_console.engine.targeting import is_keyboard, points
from operator_console.engine.turn.act import Actor
from operator_console.engine.turn.approve import Approval, Case, Place, Ruling, assessed
from operator_console.engine.turn.calls_without_input import Answerer
from operator_console.engine.turn.quote_text import Quoter
from operator_console.policy import PolicyContext

NOT_DONE = "Not done, because an earlier call of this turn was not. Look at the new picture and decide again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """A call's result, the action that was sent (None: none), and a pause that must follow."""

    result: CallResult
    sent: Action | None = None
    pause: Pause | None = None


class Calls:
    """Handles one session's calls."""

    def __init__(self, session: SessionContext, approval: Approval, actor: Actor, answerer: Answerer) -> None:
        self._session = session
        self._approval = approval
        self._actor = actor
        self._answerer = answerer
        self._quoter = Quoter(session, approval, actor)
        self.texts = TargetReader(session.ports.reader, session.clock, session.channel)

    async def handle(self, call: Call, frame: Frame, step: int) -> Handled:
        """Decide a call and carry it out if approved. Raises Holding and Stopping before anything was sent."""
        self._session.channel.check()
        self._session.recorder.mark(CallTurn(step=step, call=call.index))
        if call.action is None:
            self.leave(call, step, "not-understood")
            text = call.error or f"“{call.name}” is not known here."
            return Handled(result=CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=text))
        case = Case(step=step, call=call, frame=frame, places_of=lambda action: self._places(call, action, frame))
        ruled = await self._approval.review(case)
        if not ruled.approved:
            return _declined(call, ruled)
        if ruled.assessment.risk is RiskClass.C0:
            return await self._answer(call, ruled, frame)
        return await self._perform(call, ruled, frame)

    def leave(self, call: Call, step: int, rule: str, kind: DecisionKind = DecisionKind.NOT_DONE) -> None:
        """Record a call that is not assessed."""
        by = DecidedBy.HUMAN if kind is not DecisionKind.NOT_DONE else DecidedBy.POLICY
        self._approval.answered_unasked(step, call.index, Decision(kind=kind, by=by, rule=rule))

    async def _answer(self, call: Call, ruled: Ruling, frame: Frame) -> Handled:
        given = await self._answerer.answer(ruled.action, frame, ruled.step, ruled.call)
        result = ActResult.DONE if given.status is CallStatus.DONE else ActResult.FAILED
        self._session.recorder.emit(
            Performed(step=ruled.step, call=ruled.call, result=result, status=given.status, detail=given.text)
        )
        return Handled(
            result=CallResult(
                call=call, status=given.status, text=given.text, output=given.output, picture=given.picture,
                acknowledged=_acknowledged(call, ruled),
            )
        )  # fmt: skip

    async def _perform(self, call: Call, ruled: Ruling, frame: Frame) -> Handled:
        if isinstance(ruled.action, QuoteText):
            status, outcome = await self._quoter.quote(ruled, ruled.action, frame)
        else:
            status, outcome = await self._actor.perform(ruled, frame)
        edited = ruled.decision.kind is DecisionKind.MODIFY
        result = CallResult(
            call=call, status=status, text=_told(status, outcome, edited=edited), output=outcome.output,
            acknowledged=_acknowledged(call, ruled), executed=ruled.action if edited else None, tool=outcome.tool,
        )  # fmt: skip
        sent = (
            ruled.action
            if status is CallStatus.DONE or outcome.delivered or outcome.result is not ActResult.FAILED
            else None
        )
        return Handled(result=result, sent=sent)

    async def glance(self, call: Call, frame: Frame) -> Assessment | None:
        """Policy's assessment from what is known without waiting, for display; assessed again when it is decided."""
        if call.action is None:
            return None
        where = points(call.action, frame, self._session.input_state.pointer)
        reading = self.texts.at_hand(frame, where, call.box) if where else self._focused(call.action)
        windows = await self._receivers(call.action, frame, where)
        contexts = [self._context(call, frame, reading, window, pointing=bool(where)) for window in windows]
        return max(await assessed(call.action, contexts), key=lambda found: found.risk)

    async def _places(self, call: Call, action: Action, frame: Frame) -> Sequence[Place]:
        """The targets of an action; a drag has one at each end."""
        where = points(action, frame, self._session.input_state.pointer)
        box = call.box if action is call.action else None
        reading = await self.texts.at(frame, where, box) if where else self._focused(action)
        windows = await self._session.channel.run(self._receivers(action, frame, where))
        return [
            Place(context=self._context(call, frame, reading, window, pointing=bool(where)), window=window)
            for window in windows
        ]

    async def _receivers(
        self, action: Action, frame: Frame, where: Sequence[NativePoint]
    ) -> Sequence[WindowInfo | None]:
        """The windows that would receive it now: by its points, or by the focus for keys. Never empty."""
        if not where:
            return [await self._focused_window(frame)]
        try:
            found = [await self._session.ports.computer.receiver(point) for point in where]
        except ComputerError:
            # The target cannot be seen now, so nothing will be sent either; assessed by the frame.
            return [_focus_in(frame)]
        return list(dict.fromkeys(found))

    async def _focused_window(self, frame: Frame) -> WindowInfo | None:
        """The window that receives keys: per the frame, or the one that a click of this turn has focused."""
        if not self._session.input_state.sent_since_frame:
            return _focus_in(frame)
        meant = self._session.turn_picture.given_focus or _focus_in(frame)
        try:
            now = await self._session.ports.computer.receiver(None)
        except ComputerError:
            return meant
        if frame.stack is None or meant is None or (now is not None and now.window_id == meant.window_id):
            return now
        return meant  # a window that took the focus since is not assessed, because nothing is sent to it

    def _focused(self, action: Action) -> Reading:
        label, nearby = self._session.input_state.field if is_keyboard(action) else ("", ())
        return Reading(label=label, nearby=nearby, read=bool(label))

    def _context(
        self, call: Call, frame: Frame, reading: Reading, window: WindowInfo | None, *, pointing: bool
    ) -> PolicyContext:
        input_state = self._session.input_state
        return PolicyContext(
            app=window.app if window is not None else frame.target.app,
            title=(window.title if window is not None else "") or frame.title or frame.target.title,
            url=frame.url, label=reading.label, nearby=reading.nearby, read=reading.read, intent=call.intent,
            typed="" if pointing else input_state.typed, held=tuple(input_state.keys),
        )  # fmt: skip


def _focus_in(frame: Frame) -> WindowInfo | None:
    """The window with the focus in the frame; None where it is unknown or the focus is restored before input."""
    # The console's own window has the focus after a click on Approve.
    theirs = frame.focus is not None and not frame.focus.own
    return frame.focus if theirs and (frame.focus_in_target or frame.target.window_id is None) else None


def _acknowledged(call: Call, ruled: Ruling) -> bool:
    return call.safety is not None and ruled.approved and ruled.decision.by is DecidedBy.HUMAN


def _declined(call: Call, ruled: Ruling) -> Handled:
    decision = ruled.decision
    pause = None
    match decision.kind, decision.by:
        case DecisionKind.SKIP, _:
            status, text = CallStatus.SKIPPED, "The operator skipped this call."
        case DecisionKind.DENY, DecidedBy.LAPSE:
            status, text = CallStatus.DECLINED, "Nobody answered in time, so it was not done."
            pause = Pause(by=PauseCause.LAPSED_QUESTION, detail=notice(NoticeCode.SAFETY_QUESTION_LAPSED))
        case DecisionKind.DENY, DecidedBy.NOBODY:
            status, text = CallStatus.DECLINED, "This call needs a human's approval, and nobody is there to give it."
        case DecisionKind.DENY, _:
            status, text = CallStatus.DECLINED, "The operator declined this call. Do not try it again another way."
        case _ if decision.rule == "observing-only":
            status, text = CallStatus.OBSERVING, "Not done: observing only."
        case _:
            status, text = CallStatus.DECLINED, "The model's service forbids this call; it was not done."
            detail = call.safety.explanation if call.safety else ""
            pause = Pause(by=PauseCause.PROVIDER_BLOCKED, detail=detail or notice(NoticeCode.SERVICE_BLOCKED_CALL))
    if decision.feedback:
        text = f"{text} The operator says: {decision.feedback}"
    return Handled(result=CallResult(call=call, status=status, text=text), pause=pause)


def _told(status: CallStatus, outcome: Outcome, *, edited: bool) -> str:
    edit = "The operator changed this call before it was carried out." if edited else ""
    match status:
        case CallStatus.DONE:
            told = outcome.detail
        case CallStatus.STOPPED:
            sent = f"{outcome.delivered} of {outcome.total} were sent." if outcome.total else outcome.detail
            told = " ".join(("Interrupted by the operator.", sent, "Look at the new picture before going on."))
        case _ if outcome.result is ActResult.UNKNOWN:
            told = (
                f"It is not known whether this happened. {outcome.detail} Look at the picture; do not simply repeat it."
            )
        case CallStatus.NOT_DONE if outcome.reason == RejectedReason.STALE.value:
            told = f"Nothing was sent: the screen there is no longer what you saw. {outcome.detail}"
        case _:
            told = f"Not done. {outcome.detail}"
    return f"{edit} {told}".strip()
