"""The provider `structured`: a conversation with any chat model, which acts on numbered elements of the screen.

It keeps the conversation and the numbers, draws the marks, and translates. It never sleeps. An answer that does not
have the required form is sent back with what is wrong, twice at most; other faults are never retried. A turn without
actions is a question to the operator; the model ends the task with `done`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.errors import RejectedPart
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Observation, PastTurn, Proposal, Usage
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_completions import Message
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from operator_console.providers.spec import ScreenElements, ScreenReader
from operator_console.providers.structured.actions import Situation, calls_of
from operator_console.providers.structured.answer import Answer, NotInForm, read_answer
from operator_console.providers.structured.chat_models import ChatModel, Request, Said
from operator_console.providers.structured.fallbacks import Attempts, refused_attempt
from operator_console.providers.structured.marks import Canvas, Marked, draw_marks
from operator_console.providers.structured.numbered_elements import ElementSources, Numbers, Screen
from operator_console.providers.structured.options import JsonMode, StructuredOptions
from operator_console.providers.structured.prompt import (
    instruction,
    new_turns,
    request_messages,
    said,
    schema,
    screen_text,
)

REPAIRS = 2
"""How often an answer that does not have the required form is sent back."""

_GO_ON = "Continue the task, or ask for done."
_NEXT_MODE = {JsonMode.SCHEMA: JsonMode.OBJECT, JsonMode.OBJECT: JsonMode.NONE}
_REPAIR = (
    "This answer does not have the required form, and nothing was done. {problem}\n"
    "Answer again, with one JSON object of the required form and nothing else."
)


_Asked: TypeAlias = tuple[Conversation, Screen]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A frame with its elements, and the picture with their marks.

    Attributes:
        numbers: as they are once the model is told these.
    """

    frame: Frame
    picture: Picture
    numbers: Numbers
    screen: Screen
    marked: Marked


