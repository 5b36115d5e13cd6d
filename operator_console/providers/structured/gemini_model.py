"""Any Gemini model, through `generateContent` without the computer-use tool."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from operator_console.domain.proposals import Usage
from operator_console.providers.gemini.answer import read_content, usage_of
from operator_console.providers.gemini.client import ONE_PLAIN_ANSWER, GeminiClient
from operator_console.providers.gemini.client import SERVICE as GEMINI
from operator_console.providers.gemini.contents import IMAGE_NEEDS
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_completions import Message
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.structured.chat_models import (
    ON_GRID,
    ChatModel,
    Request,
    Said,
    parts_of,
    split_data_url,
)
from operator_console.providers.structured.options import JsonMode, StructuredOptions

if TYPE_CHECKING:
    from google.genai import types

SERVICE = replace(GEMINI, provider="structured")


class GeminiModel(ChatModel):
    """One connection."""

    points = ON_GRID  # as the models are trained
    image_needs = IMAGE_NEEDS

    def __init__(self, model: str, options: StructuredOptions, *, api_key: str | None, base_url: str | None) -> None:
        self._client = GeminiClient(SERVICE, api_key=api_key, base_url=base_url, timeout_s=options.request_timeout_s)
        super().__init__(model, options, self._client)

    async def request(self, request: Request) -> Answered:
        """One answer. Raises as `ChatModel.request` does."""
        # The first use imports the SDK, which would block the event loop for a second.
        config = await asyncio.to_thread(self._config, request)
        return await self._client.generate(self._model, [_content(one) for one in request.messages], config)

    def read(self, body: bytes) -> Said:
        """What an answer says. Raises as `ChatModel.read` does."""
        read = read_content(body)
        if not read.text:
            raise answers.empty()
        return Said(text=read.text, thoughts=read.thoughts)

    def usage_of(self, body: bytes) -> Usage:
        """The tokens that an answer reports."""
        return usage_of(body)

    def _config(self, request: Request) -> types.GenerateContentConfig:
        from google.genai import types

        return types.GenerateContentConfig(
            system_instruction=request.system or None,
            max_output_tokens=self._options.max_output_tokens,
            response_mime_type=None if request.mode is JsonMode.NONE else "application/json",
            response_json_schema=dict(request.schema) if request.mode is JsonMode.SCHEMA else None,
            thinking_config=types.ThinkingConfig(include_thoughts=True),
            **ONE_PLAIN_ANSWER,
        )


def _content(message: Message) -> dict[str, Any]:
    role = "model" if message["role"] == "assistant" else "user"
    return {"role": role, "parts": [_part(part) for part in parts_of(message)]}


def _part(part: Message) -> dict[str, Any]:
    if part["type"] == "text":
        return {"text": part["text"]}
    mime_type, data = split_data_url(part["image_url"]["url"])
    return {"inlineData": {"mimeType": mime_type, "data": data}}
