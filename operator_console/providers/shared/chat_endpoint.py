"""A connection to an endpoint with OpenAI's chat completions, such as vLLM, llama.cpp, Ollama, LM Studio or Ark.

The `openai` SDK is used without retries; errors become ProviderErrors. Variables that are meant for OpenAI's own
service (OPENAI_API_KEY, OPENAI_BASE_URL ...) are not used, so that no key of OpenAI gets to another endpoint.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from operator_console.domain.errors import OperatorError, ProviderError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets
from operator_console.providers.shared.http_client import Answered, VendorClient, from_sdk_error
from operator_console.providers.shared.http_faults import (
    HttpFault,
    Service,
    from_status,
    key_of,
    longest_wait_s,
    reported,
)

if TYPE_CHECKING:
    import httpx2
    import openai

_NO_KEY = "EMPTY"  # The SDK needs one; endpoints without keys ignore it.
_HEADERS_FOR_OPENAI = ("openai-organization", "openai-project")


def address_of(service: Service, *given: str | None) -> str:
    """The first address that is given, or that in the service's environment variable.

    Raises:
        OperatorError: There is none.
    """
    for address in (*given, os.environ.get(service.url_variable)):
        if address and address.strip():
            return address.strip()
    raise OperatorError(
        notice(NoticeCode.NO_SERVICE_ADDRESS, service=service.title),
        remedy=notice(NoticeCode.SET_SERVICE_ADDRESS, variable=service.url_variable, provider=service.provider),
    )


class ChatEndpoint:
    """One connection to an endpoint."""

    def __init__(self, service: Service, *, base_url: str, api_key: str | None, timeout_s: float) -> None:
        """Does not connect. Raises KeyUnusable.

        Args:
            service: Its names.
            base_url: Usually ends in /v1.
            api_key: None for that in the service's environment variable, if there is one.
            timeout_s: Limit for an answer.
        """
        self._service = service
        self._base_url = base_url
        self._api_key = key_of(service, api_key)
        self._timeout_s = timeout_s
        self._sdk = VendorClient(self._create_client, self._translated)

    async def complete(self, params: Mapping[str, Any]) -> Answered:
        """Request one completion. Raises ProviderTransient, ProviderRejected, ProviderMalformed."""
        # As `extra_body`, the messages are sent unchanged; the SDK would look through all pictures for files.
        whole: dict[str, Any] = {**params, "messages": [], "extra_body": {"messages": params["messages"]}}
        made = await self._sdk.request(
            lambda client: client.chat.completions.with_raw_response.create(**whole),
            str(params["model"]),
            self._timeout_s,
        )
        return Answered(body=made.http_response.content, request_bytes=self._sdk.request_bytes)

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    def _create_client(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        import openai

        http.event_hooks = {**http.event_hooks, "request": [*http.event_hooks["request"], _without_openai_headers]}
        return openai.AsyncOpenAI(
            api_key=self._api_key or _NO_KEY,
            admin_api_key="",
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            # Overrides what OPENAI_CUSTOM_HEADERS says.
            default_headers={"Authorization": f"Bearer {self._api_key or _NO_KEY}"},
            http_client=http,
        )

    def _translated(self, error: Exception, model: str) -> Exception:
        import openai

        made = from_sdk_error(self._service, error, openai, lambda status: self._status_error(status, model))
        return made or error

    def _status_error(self, error: openai.APIStatusError, model: str) -> ProviderError:
        # An endpoint with this address would tell which model it lacks.
        lacks_path = error.status_code == 404 and urlsplit(self._base_url).path.strip("/") == ""
        fault = HttpFault(
            code=error.status_code,
            message=reported(str(error.status_code), _reason(error.body)),
            retry_after_s=longest_wait_s(error.response.headers),
            model=model,
            model_remedy=notice(NoticeCode.ADDRESS_ENDS_IN_V1 if lacks_path else NoticeCode.NAME_SERVED_MODEL),
        )
        return from_status(self._service, fault)


async def _without_openai_headers(request: httpx2.Request) -> None:
    for name in _HEADERS_FOR_OPENAI:
        if name in request.headers:
            del request.headers[name]


def _reason(body: object) -> str:
    """The text of an error body: {"message"}, {"error": {"message"}} (as the SDK gives it), {"detail"} or any text."""
    if isinstance(body, dict):
        for name in ("message", "error", "detail"):
            if body.get(name):
                return str(body[name]).strip()
    return without_secrets(str(body or "")).strip()[:1000]


def import_sdk() -> None:
    """Import what the first request needs. Blocks for up to a second."""
    import httpx2
    import openai

    # The SDK imports this at its first use.
    from openai.resources.chat import completions

    _ = (httpx2, openai, completions)
