"""One call of a turn, from its judgement to the answer the model gets."""

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
    """A call's answer, the action that was really sent (None: nothing was), and a pause that it asks for."""

    result: CallResult
    sent: Action | None = None
    pause: Pause | None = None


class Calls:
    """One session's handling of calls."""

    def __init__(self, session: SessionContext, approval: Approval, actor: Actor, answerer: Answerer) -> None:
        self._session = session
        self._approval = approval
        self._actor = actor
        self._answerer = answerer
        self._quoter = Quoter(session, approval, actor)
        self.texts = TargetReader(session.ports.reader, session.clock, session.channel)

    async def handle(self, call: Call, frame: Frame, step: int) -> Handled:
        """Decide and, where it may be, do it. Raises Holding and Stopping before anything was sent."""
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
        """Record a call that is not judged any more."""
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
        """Policy's judgement by what is known without waiting, to show a proposal with; decided anew at its turn."""
        if call.action is None:
            return None
        where = points(call.action, frame, self._session.input_state.pointer)
        reading = self.texts.at_hand(frame, where, call.box) if where else self._focused(call.action)
        windows = await self._receivers(call.action, frame, where)
        contexts = [self._context(call, frame, reading, window, pointing=bool(where)) for window in windows]
        return max(await assessed(call.action, contexts), key=lambda found: found.risk)

    async def _places(self, call: Call, action: Action, frame: Frame) -> Sequence[Place]:
        """Where it would land; a drag lands at both ends."""
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
        """Who would get it, as it is now: a click by its point, keys by the focus. Never empty."""
        if not where:
            return [await self._holder(frame)]
        try:
            found = [await self._session.ports.computer.receiver(point) for point in where]
        except ComputerError:
            # It cannot be seen now, so nothing will be sent either; judged by what the frame told.
            return [_told_by(frame)]
        return list(dict.fromkeys(found))

    async def _holder(self, frame: Frame) -> WindowInfo | None:
        """Who gets keys: as the picture told, or the window that a click of this turn has given the focus."""
        if not self._session.input_state.acted:
            return _told_by(frame)
        meant = self._session.expected.given_focus or _told_by(frame)
        try:
            now = await self._session.ports.computer.receiver(None)
        except ComputerError:
            return meant
        if frame.stack is None or meant is None or (now is not None and now.window_id == meant.window_id):
            return now
        return meant  # who took the focus since is not judged, because nothing is sent there

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


def _told_by(frame: Frame) -> WindowInfo | None:
    """The window with the focus in the frame; a window target that lacks it is given it first."""
    # The console's own window has the focus after a click on Approve; it is given back before anything is sent.
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
            pause = Pause(by=PauseCause.LAPSED_QUESTION, detail="A safety question was not answered in time.")
        case DecisionKind.DENY, DecidedBy.NOBODY:
            status, text = CallStatus.DECLINED, "It needs a human's yes, and nobody can give it here."
        case DecisionKind.DENY, _:
            status, text = CallStatus.DECLINED, "The operator declined this call. Do not try it again another way."
        case _ if decision.rule == "observing-only":
            status, text = CallStatus.OBSERVING, "Not done: observing only."
        case _:
            status, text = CallStatus.DECLINED, "The model's service forbids this call; it was not done."
            detail = call.safety.explanation if call.safety else ""
            pause = Pause(by=PauseCause.PROVIDER_BLOCKED, detail=detail or "The model's service blocked a call.")
    if decision.feedback:
        text = f"{text} The operator says: {decision.feedback}"
    return Handled(result=CallResult(call=call, status=status, text=text), pause=pause)


def _told(status: CallStatus, outcome: Outcome, *, edited: bool) -> str:
    said = "The operator changed this call before it was done." if edited else ""
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
    return f"{said} {told}".strip()
