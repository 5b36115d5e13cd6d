"""Any Claude model, through the Messages API without a computer tool."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from operator_console.domain.proposals import Usage
from operator_console.providers.anthropic.answer import read_message, usage_of
from operator_console.providers.anthropic.client import SERVICE as ANTHROPIC
from operator_console.providers.anthropic.client import AnthropicClient
from operator_console.providers.anthropic.model_traits import traits_of
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_completions import Message
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.structured.chat_models import ChatModel, Request, Said, parts_of, split_data_url
from operator_console.providers.structured.options import JsonMode, StructuredOptions

SERVICE = replace(ANTHROPIC, provider="structured")


class AnthropicModel(ChatModel):
    """One connection."""

    def __init__(self, model: str, options: StructuredOptions, *, api_key: str | None, base_url: str | None) -> None:
        self._traits = traits_of(model)
        self.image_needs = self._traits.image_needs
        self._client = AnthropicClient(SERVICE, api_key=api_key, base_url=base_url, timeout_s=options.request_timeout_s)
        super().__init__(model, options, self._client)

    async def request(self, request: Request) -> Answered:
        """One answer. Raises as `ChatModel.request` does."""
        messages = [_message(one) for one in request.messages]
        return await self._client.create(messages, self._params(request), ())

    def read(self, body: bytes) -> Said:
        """What an answer says. Raises as `ChatModel.read` does."""
        read = read_message([body])
        if read.paused:
            raise answers.cut_off("pause_turn")
        if not read.text:
            raise answers.empty()
        return Said(text=read.text, thoughts=read.thoughts)

    def usage_of(self, body: bytes) -> Usage:
        """The tokens that an answer reports."""
        return usage_of(body)

    def _params(self, request: Request) -> dict[str, Any]:
        params: dict[str, Any] = {
            "model": self._model,
            "max_tokens": self._options.max_output_tokens,
        }
        if request.system:
            params["system"] = [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]
        if self._traits.adaptive_thinking:
            params["thinking"] = {"type": "adaptive", "display": "summarized"}
        if request.mode is JsonMode.SCHEMA:  # there is no mode for JSON alone
            params["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        return params


def _message(message: Message) -> dict[str, Any]:
    return {"role": message["role"], "content": [_block(part) for part in parts_of(message)]}


def _block(part: Message) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    media_type, data = split_data_url(part["image_url"]["url"])
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": media_type, "data": data},
        # Points refer to the picture: an error is better than that the service scales it unseen.
        "transformations": {"oversized_image": "error"},
    }
