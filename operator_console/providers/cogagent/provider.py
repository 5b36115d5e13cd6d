"""The provider `cogagent`: rounds of one message each with a CogAgent model at an endpoint with chat completions.

It keeps the history and the variables, and translates. It never retries or sleeps. END ends the task; a turn of text
alone is a question to the operator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Brief, Observation, Proposal
from operator_console.providers.cogagent.answer import read_answer
from operator_console.providers.cogagent.history import History
from operator_console.providers.cogagent.options import CogAgentOptions
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_completions import image_parts, read_chat, usage_of
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.chat_options import EndpointOptions
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers

_SERVICE = Service(
    title="CogAgent", provider="cogagent", key_variable="COGAGENT_API_KEY", url_variable="COGAGENT_BASE_URL"
)
_TEXT_SERVICE = replace(_SERVICE, title="The text model", key_variable="COGAGENT_TEXT_API_KEY")

# The vendor's own server decodes JPEG data URLs only. The model scales each picture to 1120x1120 pixels.
_IMAGE_NEEDS = ImageNeeds(long_edge=2240, max_bytes=1_000_000, mime_type="image/jpeg")


class CogAgentProvider(ModelProvider[CogAgentOptions, History]):
    """One conversation with one CogAgent model."""

    name = "cogagent"
    image_needs = _IMAGE_NEEDS
    _conversation: History

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
        options = options or CogAgentOptions()
        self._endpoint = ChatEndpoint(
            _SERVICE,
            base_url=address_of(_SERVICE, base_url, options.base_url),
            api_key=api_key,
            timeout_s=options.request_timeout_s,
            options=options,
        )
        self._text_endpoint = self._endpoint
        if options.text_base_url:
            self._text_endpoint = ChatEndpoint(
                _TEXT_SERVICE,
                base_url=options.text_base_url,
                api_key=None,
                timeout_s=options.request_timeout_s,
                options=EndpointOptions(),
            )
        super().__init__(model, options, self._endpoint, usage_of)

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._conversation = History(brief=brief)

    def _ask(self, observation: Observation) -> History:
        return self._conversation.ask(observation, keep_steps=self._options.keep_steps)

    async def _send(self, asked: History, observation: Observation, made: TurnAnswers) -> None:
        message = {"role": "user", "content": [_text(asked.message(self._options)), *image_parts(observation.picture)]}
        made.add(await self._endpoint.complete(self._request(self.model, message)))

    def _take(self, asked: History, observation: Observation, made: TurnAnswers) -> Proposal:
        chat = read_chat(made.body, _SERVICE.title)
        if not chat.text.strip():
            raise answers.empty()
        tools = frozenset(tool.name for tool in asked.brief.tools)
        browser = asked.brief.browser
        read = read_answer(chat.text, observation.frame.geometry, asked.values, tools, browser=browser)
        self._conversation = asked.answered(read)
        return Proposal(
            calls=read.calls,
            thoughts="\n".join(filter(None, (chat.thoughts, read.thoughts))),
            narration=read.narration,
            usage=chat.usage,
            raw=made.raw,
            request_bytes=made.request_bytes,
        )

    async def answer(self, prompt: str) -> str:
        """The answer to an LLM operation: that which the model gave along, if it is whole, else the text model's.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        """
        if self._conversation.given:
            return self._conversation.given
        model = self._options.text_model or self.model
        message = {"role": "user", "content": [_text(prompt)]}
        answered = await self._text_endpoint.complete(self._request(model, message))
        return self._text_of(answered, lambda body: read_chat(body, _SERVICE.title).text)

    async def close(self) -> None:
        """Close the connections."""
        await super().close()
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
