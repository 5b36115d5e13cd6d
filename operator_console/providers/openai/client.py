"""A connection to the OpenAI service with the vendor's SDK, without retries. Errors become ProviderErrors.

The SDK reads OPENAI_BASE_URL, OPENAI_ORG_ID and OPENAI_PROJECT_ID.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from operator_console.domain.errors import ProviderError, ProviderTransient
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import answers
from operator_console.providers.shared.history import Json
from operator_console.providers.shared.http_client import (
    Answered,
    VendorClient,
    from_sdk_error,
    wrong_address,
)
from operator_console.providers.shared.http_faults import (
    SPENT_CODES,
    HttpFault,
    Service,
    from_status,
    longest_wait_s,
    no_key,
    reason_of,
    reported,
)

if TYPE_CHECKING:
    import httpx2
    import openai

SERVICE = Service(title="OpenAI", provider="openai", key_variable="OPENAI_API_KEY", url_variable="OPENAI_BASE_URL")
_REFUSING = frozenset({"invalid_prompt", "content_policy_violation", "cyber_policy_violation"})


def preload_sdk() -> None:
    """Import the SDK, with what it imports at its first use. Blocks for up to a second."""
    import httpx2
    import openai
    from openai.resources.responses import responses

    _ = (httpx2, openai, responses)


class LostConversation(ProviderTransient):
    """The service no longer has the stored conversation, so that the whole of it must be sent."""


class OpenAIClient(VendorClient["openai.AsyncOpenAI"]):
    """One connection to the service."""

    async def create(self, items: Sequence[Json], params: Mapping[str, Any]) -> Answered:
        """Send one request for an answer.

        Args:
            items: The input, as it is sent.
            params: The other parameters of `responses.create`.

        Raises:
            LostConversation: The previous response is not known.
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no answer.
            OperatorError: There is no key.
        """
        # As `extra_body`, the items are sent unchanged, and faster than through the types of the SDK.
        whole: dict[str, Any] = {**params, "extra_body": {"input": list(items)}}

        async def send(client: openai.AsyncOpenAI) -> bytes:
            return bytes((await client.responses.with_raw_response.create(**whole)).http_response.content)

        return await self._request(send, str(params["model"]))

    def _create_client(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        import openai

        try:
            return openai.AsyncOpenAI(
                api_key=self._credentials(),
                base_url=self._base_url,
                timeout=self._timeout_s,
                max_retries=0,
                http_client=http,
            )
        except openai.OpenAIError as error:
            raise no_key(self._service, str(error)) from error

    def _credentials(self) -> str | Callable[[], Awaitable[str]] | None:
        """The key, or what gives a token for each request; None for the SDK's environment variable."""
        return self._api_key or None

    def _error_of(self, error: Exception, model: str) -> ProviderError | None:
        import openai

        return from_sdk_error(self._service, error, openai, lambda status: _status_error(self._service, status, model))


def _status_error(service: Service, error: openai.APIStatusError, model: str) -> ProviderError:
    text = reason_of(error.body)
    said = reported(f"{error.status_code} {error.code or error.type or ''}".strip(), text)
    if error.code == "previous_response_not_found":
        return LostConversation(notice(NoticeCode.SERVICE_REJECTED_CONVERSATION, service=service.title), detail=said)
    if error.status_code == 400 and str(error.code) in _REFUSING:
        return answers.refusal(service.title, str(error.code), text)
    if error.code == "context_length_exceeded":
        return answers.conversation_rejected(service.title, error.code, text)
    fault = HttpFault(
        code=404 if error.code == "model_not_found" else error.status_code,
        message=said,
        unpaid=str(error.code) in SPENT_CODES,
        retry_after_s=longest_wait_s(error.response.headers, _milliseconds(error.response.headers)),
        model=model,
        wrong_address=wrong_address(error),
        leads_to=error.response.headers.get("location", ""),
    )
    return from_status(service, fault)


def _milliseconds(headers: Mapping[str, str]) -> list[str]:
    """The delay in the header retry-after-ms, in seconds as text."""
    try:
        return [str(float(headers["retry-after-ms"]) / 1000)]
    except (LookupError, ValueError):
        return []
