"""Answers calls that send no input: waiting, looking, reading text, asking the human, finishing.

They need no grant. What this session cannot do is answered "not available".
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.actions import (
    Action,
    AskModel,
    AskOperator,
    CursorPosition,
    Finish,
    QuoteText,
    ReadPage,
    Screenshot,
    Wait,
    Zoom,
)
from operator_console.domain.decisions import DecidedBy, Question, Surface
from operator_console.domain.errors import ComputerError, ConsoleError, ProviderError
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import AnswersPrompts, CallStatus
from operator_console.engine.questions import DECLINED, Asker
from operator_console.engine.session_context import SessionContext
from operator_console.engine.turn.quote_text import cut_short, lines_of

LONGEST_MODEL_WAIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The result for the model."""

    status: CallStatus
    text: str = ""
    output: str = ""
    picture: Picture | None = None


class Answerer:
    """Answers one session's calls that send no input."""

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker

    async def answer(self, action: Action, frame: Frame, step: int, call: int) -> Given:
        """The answer to a C0 action. Raises Holding, Stopping."""
        match action:
            case Wait(duration_s=duration_s):
                waited_s = min(max(duration_s, 0.0), LONGEST_MODEL_WAIT_S)
                await self._session.channel.run(self._session.clock.sleep(waited_s))
                return Given(status=CallStatus.DONE, text=notice(NoticeCode.WAITED, seconds=waited_s))
            case Screenshot():
                return Given(status=CallStatus.DONE)
            case Zoom(region=region):
                return await self._zoom(frame, region)
            case CursorPosition():
                return _cursor(frame)
            case QuoteText():
                return await self._quote(action, frame)
            case ReadPage():
                return await self._read_page(frame)
            case AskOperator():
                return await self._ask(action, step, call)
            case Finish(message=message):
                return Given(status=CallStatus.DONE, text=message)
            case AskModel(prompt=prompt):
                return await self._ask_model(prompt)
            case _:
                return Given(status=CallStatus.FAILED, text=notice(NoticeCode.ACTION_UNAVAILABLE, kind=action.kind))

    async def _zoom(self, frame: Frame, region: Rect) -> Given:
        native = frame.geometry.native
        inside = region.intersect(Rect(0, 0, native.width, native.height))
        if inside.empty:
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.REGION_OUTSIDE_PICTURE))
        ports = self._session.ports
        try:
            picture = await self._session.channel.run(ports.computer.zoom(frame, inside, ports.provider.image_needs))
        except ComputerError as error:
            return Given(status=CallStatus.FAILED, text=error.text)
        self._session.recorder.keep_picture(picture)
        return Given(status=CallStatus.DONE, picture=picture)

    async def _quote(self, action: QuoteText, frame: Frame) -> Given:
        reader = self._session.ports.reader
        if reader is None:
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.READING_UNAVAILABLE))
        try:
            boxes = await self._session.channel.run(reader.read(frame, action.region))
        except ConsoleError as error:
            return Given(status=CallStatus.FAILED, text=error.text)
        text, shortened = cut_short("\n".join(line.text for line in lines_of(boxes)))
        return Given(status=CallStatus.DONE, text=shortened, output=text)

    async def _read_page(self, frame: Frame) -> Given:
        if any(area.untold for area in frame.hidden):
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.PLACE_MAY_SHOW_PASSWORD))
        if any(not area.password for area in frame.hidden):  # which parts of its text are hidden is not told
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.PAGE_IS_PARTLY_HIDDEN))
        try:
            text = await self._session.channel.run(self._session.ports.computer.page_text())
        except ComputerError as error:
            return Given(status=CallStatus.FAILED, text=error.text)
        if text is None:
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.NO_MANAGED_BROWSER))
        return Given(status=CallStatus.DONE, text=cut_short(text)[1], output=text)

    async def _ask_model(self, prompt: str) -> Given:
        provider = self._session.ports.provider
        if not isinstance(provider, AnswersPrompts):
            return Given(status=CallStatus.FAILED, text=notice(NoticeCode.ASKING_MODEL_UNAVAILABLE))
        try:
            said = await self._session.channel.run(provider.answer(prompt))
        except ProviderError as error:
            return Given(status=CallStatus.FAILED, text=error.text)
        finally:
            self._session.meter.spending.add_untold(provider)
        text, shortened = cut_short(said)
        return Given(status=CallStatus.DONE, text=shortened, output=text)

    async def _ask(self, action: AskOperator, step: int, call: int) -> Given:
        question = Question(
            question_id=self._asker.new_id(), answer=action.answer, surface=Surface.CARD, text=action.question,
            choices=action.choices, suggested=action.suggested, step=step, call=call, about="model",
        )  # fmt: skip
        reply = await self._asker.ask(question, self._asker.by_answer(question))
        if reply.answer == DECLINED:
            nobody = reply.by is DecidedBy.NOBODY
            code = NoticeCode.NOBODY_COULD_ANSWER if nobody else NoticeCode.OPERATOR_DECLINED_ANSWER
            return Given(status=CallStatus.DECLINED, text=notice(code))
        return Given(status=CallStatus.DONE, output=reply.answer)


def _cursor(frame: Frame) -> Given:
    if frame.pointer is None:
        return Given(status=CallStatus.FAILED, text=notice(NoticeCode.POINTER_NOT_ON_PICTURE))
    return Given(status=CallStatus.DONE, output=f"{frame.pointer.x},{frame.pointer.y}")
