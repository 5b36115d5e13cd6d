"""Pauses and hand-overs: all input is released and the gate is shut until a human, or the guard, resumes the session.

Resuming requires a working stop; the loop then captures a fresh frame. In the terminal a pause asks "Continue?". An End
ends the run instead.
"""

from __future__ import annotations

from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import Question, Surface
from operator_console.domain.events import EndedOutcome, HandedBack, HandedOver, Paused, Resumed, Warned
from operator_console.domain.intents import End, HandBack, Intent, Pause, Resume, TakeOver
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.permissions import RevokedBy
from operator_console.domain.stopping import PauseCause
from operator_console.engine.operator_channel import BY_GUARD, PAUSES_THAT_PASS, Hold, Holding, ends, stronger, why_held
from operator_console.engine.questions import Asker
from operator_console.engine.session_context import SessionContext


class PauseHandler:
    """Enters, holds and ends pauses and hand-overs.

    Attributes:
        was_pause: the last hold was a pause: nobody was given the target.
        ended_by_itself: it was one of the guard's that the guard ended; no human had a hand in it.
    """

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        self.was_pause = self.ended_by_itself = False

    async def hold(self, intent: Hold) -> tuple[EndedOutcome, str] | None:
        """Hold until the session is resumed or handed back; an outcome where the run ends instead. Raises Stopping."""
        session = self._session
        self.was_pause = self.ended_by_itself = False
        if isinstance(intent, End):
            return _ended(intent)
        await self._asker.release_and_shut_gate(why_held(intent))
        if (pending := session.channel.take_hold()) is not None:
            intent = await self._changed(intent, pending)
        early = session.channel.take_release()
        session.meter.human_begins()
        try:
            ending = await self._held(intent, early)
        finally:
            session.meter.human_ends()
        if ending is None:
            await session.channel.run(session.ports.guard.set_gate(open_=True), holds=False)
        return ending

    async def _held(self, intent: Hold, early: Resume | HandBack | None) -> tuple[EndedOutcome, str] | None:
        said: Pause | None = None
        while True:
            try:
                if isinstance(intent, End):
                    return _ended(intent)
                if isinstance(intent, TakeOver):
                    return await self._handed_over(early)
                if intent != said:
                    self._session.recorder.emit(Paused(by=intent.by, detail=intent.detail))
                said = intent
                return await self._pause(intent, early)
            except Holding as other:
                self._session.channel.take_hold()
                intent, early = await self._changed(intent, other.intent), None

    async def _changed(self, held: Hold, other: Hold) -> Hold:
        """The stronger one, which the guard is told."""
        intent, session = stronger(held, other), self._session
        if intent != held:
            await session.channel.run(session.ports.guard.set_gate(open_=False, why=why_held(intent)), holds=False)
        return intent

    async def _handed_over(self, early: Resume | HandBack | None) -> tuple[EndedOutcome, str] | None:
        session = self._session
        session.withdraw_ahead()
        session.recorder.emit(HandedOver())
        session.permissions.revoke_all(RevokedBy.TAKE_OVER)

        def accept(intent: Intent) -> HandBack | End | None:
            return intent if isinstance(intent, HandBack | End) else None

        back: HandBack | End | None = early if isinstance(early, HandBack) else None
        while back is None:
            back = await session.channel.reply(accept, None, holds=False)
        if isinstance(back, End):
            return _ended(back)
        session.channel.take_hold()
        session.input_state.forget()
        session.recorder.emit(HandedBack(note=back.note, by_hand=back.by_hand))
        says = notice(NoticeCode.OPERATOR_SAYS, text=back.note) if back.note else ""
        session.channel.messages.append(joined(notice(NoticeCode.DESKTOP_HANDED_BACK), says))
        return None

    async def _pause(self, pause: Pause, early: Resume | HandBack | None) -> tuple[EndedOutcome, str] | None:
        session = self._session
        asks = pause.by is PauseCause.LIMIT or (session.options.continue_question and pause.by not in PAUSES_THAT_PASS)
        while True:
            by = await (self._continue(pause) if asks else self._resumed(pause, early))
            early = None
            if by is None:
                outcome = EndedOutcome.FAILED if pause.by is PauseCause.RECORD else EndedOutcome.LIMIT
                return outcome, pause.detail or notice(NoticeCode.PAUSED_AND_NOT_RESUMED, cause=pause.by.value)
            obstacle = await self._obstacle()
            if obstacle is None:
                break
            session.recorder.emit(obstacle)
        if pause.by is PauseCause.LIMIT:
            session.meter.extend()
        session.input_state.forget()
        self.was_pause, self.ended_by_itself = True, by.startswith(BY_GUARD)
        session.recorder.emit(Resumed(by=by))
        return None

    async def _obstacle(self) -> Warned | None:
        """What prevents resuming; None where nothing does."""
        liveness = self._session.ports.guard.liveness
        if not liveness.live:
            return Warned(
                title=notice(NoticeCode.STOP_NOT_WORKING),
                detail=joined(liveness.detail, notice(NoticeCode.STOP_NEEDED_TO_RESUME)),
            )
        unwritten = await self._session.channel.run(self._session.recorder.write_again(), holds=False)
        if unwritten is not None:
            return Warned(title=notice(NoticeCode.RECORD_STILL_NOT_WRITABLE), detail=unwritten.text)
        return None

    async def _resumed(self, pause: Pause, early: Resume | HandBack | None) -> str:
        def accept(intent: Intent) -> str | None:
            return intent.by if isinstance(intent, Resume) and ends(intent, pause) else None

        if early is not None and (by := accept(early)) is not None:
            return by
        while (by := await self._session.channel.reply(accept, None)) is None:
            continue
        return by

    async def _continue(self, pause: Pause) -> str | None:
        why = pause.detail or notice(NoticeCode.PAUSED_FOR_CAUSE, cause=pause.by.value)
        offer = self._session.meter.offer() if pause.by is PauseCause.LIMIT else notice(NoticeCode.CONTINUE_QUESTION)
        question = Question(
            question_id=self._asker.new_id(), answer=QuestionKind.CONFIRM, surface=Surface.CARD,
            text=joined(why, offer), about="limit",
        )  # fmt: skip
        plain = self._asker.by_answer(question)

        def accept(intent: Intent) -> str | None:
            return "yes" if isinstance(intent, Resume) and ends(intent, pause) else plain(intent)

        reply = await self._asker.ask(question, accept, reopen=False)
        if reply.answer != "yes":
            return None
        return reply.intent.by if isinstance(reply.intent, Resume) else "human"


def _ended(end: End) -> tuple[EndedOutcome, str]:
    words = notice(NoticeCode.ENDED_BY_OPERATOR_WHY, why=end.why) if end.why else notice(NoticeCode.ENDED_BY_OPERATOR)
    return EndedOutcome.FAILED, words
