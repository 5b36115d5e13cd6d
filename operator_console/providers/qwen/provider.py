"""The provider `qwen`: a conversation with a Qwen-VL model at an endpoint with chat completions.

It keeps the conversation and translates. It never retries or sleeps. `answer`, `interact` and a turn of text alone are
questions to the operator; `terminate` ends the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from operator_console.domain.errors import RejectedPart
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry, NativePoint, Size
from operator_console.domain.proposals import Brief, Call, CallResult, Observation, PastTurn, Proposal, Usage
from operator_console.providers.qwen.actions import Situation, pointer_after_results
from operator_console.providers.qwen.answer import read_answer
from operator_console.providers.qwen.functions import offered, system_text
from operator_console.providers.qwen.model_traits import traits_of
from operator_console.providers.qwen.options import QwenOptions, ToolCalls
from operator_console.providers.shared.chat_answer import usage_of
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.chat_turns import MOST_TEXT, ChatTurns, messages_of
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.http_client import Answered, stored_answer
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.shared.smaller_requests import smaller
from operator_console.providers.shared.token_counts import UntoldTokens

_SERVICE = Service(title="Qwen", provider="qwen", key_variable="QWEN_API_KEY", url_variable="QWEN_BASE_URL")
_GO_ON = "This is the screen now. Continue the task, or terminate it."


class QwenProvider:
    """One conversation with one Qwen model."""

    def __init__(
        self, *, model: str, options: QwenOptions | None = None, api_key: str | None = None, base_url: str | None = None
    ) -> None:
        """Does not connect.

        Raises:
            OperatorError: There is no address, or the generation of the model is not known.
        """
        self._model = model
        self._options = options or QwenOptions()
        self._traits = traits_of(model, self._options)
        self._endpoint = ChatEndpoint(
            _SERVICE,
            base_url=address_of(_SERVICE, base_url, self._options.base_url),
            api_key=api_key,
            timeout_s=self._options.request_timeout_s,
            options=self._options,
        )
        self._untold = UntoldTokens(usage_of)
        self.begin(Brief(task="", instruction=""))

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return "qwen"

    @property
    def model(self) -> str:
        """The model's id."""
        return self._model

    @property
    def image_needs(self) -> ImageNeeds:
        """Limits for the pictures it is sent."""
        return self._traits.resize.image_needs()

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take."""
        return self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        turns = ChatTurns(show=self._traits.show, tell=_tell)
        self._conversation = Conversation(turns=turns, brief=brief, go_on=_GO_ON)
        self._pointer, self._screen = _nowhere()

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError."""
        self.begin(brief)
        for turn in turns:
            self._take(self._ask(turn.observation), turn.observation, stored_answer(turn))
        return self._conversation.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        """
        asked = self._ask(observation)
        answered = await self._endpoint.complete(self._request(asked, observation.frame.geometry))
        with self._untold.unless_used([answered.body]):
            return self._take(asked, observation, answered)

    def _ask(self, observation: Observation) -> Conversation:
        return self._conversation.ask(
            observation,
            keep_screenshots=self._options.keep_screenshots,
            keep_turns=self._options.keep_turns,
            most_text=MOST_TEXT,
        )

    def _take(self, asked: Conversation, observation: Observation, answered: Answered) -> Proposal:
        """Read an answer and make it part of the conversation."""
        geometry, position = observation.frame.geometry, self._position(observation)
        situation = Situation(
            tools=frozenset(tool.name for tool in asked.brief.tools),
            said="",
            pointer=position,
            resolution=self._traits.resolution(geometry),
            browser=asked.brief.browser,
        )
        answer = read_answer(
            answered.body,
            lambda values: self._traits.arguments(values, geometry),
            situation,
            request_bytes=answered.request_bytes,
        )
        self._conversation = asked.answered(answer.turn, answer.proposal.calls)
        self._pointer, self._screen = position, geometry.native
        return answer.proposal

    def adapt(self, part: RejectedPart) -> str:
        """Send less of the conversation from now on; what is different, "" for nothing."""
        self._options, change = smaller(self._options, part)
        return change

    def take_usage(self) -> Usage:
        """Tokens of answers that could not be used, since the last call."""
        return self._untold.take()

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

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
        return {
            "model": self._model,
            "messages": [*([{"role": "system", "content": system}] if system.strip() else []), *messages],
            "temperature": self._options.temperature,
            "max_tokens": self._options.max_tokens,
            **({"tools": functions} if native else {}),
        }


def _nowhere() -> tuple[NativePoint | None, Size | None]:
    """The position of the pointer, and the size of the screen, before the first turn."""
    return None, None


def _tell(results: Sequence[tuple[CallResult, str]]) -> str:
    """Results as Qwen's template writes them."""
    return "\n".join(f"<tool_response>\n{text}\n</tool_response>" for _, text in results)
