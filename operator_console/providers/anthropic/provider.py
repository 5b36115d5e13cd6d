"""The provider `anthropic`: the Messages API with a computer tool.

It keeps the conversation and translates. It never retries or sleeps. A turn of text alone ends the task, as it
does in the vendor's loop, and so does `done`; `ask_user` is a question to the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.anthropic.answer import ReadAnswer, read_answer, usage_of
from operator_console.providers.anthropic.client import AnthropicClient
from operator_console.providers.anthropic.contents import AnthropicTurns, with_cache_points
from operator_console.providers.anthropic.model_traits import MOST_PICTURES, traits_of
from operator_console.providers.anthropic.options import AnthropicOptions
from operator_console.providers.anthropic.request import CACHE_POINTS, prepare
from operator_console.providers.shared import answers
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.token_counts import UntoldTokens

_PARTS = 4
"""How many answers make up one turn at most, if the service pauses it."""

_GO_ON = "This is the screen now. Continue the task, or call done."


def _new_conversation(brief: Brief) -> Conversation:
    return Conversation(turns=AnthropicTurns(), brief=brief, go_on=_GO_ON)


class AnthropicProvider:
    """One conversation with one Claude model."""

    def __init__(
        self,
        *,
        model: str,
        options: AnthropicOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        self._model = model
        self._options = options or AnthropicOptions()
        self._client = AnthropicClient(api_key=api_key, base_url=base_url, timeout_s=self._options.request_timeout_s)
        self._conversation = _new_conversation(Brief(task="", instruction=""))
        self._untold = UntoldTokens(usage_of)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return "anthropic"

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
        """How long one turn may take, with all its parts."""
        return _PARTS * self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._conversation = _new_conversation(brief)

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError."""
        self.begin(brief)
        for turn in turns:
            asked, geometry = self._ask(turn.observation), turn.observation.frame.geometry
            vocabulary = prepare(self._model, brief, self._options, geometry).vocabulary
            self._take(asked, read_answer(answers.recorded_parts(turn.raw), geometry, vocabulary, request_bytes=0))
        return self._conversation.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
            OperatorError: There is no key, or a function of the session cannot be offered.
        """
        asked = self._ask(observation)
        bodies: list[bytes] = []
        with self._untold.unless_used(bodies):
            return self._take(asked, await self._answer(asked, observation.frame.geometry, bodies))

    def _ask(self, observation: Observation) -> Conversation:
        return self._conversation.ask(
            observation,
            keep_screenshots=self._options.keep_screenshots,
            keep_turns=self._options.keep_turns,
            most_pictures=MOST_PICTURES,
        )

    def _take(self, asked: Conversation, answer: ReadAnswer) -> Proposal:
        """Make an answer part of the conversation."""
        answered = asked.answered(answer.content, answer.proposal.calls)
        self._conversation = replace(answered, turns=AnthropicTurns(toolsets=answer.toolsets))
        return answer.proposal

    def take_usage(self) -> Usage:
        """Tokens of answers that could not be used, since the last call."""
        return self._untold.take()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _answer(self, asked: Conversation, geometry: FrameGeometry, bodies: list[bytes]) -> ReadAnswer:
        """One turn of the model, which is sent again as it is while the service pauses it. Its parts go to `bodies`."""
        prepared = prepare(self._model, asked.brief, self._options, geometry)
        messages = with_cache_points(asked.contents(), CACHE_POINTS - 1)
        request_bytes = 0
        for _ in range(_PARTS):
            made = await self._client.create(messages, prepared.params, prepared.betas)
            bodies.append(made.body)
            request_bytes += made.request_bytes
            answer = read_answer(bodies, geometry, prepared.vocabulary, request_bytes=request_bytes)
            if not answer.paused:
                return answer
            messages = [*messages[: len(messages) - (len(bodies) > 1)], answer.content]
        raise answers.cut_off("pause_turn")
