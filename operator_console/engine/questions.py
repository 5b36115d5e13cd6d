"""Asks the human questions, one at a time, and waits for the answer or the lapse. No answer means "declined".

Before a question everything that the agent holds down is released and the injector's gate is shut, so that no input of
the agent's can answer it.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import DecidedBy, Question, Surface
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Answered, Asked, Message
from operator_console.domain.intents import Answer, Approve, Intent
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, WaitsFor
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.session_context import SessionContext

DECLINED = "declined"
SAFETY_QUESTION_LAPSES_AFTER_S = 60.0
"""An unanswered question in the safety dialog (C3, C4, a provider's own check) counts as "no" after this time, and the
session pauses. The dialog shows its countdown from `Question.timeout_s`, which is set to this value. Questions on the
side card never lapse."""
SEEN_S = 1.0
"""How long a question must have been open before the approve chord counts, which may be meant for an earlier one."""
WITHDRAWN = "withdrawn"
OFFERED = "0"
"""The index of the choice by which a question with choices gives the permission that it offers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How a question ended: the answer as recorded, who gave it, and the intent that gave it (None: no intent).
    `permits`: it was widened to what the question offered."""

    answer: str
    by: DecidedBy
    intent: Intent | None = None
    permits: bool = False


class Asker:
    """Asks one session's questions.

    Attributes:
        open: the question that is open now.
        withdrawn: the step whose action was asked about when the last hold came; None: none was.
    """

    def __init__(self, session: SessionContext) -> None:
        self._session = session
        self.open: Question | None = None
        self.withdrawn: int | None = None
        self._opened_s = 0.0

    @property
    def seen(self) -> bool:
        """Whether the open question has been shown long enough to have been seen."""
        return self.open is not None and self._session.clock.monotonic() - self._opened_s >= SEEN_S

    def new_id(self) -> str:
        """A unique question id."""
        return secrets.token_hex(8)

    async def release_and_shut_gate(self, why: PauseCause | WaitsFor) -> None:
        """Release what the agent holds down and shut the gate; the model is told what was released."""
        ports, channel = self._session.ports, self._session.channel
        released = await channel.run(ports.injector.release_all(), holds=False)
        await channel.run(ports.guard.set_gate(open_=False, why=why), holds=False)
        self._session.input_state.clear_held()
        if released:
            text = notice(NoticeCode.INPUT_RELEASED, count=released)
            channel.messages.append(text)
            self._session.recorder.emit(Message(text=text, by="console"))

    async def ask(self, question: Question, accept: Callable[[Intent], str | None], *, reopen: bool = True) -> Reply:
        """Ask and wait.

        Args:
            question: the question.
            accept: the answer that an intent gives; None where the intent does not answer this question.
            reopen: release input and shut the gate before, and open it afterwards (not in a pause).

        A pause that passes by itself leaves it open: the gate is shut, and nothing needs to be asked twice.

        Raises:
            Holding, Stopping: the question was withdrawn.
        """
        session = self._session
        if reopen:
            await self.release_and_shut_gate(WaitsFor.ANSWER)
        else:
            await session.channel.run(session.ports.guard.set_gate(open_=False, why=WaitsFor.ANSWER), holds=False)
        session.recorder.emit(Asked(question=question, step=question.step, call=question.call))
        started_s = session.clock.monotonic()
        self.withdrawn = question.step if question.action is not None else None
        try:
            reply = await self._wait(question, accept) if session.options.answerable else _nobody()
        except (Holding, Stopping):
            self._answered(question, Reply(answer=WITHDRAWN, by=DecidedBy.NOBODY), started_s)
            raise
        self.withdrawn = None
        self._answered(question, reply, started_s)
        if reply.permits:
            session.permissions.give(question)
        if reply.by is DecidedBy.NOBODY:
            session.meter.unanswered += 1
        elif reply.by is DecidedBy.HUMAN:
            session.meter.unanswered = 0
        if reopen:
            await session.channel.let_pass()
            with contextlib.suppress(Holding):  # the answer counts; the next wait raises it again
                await session.channel.run(session.ports.guard.set_gate(open_=True))
        return reply

    def by_answer(self, question: Question) -> Callable[[Intent], str | None]:
        """An `accept` for questions that only an Answer intent answers: "yes"/"declined", an index, or a text."""

        def accept(intent: Intent) -> str | None:
            if not isinstance(intent, Answer) or intent.question_id != question.question_id:
                return None
            return _valid_answer(question, intent.answer)

        return accept

    async def _wait(self, question: Question, accept: Callable[[Intent], str | None]) -> Reply:
        session = self._session
        by_chord = question.surface is Surface.CARD and question.about == "review"
        session.meter.human_begins()
        self.open = question
        self._opened_s = session.clock.monotonic()
        try:
            if by_chord:
                await session.channel.run(session.ports.guard.set_review_open(True), holds=False)
            deadline = None if question.timeout_s is None else session.clock.sleep(question.timeout_s)
            found = await session.channel.reply(lambda i: _paired(accept(i), i), deadline, passing=False)
            if found is None:
                return Reply(answer=DECLINED, by=DecidedBy.LAPSE)
            nobody = isinstance(found[1], Answer) and found[1].nobody
            by = DecidedBy.NOBODY if nobody else DecidedBy.HUMAN
            permits = by is DecidedBy.HUMAN and _permits(question, *found)
            return Reply(answer=found[0], by=by, intent=found[1], permits=permits)
        finally:
            self.open = None
            session.meter.human_ends()
            if by_chord and session.channel.stop is None:
                with contextlib.suppress(OperatorError):  # the guard is gone; the next wait raises its stop
                    await session.channel.run(session.ports.guard.set_review_open(False), holds=False)

    def _answered(self, question: Question, reply: Reply, started_s: float) -> None:
        took_s = self._session.clock.monotonic() - started_s
        self._session.recorder.emit(
            Answered(
                question_id=question.question_id, answer=reply.answer, by=reply.by, took_s=took_s,
                step=question.step, call=question.call, permits=reply.permits,
            )
        )  # fmt: skip


def _permits(question: Question, answer: str, intent: Intent) -> bool:
    """Whether an answer gives the permission that the question offered: a yes that says so, or the choice of it."""
    if question.offer is None:
        return False
    if question.answer is QuestionKind.CHOOSE:
        return answer == OFFERED
    return answer == "yes" and isinstance(intent, Answer | Approve) and intent.permits


def _paired(answer: str | None, intent: Intent) -> tuple[str, Intent] | None:
    return None if answer is None else (answer, intent)


def _nobody() -> Reply:
    return Reply(answer=DECLINED, by=DecidedBy.NOBODY)


def _valid_answer(question: Question, answer: str | None) -> str | None:
    if answer is None:
        return DECLINED
    match question.answer:
        case QuestionKind.CONFIRM:
            return "yes" if answer == "yes" else DECLINED
        case QuestionKind.CHOOSE:
            return answer if answer.isascii() and answer.isdecimal() and int(answer) < len(question.choices) else None
        case QuestionKind.TEXT:
            return answer
