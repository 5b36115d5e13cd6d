"""The agent loop: observe, propose, then per call review, grant, act, settle.

The results of a turn's calls are kept until the model has been given them, so that a pause loses none; calls that a
pause or a stop cut off get a result too. The loop ends by returning an outcome or raising Stopping.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.actions import Action, QuestionKind
from operator_console.domain.decisions import Assessment, DecisionKind, Question, Surface
from operator_console.domain.elements import Exposure
from operator_console.domain.errors import ComputerError, ProviderRefused
from operator_console.domain.events import EndedOutcome, Message, Proposed, StoppedAction, Warned
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.intents import Pause
from operator_console.domain.message_texts import notice, trimmed
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation, Proposal
from operator_console.domain.stopping import PauseCause
from operator_console.engine.control_finder import ControlFinder
from operator_console.engine.operator_channel import Holding, Stopping, stronger
from operator_console.engine.pauses import PauseHandler
from operator_console.engine.questions import DECLINED, Asker
from operator_console.engine.screen_text import TargetReader
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import CallTurn
from operator_console.engine.turn.act import Actor
from operator_console.engine.turn.approve import Approval
from operator_console.engine.turn.call_results import (
    EARLIER_NOT_DONE,
    Ending,
    as_recorded,
    as_stopped,
    came_too_late,
    dropped,
    finished,
    with_change,
)
from operator_console.engine.turn.calls import Calls, Handled
from operator_console.engine.turn.calls_without_input import Answerer
from operator_console.engine.turn.observe import FrameMarks, Observer
from operator_console.engine.turn.request_with_retries import ModelRequests
from operator_console.engine.turn.sandbox_calls import with_sandbox_actions
from operator_console.engine.turn.settle import Sent, Settler

QUESTIONS_NOBODY_ANSWERED = 3


class Loop:
    """Runs one session's turns.

    Attributes:
        actor: carries out the approved calls.
        cancelled: the actions that a stop dropped.
    """

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        approval = Approval(session, asker)
        texts = TargetReader(session.ports.reader, session.clock)
        self._controls = ControlFinder(session.ports.elements, session.ports.reader, texts, session.clock)
        self.actor = Actor(session, approval, self._controls)
        self._calls = Calls(session, approval, self.actor, Answerer(session, asker), self._controls)
        self._requests = ModelRequests(session)
        self._pauses = PauseHandler(session, asker)
        self._marks = FrameMarks(session)
        self._settler = Settler(session, self._marks)
        self._results: list[CallResult] = []
        self._messages: list[str] = []
        self._observer = Observer(session, self._controls, self._marks)
        self._cut: tuple[Call, int] | None = None
        self._untouched: tuple[Proposal, Frame] | None = None
        self.cancelled: tuple[StoppedAction, ...] = ()
        self._glances: Sequence[Assessment | None] = ()
        self._worked: tuple[Proposal, Frame] | None = None

    def go_on(self, results: Sequence[CallResult], messages: Sequence[str]) -> None:
        """Begin with the answers to the calls of an earlier run's last turn, and with messages of then."""
        self._results, self._messages = [*results], [*messages]

    async def run(self) -> Ending:
        """Run turns until the session ends. Raises Stopping, and the errors that end a run."""
        try:
            while True:
                try:
                    ending = await self._turn()
                except Holding as held:
                    ending = await self._pauses.hold(held.intent)
                if ending is not None:
                    return ending
        finally:
            await self._marks.close()
            await self._observer.close()
            await self._controls.close()

    async def judged(self, step: int, call: int, action: Action) -> Assessment | None:
        """Policy's assessment of an edited action of the newest turn, for display; None: it is not the newest turn's.

        Raises:
            ComputerError: the target cannot be asked now.
        """
        if self._worked is None or step != self._session.meter.steps:
            return None
        proposal, frame = self._worked
        proposed = next((each for each in proposal.calls if each.index == call), None)
        return None if proposed is None else await self._calls.judged(proposed, action, frame)

    async def _turn(self) -> Ending | None:
        session = self._session
        session.channel.check()
        if self._cut is not None and session.channel.has_edit(self._cut[1], self._cut[0].index):
            return await self._late_edit(*self._cut)
        same = self._untouched is not None and await self._looks_the_same(self._untouched[1])
        untouched, self._untouched, self._cut = self._untouched, None, None
        if untouched is not None and same:
            self._results = []
            # Input is checked against the picture that the model saw: what changes by itself may have changed since.
            session.turn_picture.begin(untouched[1])
            return await self._work(*untouched)
        if limit := session.meter.limit():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=limit))
        frame, picture = await self._observer.observe(session.meter.steps + 1)
        proposal = await self._propose(frame, picture)
        if proposal is None:
            return None  # the picture is outdated: look again
        if not proposal.calls:
            return await self._text_only(proposal)
        return await self._work(proposal, frame)

    async def _propose(self, frame: Frame, picture: Picture) -> Proposal | None:
        session = self._session
        step = session.meter.steps + 1
        self._messages += [*session.channel.take_messages(), *self._observer.take_notes()]
        observation = Observation(
            frame=frame, picture=picture, results=tuple(self._results), messages=tuple(self._messages),
            worked_s=session.meter.working_s,
        )  # fmt: skip
        # Where the application tells about its controls, little is read; what is needed is read then.
        await self._controls.begin(frame, whole=self._observer.exposure is not Exposure.FULL)
        started_s = session.clock.monotonic()
        try:
            proposal = await self._requests.next_turn(observation, self._settler.late(frame), step)
        except ProviderRefused as error:
            raise Holding(Pause(by=PauseCause.PROVIDER_BLOCKED, detail=error.text)) from error
        if proposal is None:
            return None
        proposal = with_sandbox_actions(proposal, session.functions)
        self._results, self._messages = [], []
        usage, cost = session.meter.answered(proposal)
        for late in session.channel.forget_marks(step):
            session.recorder.emit(came_too_late(late))
        for first in proposal.calls[:1]:
            await self._calls.ask_ahead(first, frame)
        self._glances = [await self._calls.glance(call, frame) for call in proposal.calls]
        calls = as_recorded(proposal.calls, self._glances)
        session.recorder.emit(
            Proposed(
                step=step, calls=calls, thoughts=proposal.thoughts, narration=proposal.narration,
                finished=proposal.finished, usage=usage, cost=cost, projection=session.meter.projection,
                raw=session.recorder.keep_raw(proposal.raw),
                told=session.recorder.keep_told(self._requests.given or observation),
                request_bytes=proposal.request_bytes, latency_s=session.clock.monotonic() - started_s,
            )
        )  # fmt: skip
        if session.meter.spending.first_unreported:
            title, detail = notice(NoticeCode.TOKENS_NOT_REPORTED), notice(NoticeCode.COST_NOT_KNOWN)
            session.recorder.emit(Warned(title=title, detail=detail, step=step))
        return proposal

    async def _work(self, proposal: Proposal, frame: Frame) -> Ending | None:
        step = self._session.meter.steps
        self._worked = (proposal, frame)
        sent = settled = None
        broken = False
        ending: Ending | None = None
        pause: Pause | None = None
        try:
            for call in proposal.calls:
                self._session.channel.check()
                if broken:
                    self._calls.leave(call, step, EARLIER_NOT_DONE)
                    text = notice(NoticeCode.EARLIER_CALL_NOT_DONE)
                    self._results.append(CallResult(call=call, status=CallStatus.NOT_DONE, text=text))
                    continue
                if sent is not None and sent is not settled:
                    self._add_change(sent, await self._settler.between(sent))
                    settled = sent
                handled = await self._calls.handle(call, frame, step)
                self._results.append(handled.result)
                sent = self._sent(handled, call, frame, step) or sent
                pause = handled.pause or pause
                broken = handled.result.status is not CallStatus.DONE
                ending = finished(handled.result) or ending
        except (Holding, Stopping) as signal:
            self._cut_off(proposal, len(self._results), frame, signal)
            if isinstance(signal, Stopping):
                raise
            return _ended_or_held(signal, ending, pause)
        return await self._conclude(sent, ending, pause)

    async def _conclude(self, sent: Sent | None, ending: Ending | None, pause: Pause | None) -> Ending | None:
        """Wait for the effect of a turn's last action; then end, pause or go on, as its calls ask for."""
        try:
            if sent is not None:
                self._add_change(sent, await self._settler.after(sent))
        except Holding as held:
            return _ended_or_held(held, ending, pause)
        return ending or self._limit_reached(pause)

    def _sent(self, handled: Handled, call: Call, frame: Frame, step: int) -> Sent | None:
        if handled.sent is None:
            return None
        return Sent(step=step, call=call.index, action=handled.sent, frame=frame, before=self.actor.before)

    def _add_change(self, sent: Sent, changed: bool | None) -> None:
        """Add to a call's result whether the screen changed."""
        self._results = [
            with_change(result, changed) if result.call.index == sent.call else result for result in self._results
        ]

    def _cut_off(self, proposal: Proposal, position: int, frame: Frame, signal: Holding | Stopping) -> None:
        """Answer the call at `position`, which a pause or a stop came before, and all after it."""
        step, rest = self._session.meter.steps, proposal.calls[position:]
        kind, rule, why = dropped(signal)
        for number, call in enumerate(rest):
            own = kind if number == 0 or kind is DecisionKind.STOP else DecisionKind.NOT_DONE
            self._calls.leave(call, step, rule, own)
            status = CallStatus.STOPPED if isinstance(signal, Stopping) else CallStatus.NOT_DONE
            self._results.append(CallResult(call=call, status=status, text=why))
        self._cut = (rest[0], step) if rest else None
        self._untouched = (proposal, frame) if position == 0 else None
        if isinstance(signal, Stopping):
            self.cancelled = as_stopped(rest, self._glances[position:])

    async def _looks_the_same(self, seen: Frame) -> bool:
        """Whether a fresh frame shows the same as `seen`, so that the interrupted turn can be carried out.

        Only after a pause that ended by itself, when the console was briefly too busy to answer the guard, and unless
        there is a new message for the model. The model's answer is kept then because it has been paid for.
        """
        session = self._session
        if not self._pauses.ended_by_itself or session.channel.messages:
            return False
        fresh, _ = await self._observer.observe(session.meter.steps)
        if _surroundings(fresh) != _surroundings(seen):
            return False
        try:
            return await session.channel.run(session.ports.computer.changed(seen)) is False
        except ComputerError:
            return False

    async def _late_edit(self, call: Call, step: int) -> Ending | None:
        """Handle the call that a pause came before after all, because the operator edited it during the pause."""
        frame, _ = await self._observer.observe(step)
        await self._controls.begin(frame)
        self._session.recorder.mark(CallTurn(step=step, call=call.index))
        self._untouched = None
        try:
            handled = await self._calls.handle(call, frame, step)
        except (Holding, Stopping) as signal:
            kind, rule, _ = dropped(signal)
            self._calls.leave(call, step, rule, kind)
            raise
        self._cut = None
        self._results = [handled.result if result.call is call else result for result in self._results]
        return await self._conclude(self._sent(handled, call, frame, step), finished(handled.result), handled.pause)

    def _limit_reached(self, pause: Pause | None) -> Ending | None:
        meter = self._session.meter
        if meter.unanswered >= QUESTIONS_NOBODY_ANSWERED:
            return EndedOutcome.LIMIT, notice(NoticeCode.QUESTIONS_UNANSWERED, count=meter.unanswered)
        if pause is not None:
            raise Holding(pause)
        if words := meter.denials():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=words))
        return None

    async def _text_only(self, proposal: Proposal) -> Ending | None:
        """The model called nothing: it is done, or it wants an answer."""
        if proposal.finished:
            return EndedOutcome.FINISHED, trimmed(proposal.narration)
        step = self._session.meter.steps
        question = Question(
            question_id=self._asker.new_id(), answer=QuestionKind.TEXT, surface=Surface.CARD,
            text=trimmed(proposal.narration), step=step, about="model",
        )  # fmt: skip
        reply = await self._asker.ask(question, self._asker.by_answer(question))
        answer = notice(NoticeCode.NO_ANSWER_GIVEN) if reply.answer == DECLINED else reply.answer
        self._messages.append(answer)
        self._session.recorder.emit(Message(text=answer, by="console" if reply.answer == DECLINED else "operator"))
        return self._limit_reached(None)


def _ended_or_held(held: Holding, ending: Ending | None, pause: Pause | None) -> Ending:
    """The ending that the turn had reached when a hold came.

    Raises:
        Holding: there is none. The turn's own pause is entered where it is the stronger one.
    """
    if ending is not None:
        return ending
    raise held if pause is None else Holding(stronger(held.intent, pause))


def _surroundings(frame: Frame) -> tuple[object, ...]:
    """What must be equal in two frames, besides their pixels, for an action on one to mean the same on the other."""
    return frame.geometry, frame.target, frame.stack, frame.focus, frame.url, frame.covered
