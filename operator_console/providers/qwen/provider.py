"""The provider `qwen`: a conversation with a Qwen-VL model at an endpoint with chat completions.

It keeps the conversation and translates. It never retries or sleeps. `answer`, `interact` and a turn of text alone are
questions to the operator; `terminate` ends the task.

The generations differ in coordinates and pictures: Qwen2.5-VL writes pixels of the resized picture, whose size the
function tells it; Qwen3-VL is told that the screen has 1000x1000 pixels, whatever the picture. Sources: the
computer-use cookbooks of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import GRID_UNITS, FrameGeometry, NativePoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, CallResult, Observation, Proposal
from operator_console.providers.qwen.actions import Situation, pointer_after_results
from operator_console.providers.qwen.answer import read_answer
from operator_console.providers.qwen.functions import offered, system_text
from operator_console.providers.qwen.options import MAX_PATCHES, Generation, QwenOptions, ToolCalls
from operator_console.providers.shared.chat_completions import (
    MOST_TEXT,
    ChatTurns,
    Message,
    messages_of,
    read_chat,
    usage_of,
)
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from operator_console.providers.shared.smart_resize import SmartResize, Traits

_SERVICE = Service(title="Qwen", provider="qwen", key_variable="QWEN_API_KEY", url_variable="QWEN_BASE_URL")
_GO_ON = "This is the screen now. Continue the task, or terminate it."


_FACTORS = {Generation.QWEN2_5: 28, Generation.QWEN3: 32}
_PATTERNS = (
    (Generation.QWEN2_5, re.compile(r"qwen-?_?2[._-]5", re.IGNORECASE)),
    (Generation.QWEN3, re.compile(r"qwen-?_?3", re.IGNORECASE)),
)


class QwenTraits(Traits):
    """What a generation needs."""

    __slots__ = ()

    def resolution(self, geometry: FrameGeometry) -> Size:
        """The size of the screen that the model is told."""
        if not self.absolute:
            return Size(GRID_UNITS, GRID_UNITS)
        return self.resize.seen(geometry.sent)


def traits_of(model: str, options: QwenOptions) -> QwenTraits:
    """The traits of a model.

    Raises:
        OperatorError: Neither the options nor the name of the model tell its generation.
    """
    generation = options.generation or next((made for made, name in _PATTERNS if name.search(model)), None)
    if generation is None:
        raise OperatorError(
            notice(NoticeCode.MODEL_VERSION_UNKNOWN, model=model),
            remedy=notice(NoticeCode.SET_OPTION, option="generation", provider="qwen"),
        )
    factor = _FACTORS[generation]
    most = options.max_pixels or MAX_PATCHES * factor * factor
    return QwenTraits(
        resize=SmartResize(factor=factor, min_pixels=options.min_pixels, max_pixels=most),
        absolute=generation is Generation.QWEN2_5,
    )


class QwenProvider(ModelProvider[QwenOptions, Conversation]):
    """One conversation with one Qwen model."""

    name = "qwen"
    _conversation: Conversation

    def __init__(
        self, *, model: str, options: QwenOptions | None = None, api_key: str | None = None, base_url: str | None = None
    ) -> None:
        """Does not connect.

        Raises:
            OperatorError: There is no address, or the generation of the model is not known.
        """
        options = options or QwenOptions()
        self._traits = traits_of(model, options)
        self.image_needs = self._traits.resize.image_needs()
        self._endpoint = ChatEndpoint(
            _SERVICE,
            base_url=address_of(_SERVICE, base_url, options.base_url),
            api_key=api_key,
            timeout_s=options.request_timeout_s,
            options=options,
        )
        super().__init__(model, options, self._endpoint, usage_of)

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        turns = ChatTurns(show=self._traits.show, tell=_tell)
        self._conversation = Conversation(turns=turns, brief=brief, go_on=_GO_ON)
        self._pointer: NativePoint | None = None
        self._screen: Size | None = None

    async def answer(self, prompt: str) -> str:
        """As `AnswersPrompts.answer`."""
        answered = await self._endpoint.complete(self._params([{"role": "user", "content": prompt}]))
        return self._text_of(answered, lambda body: read_chat(body, _SERVICE.title).text)

    def _ask(self, observation: Observation) -> Conversation:
        return self._conversation.ask(
            observation,
            keep_screenshots=self._options.keep_screenshots,
            keep_turns=self._options.keep_turns,
            most_text=MOST_TEXT,
        )

    async def _send(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> None:
        made.add(await self._endpoint.complete(self._request(asked, observation.frame.geometry)))

    def _take(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> Proposal:
        geometry, position = observation.frame.geometry, self._position(observation)
        situation = Situation(
            tools=frozenset(tool.name for tool in asked.brief.tools),
            said="",
            pointer=position,
            resolution=self._traits.resolution(geometry),
            browser=asked.brief.browser,
        )
        answer = read_answer(
            made.body,
            lambda values: self._traits.arguments(values, geometry),
            situation,
            request_bytes=made.request_bytes,
        )
        self._conversation = asked.answered(answer.turn, answer.proposal.calls)
        self._pointer, self._screen = position, geometry.native
        return answer.proposal

    def _position(self, observation: Observation) -> NativePoint | None:
        """Where the model's own actions left the pointer; else where it is on the frame."""
        if self._screen != observation.frame.geometry.native:
            return observation.frame.pointer
        left = pointer_after_results(observation.results, self._pointer)
        return left if left is not None else observation.frame.pointer

    def _request(self, asked: Conversation, geometry: FrameGeometry) -> dict[str, Any]:
        functions = offered(asked.brief, self._traits.resolution(geometry))
        native = self._options.tool_calls is ToolCalls.NATIVE
        instruction = asked.brief.instruction
        system = instruction if native else system_text(instruction, functions)
        messages = messages_of(asked.contents(), self._options.keep_screenshots)
        begun: list[Message] = [{"role": "system", "content": system}] if system.strip() else []
        return {**self._params([*begun, *messages]), **({"tools": functions} if native else {})}

    def _params(self, messages: Sequence[Message]) -> dict[str, Any]:
        return {
            "model": self.model,
            "messages": messages,
            "temperature": self._options.temperature,
            "max_tokens": self._options.max_tokens,
        }


def _tell(results: Sequence[tuple[CallResult, str]]) -> str:
    """Results as Qwen's template writes them."""
    return "\n".join(f"<tool_response>\n{text}\n</tool_response>" for _, text in results)
