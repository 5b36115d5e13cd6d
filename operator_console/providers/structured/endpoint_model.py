"""Any model at OpenAI, or at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

import os
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Usage
from operator_console.providers.openai.request import traits_of
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_completions import Message, read_chat, usage_of
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.structured.chat_models import ChatModel, Request, Said
from operator_console.providers.structured.options import JsonMode, StructuredOptions

OPENAI = Service(title="OpenAI", provider="structured", key_variable="OPENAI_API_KEY", url_variable="OPENAI_BASE_URL")
COMPATIBLE = Service(
    title="The endpoint", provider="structured", key_variable="STRUCTURED_API_KEY", url_variable="STRUCTURED_BASE_URL"
)
_OPENAI_URL = "https://api.openai.com/v1"
_SCHEMA_NAME = "next_actions"
_MAX_BYTES = 4_000_000


class EndpointModel(ChatModel):
    """One connection."""

    def __init__(
        self, service: Service, model: str, options: StructuredOptions, *, api_key: str | None, base_url: str | None
    ) -> None:
        """Does not connect.

        Raises:
            OperatorError: There is no address.
        """
        self._service = service
        self._is_openai = service is OPENAI
        own = (os.environ.get(OPENAI.url_variable), _OPENAI_URL) if self._is_openai else ()
        self._endpoint = ChatEndpoint(
            service,
            base_url=address_of(service, base_url, *own),
            api_key=api_key,
            timeout_s=options.request_timeout_s,
            options=options,
        )
        self.image_needs = ImageNeeds(pixels=options.max_pixels, max_bytes=_MAX_BYTES)
        if self._is_openai:
            self.image_needs = traits_of(model).image_needs
        super().__init__(model, options, self._endpoint)

    async def request(self, request: Request) -> Answered:
        """One answer. Raises as `ChatModel.request` does."""
        return await self._endpoint.complete(self._params(request))

    def read(self, body: bytes) -> Said:
        """What an answer says. Raises as `ChatModel.read` does."""
        read = read_chat(body, self._service.title, limit_option="max_output_tokens")
        if not read.text.strip():
            raise answers.empty()
        return Said(text=read.text, thoughts=read.thoughts)

    def usage_of(self, body: bytes) -> Usage:
        """The tokens that an answer reports."""
        return usage_of(body)

    def _params(self, request: Request) -> dict[str, Any]:
        messages = [self._detailed(one) for one in request.messages] if self._is_openai else request.messages
        # OpenAI's reasoning models refuse the older name, and many endpoints do not know the newer one.
        limit = "max_completion_tokens" if self._is_openai else "max_tokens"
        begun: list[Message] = [{"role": "system", "content": request.system}] if request.system else []
        params: dict[str, Any] = {
            "model": self._model,
            "messages": [*begun, *messages],
            limit: self._options.max_output_tokens,
        }
        match request.mode:
            case JsonMode.SCHEMA:
                form = {"name": _SCHEMA_NAME, "schema": dict(request.schema), "strict": True}
                params["response_format"] = {"type": "json_schema", "json_schema": form}
            case JsonMode.OBJECT:
                params["response_format"] = {"type": "json_object"}
            case JsonMode.NONE:
                pass
        return params

    def _detailed(self, message: Message) -> Message:
        """The message with pictures to be looked at as they are: points refer to them."""
        if isinstance(message["content"], str):
            return message
        detail = traits_of(self._model).detail
        return {
            **message,
            "content": [
                {**part, "image_url": {**part["image_url"], "detail": detail}} if part["type"] == "image_url" else part
                for part in message["content"]
            ],
        }
