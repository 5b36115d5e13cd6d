"""The provider `cogagent`: rounds of one message each with a CogAgent model at an endpoint with chat completions.

It keeps the history and the variables, and translates. It never retries or sleeps. END ends the task; a turn of text
alone is a question to the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.cogagent.answer import read_answer
from operator_console.providers.cogagent.history import History
from operator_console.providers.cogagent.options import CogAgentOptions
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_answer import read_chat, usage_of
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.chat_options import EndpointOptions
from operator_console.providers.shared.chat_turns import image_parts
from operator_console.providers.shared.http_client import Answered, stored_answer
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.shared.token_counts import UntoldTokens

_SERVICE = Service(
    title="CogAgent", provider="cogagent", key_variable="COGAGENT_API_KEY", url_variable="COGAGENT_BASE_URL"
)
_TEXT_SERVICE = replace(_SERVICE, title="The text model", key_variable="COGAGENT_TEXT_API_KEY")

# The vendor's own server decodes JPEG data URLs only. The model scales each picture to 1120x1120 pixels.
_IMAGE_NEEDS = ImageNeeds(long_edge=2240, max_bytes=1_000_000, mime_type="image/jpeg")


class CogAgentProvider:
    """One conversation with one CogAgent model."""

    def __init__(
        self,
        *,
        model: str,
        options: CogAgentOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect.

        Raises:
            OperatorError: There is no address.
        """
        self._model = model
        self._options = options or CogAgentOptions()
        self._endpoint = ChatEndpoint(
            _SERVICE,
            base_url=address_of(_SERVICE, base_url, self._options.base_url),
            api_key=api_key,
            timeout_s=self._options.request_timeout_s,
            options=self._options,
        )
        self._text_endpoint = self._endpoint
        if self._options.text_base_url:
            self._text_endpoint = ChatEndpoint(
                _TEXT_SERVICE,
                base_url=self._options.text_base_url,
                api_key=None,
                timeout_s=self._options.request_timeout_s,
                options=EndpointOptions(),
            )
        self._history = History(brief=Brief(task="", instruction=""))
        self._untold = UntoldTokens(usage_of)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return "cogagent"

    @property
    def model(self) -> str:
        """The model's id."""
        return self._model

    @property
    def image_needs(self) -> ImageNeeds:
        """Limits for the pictures it is sent."""
        return _IMAGE_NEEDS

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take."""
        return self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._history = History(brief=brief)

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError."""
        self.begin(brief)
        for turn in turns:
            self._take(self._ask(turn.observation), turn.observation, stored_answer(turn))
        return self._history.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        """
        asked = self._ask(observation)
        message = {"role": "user", "content": [_text(asked.message(self._options)), *image_parts(observation.picture)]}
        answered = await self._endpoint.complete(self._request(self._model, message))
        with self._untold.unless_used([answered.body]):
            return self._take(asked, observation, answered)

    def _ask(self, observation: Observation) -> History:
        return self._history.ask(observation, keep_steps=self._options.keep_steps)

    def _take(self, asked: History, observation: Observation, answered: Answered) -> Proposal:
        """Read an answer and make it part of the history."""
        chat = read_chat(answered.body, _SERVICE.title)
        if not chat.text.strip():
            raise answers.empty()
        tools = frozenset(tool.name for tool in asked.brief.tools)
        browser = asked.brief.browser
        read = read_answer(chat.text, observation.frame.geometry, asked.values, tools, browser=browser)
        self._history = asked.answered(read)
        return Proposal(
            calls=read.calls,
            thoughts="\n".join(filter(None, (chat.thoughts, read.thoughts))),
            narration=read.narration,
            usage=chat.usage,
            raw=answered.body,
            request_bytes=answered.request_bytes,
        )

    async def answer(self, prompt: str) -> str:
        """The answer to an LLM operation: that which the model gave along, if it is whole, else the text model's.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        """
        if self._history.given:
            return self._history.given
        model = self._options.text_model or self._model
        message = {"role": "user", "content": [_text(prompt)]}
        answered = await self._text_endpoint.complete(self._request(model, message))
        self._untold.add(answered.body)
        chat = read_chat(answered.body, _SERVICE.title)
        if not chat.text.strip():
            raise answers.empty()
        return chat.text.strip()

    def take_usage(self) -> Usage:
        """Tokens of prompts, and of answers that could not be used, since the last call."""
        return self._untold.take()

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()
        if self._text_endpoint is not self._endpoint:
            await self._text_endpoint.close()

    def _request(self, model: str, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "model": model,
            "messages": [message],
            "temperature": self._options.temperature,
            "top_p": self._options.top_p,
            "max_tokens": self._options.max_tokens,
        }


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
