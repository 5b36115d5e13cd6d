"""The provider `openai`: the Responses API with a computer tool.

It keeps the conversation and translates. It never retries or sleeps, and acknowledges safety checks only if the results
say that the operator allowed the call. A turn of text alone ends the task, as it does in the vendor's loop, and so does
`done`; `ask_user` is a question to the operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal
from operator_console.providers.openai.answer import read_answer, read_text, usage_of
from operator_console.providers.openai.client import SERVICE, LostConversation, OpenAIClient
from operator_console.providers.openai.clouds import AzureClient, OpenRouterClient
from operator_console.providers.openai.contents import OpenAITurns
from operator_console.providers.openai.options import Cloud, OpenAIOptions
from operator_console.providers.openai.request import ComputerTool, Prepared, prepare, traits_of
from operator_console.providers.shared.history import Conversation, Json
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from operator_console.providers.shared.own_tools import ZOOM

_MOST_PICTURES = 500
"""Pictures that the service takes in a request; the limit of turns is far below it."""

_IN_WORDS = "Answer with text alone."
_GO_ON = "This is the screen now. Continue the task, or call done."


_Asked: TypeAlias = tuple[Conversation, Prepared]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """What the service has stored: the id of its last answer, and the turns up to and with it."""

    response_id: str
    turns: Sequence[Json]


class OpenAIProvider(ModelProvider[OpenAIOptions, _Asked]):
    """One conversation with one OpenAI model."""

    name = "openai"
    _conversation: Conversation

    def __init__(
        self,
        *,
        model: str,
        options: OpenAIOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        options, self._traits = options or OpenAIOptions(), traits_of(model)
        self.image_needs = self._traits.image_needs
        match options.cloud:
            case Cloud.AZURE:
                self._client: OpenAIClient = AzureClient(options, api_key=api_key, base_url=base_url)
            case Cloud.OPENROUTER:
                self._client = OpenRouterClient(options, api_key=api_key, base_url=base_url)
            case Cloud.UNSET:
                limit_s = options.request_timeout_s
                self._client = OpenAIClient(SERVICE, api_key=api_key, base_url=base_url, timeout_s=limit_s)
        super().__init__(model, options, self._client, usage_of)

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        has_computer = self._traits.tool is ComputerTool.COMPUTER
        self._turns = OpenAITurns(
            detail=self._traits.detail, screenshot_detail=has_computer, current_url=brief.browser and not has_computer
        )
        self._conversation = Conversation(turns=self._turns, brief=brief, go_on=_GO_ON)
        self._stored: _Stored | None = None
        self._zoom = False

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """As `ModelProvider.resume`. The next request has all turns: the service may have forgotten what it stored."""
        calls = super().resume(brief, turns)
        self._stored = None
        return calls

    async def answer(self, prompt: str) -> str:
        """As `AnswersPrompts.answer`. The preview model, which is for the computer tool alone, cannot."""
        asked = {"role": "user", "content": [{"type": "input_text", "text": prompt}]}
        params: dict[str, Any] = {
            "model": self.model,
            "instructions": _IN_WORDS,
            "max_output_tokens": self._options.max_output_tokens,
            "store": False,
        }
        answered = await self._client.create([asked], params)
        return self._text_of(answered, read_text)

    def _ask(self, observation: Observation) -> _Asked:
        self._offer_zoom(observation)
        keep = self._options.keep_turns
        # Pictures that could be left out are left out with their turns: the beginning of requests then rarely changes.
        asked = self._conversation.ask(
            observation, keep_screenshots=keep, keep_turns=keep, most_pictures=_MOST_PICTURES
        )
        return asked, prepare(self.model, asked.brief, self._options, observation.frame.geometry, zoom=self._zoom)

    async def _send(self, asked: _Asked, observation: Observation, made: TurnAnswers) -> None:
        conversation, prepared = asked
        try:
            made.add(await self._client.create(*self._request(conversation.contents(), prepared.params)))
        except LostConversation:
            self._stored = None
            raise

    def _take(self, asked: _Asked, observation: Observation, made: TurnAnswers) -> Proposal:
        conversation, prepared = asked
        geometry = observation.frame.geometry
        answer = read_answer(made.body, geometry, prepared.vocabulary, request_bytes=made.request_bytes)
        answered = conversation.answered({"items": answer.items}, answer.proposal.calls)
        self._conversation = replace(answered, turns=replace(self._turns, pending=answer.wire_calls))
        if self._options.stored_by_service and answer.response_id:
            self._stored = _Stored(response_id=answer.response_id, turns=self._conversation.contents())
        return answer.proposal

    def _offer_zoom(self, observation: Observation) -> None:
        """Offer zoom once a picture is coarser than the screen, and keep it, because past turns may have called it."""
        geometry = observation.frame.geometry
        taken = {*self._options.excluded_functions, *(tool.name for tool in self._conversation.brief.tools)}
        self._zoom = self._zoom or (geometry.sent != geometry.native and ZOOM not in taken)

    def _request(self, turns: Sequence[Json], params: Mapping[str, Any]) -> tuple[list[Json], Mapping[str, Any]]:
        """The items and parameters of a request; only the new items if the service has stored all others."""
        stored = self._stored
        if stored is None or list(stored.turns) != list(turns[: len(stored.turns)]):
            return _items(turns), params
        return _items(turns[len(stored.turns) :]), {**params, "previous_response_id": stored.response_id}


def _items(turns: Sequence[Json]) -> list[Json]:
    return [item for turn in turns for item in turn["items"]]
