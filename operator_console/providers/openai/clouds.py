"""Connections to OpenAI's models on Azure and OpenRouter with the vendor's SDK.

Azure serves the same paths below `/openai/v1` of a resource's address, and takes a key or a token of Microsoft Entra
ID, which its own library gets with the credentials that Azure's tools keep. `model` is the name of the deployment.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.openai.client import OpenAIClient
from operator_console.providers.openai.options import OpenAIOptions
from operator_console.providers.shared.clouds import not_configured
from operator_console.providers.shared.http_faults import Service, no_key

if TYPE_CHECKING:
    from azure.identity import DefaultAzureCredential

_AZURE = Service(
    title="Azure OpenAI",
    provider="openai",
    key_variable="AZURE_OPENAI_API_KEY",
    url_variable="AZURE_OPENAI_ENDPOINT",
    sign_in=NoticeCode.SIGN_IN_TO_AZURE,
)
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
_OPENROUTER = Service(title="OpenRouter", provider="openai", key_variable="OPENROUTER_API_KEY", url_variable="")
_OPENROUTER_URL = "https://openrouter.ai/api/v1"


class AzureClient(OpenAIClient):
    """One connection to a resource of Azure."""

    def __init__(self, options: OpenAIOptions, *, api_key: str | None, base_url: str | None) -> None:
        """Does not connect. Raises OperatorError: neither `base_url` nor the environment names a resource."""
        address = (base_url or os.environ.get(_AZURE.url_variable, "")).strip().rstrip("/")
        if not address:
            raise not_configured(_AZURE, notice(NoticeCode.CLOUD_ENDPOINT_UNKNOWN))
        if not address.endswith("/v1"):
            address = f"{address.removesuffix('/openai')}/openai/v1"
        super().__init__(_AZURE, api_key=api_key, base_url=address, timeout_s=options.request_timeout_s)
        self._found: DefaultAzureCredential | None = None

    async def close(self) -> None:
        """Close the connections."""
        found, self._found = self._found, None
        if found is not None:
            await asyncio.to_thread(found.close)
        await super().close()

    def _credentials(self) -> str | Callable[[], Awaitable[str]]:
        if self._api_key:
            return self._api_key
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider

        self._found = DefaultAzureCredential()
        current = get_bearer_token_provider(self._found, _AZURE_SCOPE)

        async def token() -> str:
            return await asyncio.to_thread(current)  # it may run the command-line tools

        return token


class OpenRouterClient(OpenAIClient):
    """One connection to OpenRouter."""

    def __init__(self, options: OpenAIOptions, *, api_key: str | None, base_url: str | None) -> None:
        """Does not connect."""
        address = base_url or _OPENROUTER_URL
        super().__init__(_OPENROUTER, api_key=api_key, base_url=address, timeout_s=options.request_timeout_s)

    def _credentials(self) -> str:
        if not self._api_key:  # the SDK would take that of OpenAI
            raise no_key(self._service)
        return self._api_key
