"""The agent loop: observe, propose, then per call review, grant, act, settle. To be read in one sitting.

What was answered stays with the loop until the model has it, so that a pause at any point loses no answer; whatever a
pause or a stop cuts off is answered too. Ends by returning an outcome, or by Stopping. Called by engine.session.
"""

from __future__ import annotations

from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import DecisionKind, Question, Surface
from operator_console.domain.errors import ProviderRefused
from operator_console.domain.events import EndedOutcome, Message, PauseCause, Proposed
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.intents import Pause
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation, Proposal
from operator_console.engine.acting import Actor
from operator_console.engine.answering import Answerer
from operator_console.engine.approval import Approval
from operator_console.engine.asking import DECLINED, Asker
from operator_console.engine.calls import NOT_DONE, Calls, Handled
from operator_console.engine.channel import Holding, Stopping
from operator_console.engine.desk import Desk
from operator_console.engine.holding import Holder
from operator_console.engine.observing import Observer
from operator_console.engine.proposing import (
    Ending,
    as_recorded,
    came_too_late,
    dropped,
    finished,
    in_words,
    with_change,
)
from operator_console.engine.settling import Sent, Settler
from operator_console.engine.thinking import Thinker

QUESTIONS_NOBODY_ANSWERED = 3


class Loop:
    """One session's loop. `cancelled` says in words what a stop dropped."""

    def __init__(self, desk: Desk, asker: Asker) -> None:
        self._desk = desk
        self._asker = asker
        approval = Approval(desk, asker)
        self.actor = Actor(desk, approval)
        self._calls = Calls(desk, approval, self.actor, Answerer(desk, asker))
        self._thinker = Thinker(desk)
        self._holder = Holder(desk, asker)
        self._settler = Settler(desk)
        self._results: list[CallResult] = []
        self._messages: list[str] = []
        self._observer = Observer(desk)
        self._cut: tuple[Call, int] | None = None
        self.cancelled: tuple[str, ...] = ()

    async def run(self) -> Ending:
        """Turn after turn until it is over. Raises Stopping, and errors that end a run."""
        try:
            while True:
                try:
                    ending = await self._turn()
                except Holding as held:
                    ending = await self._holder.hold(held.intent)
                if ending is not None:
                    return ending
        finally:
            await self._calls.texts.close()

    async def _turn(self) -> Ending | None:
        desk = self._desk
        desk.channel.check()
        if self._cut is not None and await self._late_edit(*self._cut):
            return None
        if limit := desk.meter.limit():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=limit))
        frame, picture = await self._observer.observe(desk.meter.steps + 1)
        proposal = await self._propose(frame, picture)
        if proposal is None:
            return None  # the picture that was asked about is no longer true: look again
        if not proposal.calls:
            return await self._said(proposal)
        return await self._work(proposal, frame)

    async def _propose(self, frame: Frame, picture: Picture) -> Proposal | None:
        desk = self._desk
        step = desk.meter.steps + 1
        self._messages += [*desk.channel.take_messages(), *self._observer.take_notes()]
        observation = Observation(
            frame=frame, picture=picture, results=tuple(self._results), messages=tuple(self._messages)
        )
        await self._calls.texts.begin(frame)
        started_s = desk.clock.monotonic()
        try:
            proposal = await self._thinker.think_unless(self._settler.late(frame), observation, step)
        except ProviderRefused as error:
            raise Holding(Pause(by=PauseCause.PROVIDER_BLOCKED, detail=str(error))) from error
        if proposal is None:
            return None
        self._results, self._messages = [], []
        desk.meter.answered(proposal.usage)
        for late in desk.channel.forget_marks(step):
            desk.recorder.emit(came_too_late(late))
        calls = as_recorded(proposal.calls, [await self._calls.glance(call, frame) for call in proposal.calls])
        desk.recorder.emit(
            Proposed(
                step=step, calls=calls, thoughts=proposal.thoughts, narration=proposal.narration,
                finished=proposal.finished, usage=proposal.usage, raw=desk.recorder.keep_raw(proposal.raw),
                request_bytes=proposal.request_bytes, latency_s=desk.clock.monotonic() - started_s,
            )
        )  # fmt: skip
        return proposal

    async def _work(self, proposal: Proposal, frame: Frame) -> Ending | None:
        step = self._desk.meter.steps
        sent = settled = None
        broken = False
        ending: Ending | None = None
        pause: Pause | None = None
        for place, call in enumerate(proposal.calls):
            try:
                self._desk.channel.check()
                if broken:
                    self._calls.leave(call, step, "an-earlier-call-was-not-done")
                    self._results.append(CallResult(call=call, status=CallStatus.NOT_DONE, text=NOT_DONE))
                    continue
                if sent is not None and sent is not settled:
                    self._say_changed(proposal.calls[sent.call], await self._settler.between(sent))
                    settled = sent
                handled = await self._calls.handle(call, frame, step)
            except (Holding, Stopping) as signal:
                self._cut_off(proposal, place, step, signal)
                raise
            self._results.append(handled.result)
            sent = self._sent(handled, call, frame, step) or sent
            pause = handled.pause or pause
            broken = handled.result.status is not CallStatus.DONE
            ending = finished(handled.result) or ending
        if sent is not None:
            self._say_changed(proposal.calls[sent.call], await self._settler.after(sent))
        return ending or self._enough(pause)

    def _sent(self, handled: Handled, call: Call, frame: Frame, step: int) -> Sent | None:
        if handled.sent is None:
            return None
        return Sent(step=step, call=call.index, action=handled.sent, frame=frame, before=self.actor.before)

    def _say_changed(self, call: Call, changed: bool | None) -> None:
        """What was seen of a call's effect goes to the model with its answer."""
        self._results = [with_change(result, changed) if result.call is call else result for result in self._results]

    def _cut_off(self, proposal: Proposal, place: int, step: int, signal: Holding | Stopping) -> None:
        """Answer the call that a pause or a stop came before, and all after it."""
        rest = proposal.calls[place:]
        kind, rule, why = dropped(signal)
        for number, call in enumerate(rest):
            own = kind if number == 0 or kind is DecisionKind.STOP else DecisionKind.NOT_DONE
            self._calls.leave(call, step, rule, own)
            status = CallStatus.STOPPED if isinstance(signal, Stopping) else CallStatus.NOT_DONE
            self._results.append(CallResult(call=call, status=status, text=why))
        self._cut = (proposal.calls[place], step)
        if isinstance(signal, Stopping):
            self.cancelled = in_words(rest)

    async def _late_edit(self, call: Call, step: int) -> bool:
        """Do a call after all that a pause came before, where the human edited it in that pause."""
        self._cut = None
        if not self._desk.channel.edits(step, call.index):
            return False
        frame, _ = await self._observer.observe(step)
        handled = await self._calls.handle(call, frame, step)
        self._results = [handled.result if result.call is call else result for result in self._results]
        if (sent := self._sent(handled, call, frame, step)) is not None:
            self._say_changed(call, await self._settler.after(sent))
        return True

    def _enough(self, pause: Pause | None) -> Ending | None:
        meter = self._desk.meter
        if meter.unanswered >= QUESTIONS_NOBODY_ANSWERED:
            return EndedOutcome.LIMIT, f"{meter.unanswered} questions in a row had nobody to answer them."
        if pause is not None:
            raise Holding(pause)
        if words := meter.denials():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=words))
        return None

    async def _said(self, proposal: Proposal) -> Ending | None:
        """The model only spoke: it is done, or it wants an answer."""
        if proposal.finished:
            return EndedOutcome.FINISHED, proposal.narration.strip()
        step = self._desk.meter.steps
        question = Question(
            question_id=self._asker.fresh_id(), answer=QuestionKind.TEXT, surface=Surface.CARD,
            text=proposal.narration.strip(), step=step, about="model",
        )  # fmt: skip
        reply = await self._asker.ask(question, self._asker.plain(question))
        answer = "The operator gave no answer." if reply.answer == DECLINED else reply.answer
        self._messages.append(answer)
        self._desk.recorder.emit(Message(text=answer, by="console" if reply.answer == DECLINED else "operator"))
        return self._enough(None)
