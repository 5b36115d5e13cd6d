"""The provider `openai`: the Responses API with a computer tool.

It keeps the conversation and translates. It never retries or sleeps, and acknowledges safety checks only if the results
say that the operator allowed the call. A turn of text alone ends the task, as it does in the vendor's loop, and so does
`done`; `ask_user` is a question to the operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.openai.answer import ReadAnswer, read_answer, usage_of
from operator_console.providers.openai.client import LostConversation, OpenAIClient
from operator_console.providers.openai.contents import OpenAITurns
from operator_console.providers.openai.model_traits import ComputerTool, traits_of
from operator_console.providers.openai.options import OpenAIOptions
from operator_console.providers.openai.request import Prepared, prepare
from operator_console.providers.shared.history import Conversation, Json
from operator_console.providers.shared.http_client import Answered, stored_answer
from operator_console.providers.shared.own_tools import ZOOM
from operator_console.providers.shared.token_counts import UntoldTokens

_MOST_PICTURES = 500
"""Pictures that the service takes in a request; the limit of turns is far below it."""

_GO_ON = "This is the screen now. Continue the task, or call done."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """What the service has stored: the id of its last answer, and the turns up to and with it."""

    response_id: str
    turns: Sequence[Json]


class OpenAIProvider:
    """One conversation with one OpenAI model."""

    def __init__(
        self,
        *,
        model: str,
        options: OpenAIOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        self._model = model
        self._options = options or OpenAIOptions()
        self._client = OpenAIClient(api_key=api_key, base_url=base_url, timeout_s=self._options.request_timeout_s)
        traits = traits_of(model)
        self._turns = OpenAITurns(detail=traits.detail, screenshot_detail=traits.tool is ComputerTool.COMPUTER)
        self._conversation = self._new_conversation(Brief(task="", instruction=""))
        self._stored: _Stored | None = None
        self._zoom = False
        self._untold = UntoldTokens(usage_of)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return "openai"

    @property
    def model(self) -> str:
        """The model's id."""
        return self._model

    @property
    def image_needs(self) -> ImageNeeds:
        """Limits for the pictures it is sent."""
        return traits_of(self._model).image_needs

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take."""
        return self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        preview = traits_of(self._model).tool is ComputerTool.PREVIEW
        self._turns = replace(self._turns, current_url=preview and brief.browser)
        self._conversation = self._new_conversation(brief)
        self._stored, self._zoom = None, False

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError.

        The next request has all of them, whatever the service has stored: it may have forgotten them.
        """
        self.begin(brief)
        for turn in turns:
            self._take(*self._ask(turn.observation), turn.observation, stored_answer(turn))
        return self._conversation.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
            OperatorError: There is no key.
        """
        asked, prepared = self._ask(observation)
        try:
            made = await self._client.create(*self._request(asked.contents(), prepared.params))
        except LostConversation:
            self._stored = None
            raise
        with self._untold.unless_used([made.body]):
            answer = self._take(asked, prepared, observation, made)
        if self._options.stored_by_service and answer.response_id:
            self._stored = _Stored(response_id=answer.response_id, turns=self._conversation.contents())
        return answer.proposal

    def take_usage(self) -> Usage:
        """Tokens of answers that could not be used, since the last call."""
        return self._untold.take()

    def _ask(self, observation: Observation) -> tuple[Conversation, Prepared]:
        self._offer_zoom(observation)
        keep = self._options.keep_turns
        # Pictures that could be left out are left out with their turns: the beginning of requests then rarely changes.
        asked = self._conversation.ask(
            observation, keep_screenshots=keep, keep_turns=keep, most_pictures=_MOST_PICTURES
        )
        return asked, prepare(self._model, asked.brief, self._options, observation.frame.geometry, zoom=self._zoom)

    def _take(self, asked: Conversation, prepared: Prepared, observation: Observation, made: Answered) -> ReadAnswer:
        """Read an answer and make it part of the conversation."""
        answer = read_answer(
            made.body, observation.frame.geometry, prepared.vocabulary, request_bytes=made.request_bytes
        )
        answered = asked.answered({"items": answer.items}, answer.proposal.calls)
        self._conversation = replace(answered, turns=replace(self._turns, pending=answer.wire_calls))
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _new_conversation(self, brief: Brief) -> Conversation:
        return Conversation(turns=self._turns, brief=brief, go_on=_GO_ON)

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