class StructuredProvider(ModelProvider[StructuredOptions, _Asked]):
    """One conversation with one model. Implements `MarksElements`, too."""

    name = "structured"
    _conversation: Conversation

    def __init__(
        self,
        model: str,
        connection: ChatModel,
        *,
        options: StructuredOptions | None = None,
        elements: ScreenElements | None = None,
        reader: ScreenReader | None = None,
    ) -> None:
        """Does not connect. `elements` and `reader` tell what is on the screen, as far as they are available."""
        options = options or StructuredOptions()
        self._chat = connection
        self.image_needs = connection.image_needs
        self._sources = ElementSources.of(options.elements, elements, reader)
        super().__init__(model, options, connection, connection.usage_of)

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take, with all repairs."""
        return (1 + REPAIRS) * self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        turns = new_turns(self._chat.points.show, images=self._options.images)
        self._conversation = Conversation(turns=turns, brief=brief, go_on=_GO_ON)
        self._numbers = Numbers()
        self._seen: _Seen | None = None
        self._acted_on = Screen()
        self._attempts: Attempts | None = None

    async def answer(self, prompt: str) -> str:
        """As `AnswersPrompts.answer`."""
        asked: Message = {"role": "user", "content": prompt}
        request = Request(system="", messages=[asked], schema={}, mode=JsonMode.NONE)
        return self._text_of(await self._chat.request(request), lambda body: self._chat.read(body).text)

    async def marks(self, frame: Frame, picture: Picture) -> Sequence[ElementMark]:
        """The marks that it draws on this picture of the frame; none where no element is known.

        Numbers count as given once the model is asked, so those of a frame that never came are not used up.
        """
        return (await self._look(frame, picture)).marked.marks

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn, or try another way to act on an element, which asks the model for nothing.

        After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
            OperatorError: There is no key.
        """
        seen = await self._look(observation.frame, observation.picture)
        self._numbers = seen.numbers
        attempts = self._attempts or refused_attempt(observation, self._acted_on)
        if attempts is not None:
            if (found := attempts.next(observation, seen.screen)) is not None:
                self._attempts, calls = found
                return Proposal(calls=calls)
            observation = attempts.ended(observation) if attempts is self._attempts else observation
        return await super().propose(observation)

    def _ask(self, observation: Observation) -> _Asked:
        """The elements of earlier runs' screens are not kept, so their lists are left out and numbers are unknown."""
        seen, screen = self._seen, Screen()
        if seen is not None and seen.frame is observation.frame:
            observation, screen = replace(observation, picture=seen.marked.picture), seen.screen
        text = screen_text(observation.frame, screen)
        turns = new_turns(self._chat.points.show, images=self._options.images, screen=text)
        asked = replace(self._conversation, turns=turns).ask(
            observation, keep_screenshots=self._options.keep_screenshots, keep_turns=self._options.keep_turns
        )
        return asked, screen

    def _take(self, asked: _Asked, observation: Observation, made: TurnAnswers) -> Proposal:
        """Read the answers of a turn, the last of which has the required form, and make them part of the conversation.

        Raises:
            ProviderRefused, ProviderRejected, ProviderMalformed: The last answer cannot be used.
        """
        conversation, screen = asked
        last = self._chat.read(made.body)
        try:
            answer = read_answer(last.text, browser=conversation.brief.browser)
        except NotInForm as error:
            raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), str(error)) from error
        points, geometry, page = self._chat.points, observation.frame.geometry, observation.frame.page
        situation = Situation(
            page=page,
            tools=frozenset(tool.name for tool in conversation.brief.tools),
            screen=screen,
            geometry=geometry,
            arguments_of=lambda values: points.arguments_of(values, geometry),
        )
        calls = calls_of(answer, situation)
        self._conversation = conversation.answered({"messages": [said(last.text)]}, calls)
        self._acted_on, self._attempts = screen, None
        return Proposal(
            calls=calls,
            thoughts=_thoughts(last, answer),
            narration=answer.next_goal,
            usage=sum(map(self._chat.usage_of, made.bodies), Usage()),
            raw=made.raw,
            request_bytes=made.request_bytes,
        )

    def _replay(self, turn: PastTurn) -> Proposal:
        proposal = super()._replay(turn)
        for call in proposal.calls:
            self._numbers.skip(json.loads(call.arguments_json).get("index"))
        return proposal

    def adapt(self, part: RejectedPart) -> str:
        """Send less, or ask for the form of answers in another way, from now on; what is different, "" for nothing."""
        mode = _NEXT_MODE.get(self._options.json_mode)
        if part is not RejectedPart.FORM or mode is None:
            return super().adapt(part)
        self._options = self._options.model_copy(update={"json_mode": mode})
        return notice(NoticeCode.OTHER_JSON_MODE_FROM_NOW, mode=mode.value)

    async def _look(self, frame: Frame, picture: Picture) -> _Seen:
        """The elements of a frame and the marked picture; the same for the same frame, so that numbers stay.

        For another one the elements are asked for anew. What was drawn for an expected one is used if all is the same.
        """
        seen = self._seen
        if seen is None or seen.frame is not frame:
            drawn = seen if seen is not None and seen.picture == picture else None
            numbers = replace(self._numbers)
            screen, canvas = await asyncio.gather(
                self._sources.screen(frame, numbers, self._options.max_elements),
                asyncio.to_thread(Canvas.of, picture, frame) if drawn is None else _nothing(),
            )
            if drawn is not None and drawn.screen.numbered == screen.numbered:
                marked = drawn.marked
            else:
                if canvas is None:
                    canvas = await asyncio.to_thread(Canvas.of, picture, frame)
                marked = await asyncio.to_thread(draw_marks, canvas, screen.numbered, self.image_needs.max_bytes)
            self._seen = seen = _Seen(frame=frame, picture=picture, numbers=numbers, screen=screen, marked=marked)
        return seen

    async def _send(self, asked: _Asked, observation: Observation, made: TurnAnswers) -> None:
        """Ask until an answer has the required form.

        Raises:
            ProviderMalformed: There was none after all repairs.
        """
        conversation, _ = asked
        options, brief = self._options, conversation.brief
        messages = request_messages(conversation.contents(), options.keep_screenshots)
        system = instruction(brief, images=options.images, scale=self._chat.points.scale)
        problem = ""
        while len(made.bodies) <= REPAIRS:
            request = Request(system=system, messages=messages, schema=schema(brief), mode=options.json_mode)
            text = self._chat.read(made.add(await self._chat.request(request))).text
            try:
                read_answer(text, browser=brief.browser)
            except NotInForm as error:
                problem = str(error)
            else:
                return
            back = {"role": "user", "content": [{"type": "text", "text": _REPAIR.format(problem=problem)}]}
            messages = [*messages, said(text), back]
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), problem)


async def _nothing() -> None:
    return None


def _thoughts(last: Said, answer: Answer) -> str:
    told = [last.thoughts, answer.thinking]
    if answer.evaluation:
        told.append(f"Last step: {answer.evaluation}")
    if answer.memory:
        told.append(f"Memory: {answer.memory}")
    return "\n".join(filter(None, told))
