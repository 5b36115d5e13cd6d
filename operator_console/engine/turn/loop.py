"""The agent loop: observe, propose, then the step, which handles the calls of the answer.

The results of a turn's calls are kept until the model has been given them, so that a pause loses none; calls that a
pause or a stop cut off get a result too. The loop ends by returning an outcome or raising Stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.actions import Action, QuestionKind, TypeText
from operator_console.domain.decisions import Assessment, Question, Surface
from operator_console.domain.elements import FIELDS, Exposure, Role
from operator_console.domain.errors import ComputerError, ProviderRefused
from operator_console.domain.events import EndedOutcome, Message, Proposed, Warned
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.intents import Pause
from operator_console.domain.message_texts import notice, trimmed
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, Observation, Proposal
from operator_console.domain.stopping import PauseCause
from operator_console.engine.action_wording import exact_text
from operator_console.engine.control_finder import ControlFinder
from operator_console.engine.hidden_texts import is_password, passwords_of
from operator_console.engine.operator_channel import Holding, stronger
from operator_console.engine.pauses import PauseHandler
from operator_console.engine.questions import DECLINED, Asker
from operator_console.engine.screen_text import TargetReader
from operator_console.engine.session_context import SessionContext
from operator_console.engine.turn.assess import Assessed
from operator_console.engine.turn.call_results import (
    Ending,
    as_recorded,
    came_too_late,
)
from operator_console.engine.turn.observe import Observer
from operator_console.engine.turn.request_with_retries import ModelRequests
from operator_console.engine.turn.settle import Settler
from operator_console.engine.turn.step import Step, Turn
from operator_console.engine.turn.typed_text_check import with_text_in_field

QUESTIONS_NOBODY_ANSWERED = 3


class Loop:
    """Runs one session's turns.

    Attributes:
        turn: the newest turn with what has happened in it; None: the model has not answered yet.
    """

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        texts = TargetReader(session.ports.reader, session.clock)
        self._controls = ControlFinder(session.ports.elements, session.ports.reader, texts, session.clock)
        self._observer = Observer(session, self._controls)
        self._settler = Settler(session, self._observer)
        self._step = Step(session, asker, self._controls, self._settler)
        self._requests = ModelRequests(session)
        self._pauses = PauseHandler(session, asker)
        self.turn: Turn | None = None
        self._past: Sequence[CallResult] = ()
        self._messages: list[str] = []

    def go_on(self, results: Sequence[CallResult], messages: Sequence[str]) -> None:
        """Begin with the answers to the calls of an earlier run's last turn, and with messages of then."""
        self._past, self._messages = results, [*messages]

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
            await self._observer.close()
            await self._controls.close()

    async def judged(self, step: int, call: int, action: Action) -> Assessment | None:
        """Policy's assessment of an edited action of the newest turn, for display; None: it is not the newest turn's.

        Raises:
            ComputerError: the target cannot be asked now.
        """
        turn = self.turn
        if turn is None or step != turn.step:
            return None
        proposed = next((each for each in turn.proposal.calls if each.index == call), None)
        return None if proposed is None else await self._step.judged(proposed, action, turn.frame)

    async def _turn(self) -> Ending | None:
        session, last = self._session, self.turn
        session.channel.check()
        if last is not None and last.cut is not None:
            if session.channel.has_edit(last.step, last.cut.index):
                return await self._late_edit(last, last.cut)
            same = last.untouched and await self._looks_the_same(last.frame)
            self.turn = replace(last, cut=None)
            if same:
                # Input is checked against the picture that the model saw: what changes by itself may have changed.
                session.turn_picture.begin(last.frame)
                return await self._work(replace(last, results=(), signal=None, cut=None, untouched=False))
        if limit := session.meter.limit():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=limit))
        frame, picture = await self._observer.observe(session.meter.steps + 1)
        if last is not None and self.turn is not None:
            self.turn = await session.channel.run(with_text_in_field(session, self._controls, self.turn, frame))
        turn = await self._propose(frame, picture)
        if turn is None:
            return None  # the picture is outdated: look again
        self.turn = turn
        if not turn.proposal.calls:
            return await self._text_only(turn.proposal)
        return await self._work(turn)

    async def _propose(self, frame: Frame, picture: Picture) -> Turn | None:
        """Ask the model for its next turn, and record it; None where the picture became outdated."""
        session = self._session
        step = session.meter.steps + 1
        self._messages += [*session.channel.take_messages(), *self._observer.take_notes()]
        observation = Observation(
            frame=frame, picture=picture, results=tuple(self._past if self.turn is None else self.turn.results),
            messages=tuple(self._messages), worked_s=session.meter.working_s,
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
        self._messages = []
        usage, cost = session.meter.answered(proposal)
        for late in session.channel.forget_marks(step):
            session.recorder.emit(came_too_late(late))
        glances = await self._step.glances(proposal, frame)
        await self._hide_passwords(proposal, frame, glances)
        turn = Turn(step=step, proposal=proposal, frame=frame, glances=glances)
        calls = as_recorded(proposal.calls, turn.assessments)
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
        return turn

    async def _hide_passwords(self, proposal: Proposal, frame: Frame, glances: Sequence[Assessed | None]) -> None:
        """Keep the passwords of a turn out of the record, before it is recorded."""
        hidden, fields = self._session.hidden, self._observer.password_fields
        for glance in glances:
            if glance is not None and is_password(glance.action, glance.assessment):
                hidden.add(exact_text(glance.action))
        if not fields or not any(isinstance(call.action, TypeText) for call in proposal.calls):
            return
        control = await self._controls.focused(frame, frame.front, has_focus=frame.focus_in_target, changed=False)
        role = Role.UNKNOWN if control is None else control.control.role
        focused = role is Role.PASSWORD_FIELD if role in FIELDS else None
        for text in passwords_of(proposal, fields, focused=focused):
            hidden.add(text)

    async def _work(self, turn: Turn) -> Ending | None:
        self.turn = turn  # whose action may be edited meanwhile
        return await self._conclude(await self._step.run(turn))

    async def _conclude(self, turn: Turn) -> Ending | None:
        """Wait for the effect of a turn's last action; then end, pause or go on, as its calls ask for."""
        self.turn = turn
        try:
            if turn.signal is not None:
                raise turn.signal
            if turn.sent is not None:
                self.turn = turn.with_change(await self._settler.after(turn.sent))
        except Holding as held:
            return _ended_or_held(held, turn.ending, turn.pause)
        return turn.ending or self._limit_reached(turn.pause)

    async def _looks_the_same(self, seen: Frame) -> bool:
        """Whether a fresh frame shows the same as `seen`, so that the interrupted turn can go on.

        Only after a pause that ended by itself, when the console was briefly too busy to answer the guard, or that came
        into a question, which is put again; and unless there is a new message for the model. The model's answer is kept
        then because it has been paid for. That the console has the keyboard makes no difference: who resumes there has
        clicked it.
        """
        session = self._session
        asked = self._pauses.was_pause and self._asker.withdrawn == session.meter.steps
        if not (self._pauses.ended_by_itself or asked) or session.channel.messages:
            return False
        fresh, _ = await self._observer.observe(session.meter.steps)
        focus = fresh.focus == seen.focus or (fresh.focus is not None and fresh.focus.own)
        if not focus or _surroundings(fresh) != _surroundings(seen):
            return False
        try:
            return await session.channel.run(session.ports.computer.changed(seen)) is False
        except ComputerError:
            return False

    async def _late_edit(self, turn: Turn, call: Call) -> Ending | None:
        """Handle the call that a pause came before after all, because the operator edited it during the pause."""
        frame, _ = await self._observer.observe(turn.step)
        await self._controls.begin(frame)
        return await self._conclude(await self._step.run_late(replace(turn, frame=frame), call))

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
    """What must be equal in two frames, besides pixels and focus, for an action to mean the same on both."""
    return frame.geometry, frame.target, frame.stack, frame.url, frame.covered
