"""The provider `anthropic`: the Messages API with a computer tool.

It keeps the conversation and translates. It never retries or sleeps. A turn of text alone ends the task, as it
does in the vendor's loop, and so does `done`; `ask_user` is a question to the operator.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.proposals import Brief, Observation, Proposal
from operator_console.providers.anthropic.answer import ReadAnswer, read_answer, read_message, usage_of
from operator_console.providers.anthropic.client import SERVICE, AnthropicClient
from operator_console.providers.anthropic.clouds import CloudClient
from operator_console.providers.anthropic.contents import AnthropicTurns, with_cache_points
from operator_console.providers.anthropic.model_traits import MOST_PICTURES, traits_of
from operator_console.providers.anthropic.options import AnthropicOptions, Cloud
from operator_console.providers.anthropic.request import CACHE_POINTS, Prepared, prepare
from operator_console.providers.shared import answers
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers

_PARTS = 4
"""How many answers make up one turn at most, if the service pauses it."""

_GO_ON = "This is the screen now. Continue the task, or call done."


class AnthropicProvider(ModelProvider[AnthropicOptions, Conversation]):
    """One conversation with one Claude model."""

    name = "anthropic"
    _conversation: Conversation

    def __init__(
        self,
        *,
        model: str,
        options: AnthropicOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        options = options or AnthropicOptions()
        self.image_needs = traits_of(model).image_needs
        if options.cloud is Cloud.UNSET:
            limit_s = options.request_timeout_s
            self._client: AnthropicClient = AnthropicClient(
                SERVICE, api_key=api_key, base_url=base_url, timeout_s=limit_s
            )
        else:
            self._client = CloudClient(options, api_key=api_key, base_url=base_url)
        super().__init__(model, options, self._client, usage_of)

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take, with all its parts."""
        return _PARTS * self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._conversation = Conversation(turns=AnthropicTurns(), brief=brief, go_on=_GO_ON)

    async def answer(self, prompt: str) -> str:
        """As `AnswersPrompts.answer`."""
        asked = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        params = {"model": self.model, "max_tokens": self._options.max_output_tokens}
        return self._text_of(await self._client.create([asked], params, ()), lambda body: read_message([body]).text)

    def _ask(self, observation: Observation) -> Conversation:
        return self._conversation.ask(
            observation,
            keep_screenshots=self._options.keep_screenshots,
            keep_turns=self._options.keep_turns,
            most_pictures=MOST_PICTURES,
        )

    async def _send(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> None:
        """One turn of the model, which is sent again as it is while the service pauses it."""
        prepared = self._prepared(asked, observation)
        messages = with_cache_points(asked.contents(), CACHE_POINTS - 1)
        for _ in range(_PARTS):
            made.add(await self._client.create(messages, prepared.params, prepared.betas))
            answer = self._read(prepared, observation, made)
            if not answer.paused:
                return
            messages = [*messages[: len(messages) - (len(made.bodies) > 1)], answer.content]
        raise answers.cut_off("pause_turn")

    def _take(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> Proposal:
        answer = self._read(self._prepared(asked, observation), observation, made)
        answered = asked.answered(answer.content, answer.proposal.calls)
        self._conversation = replace(answered, turns=AnthropicTurns(toolsets=answer.toolsets))
        return answer.proposal

    def _prepared(self, asked: Conversation, observation: Observation) -> Prepared:
        return prepare(self.model, asked.brief, self._options, observation.frame.geometry)

    def _read(self, prepared: Prepared, observation: Observation, made: TurnAnswers) -> ReadAnswer:
        geometry = observation.frame.geometry
        return read_answer(made.bodies, geometry, prepared.vocabulary, request_bytes=made.request_bytes)
