"""A connection to the Anthropic service with the vendor's SDK, without retries. Errors become ProviderErrors.

The SDK is given the key, because it would otherwise also look for one in files. It reads ANTHROPIC_BASE_URL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from operator_console.domain.errors import OperatorError, ProviderError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.history import Json
from operator_console.providers.shared.http_client import (
    Answered,
    VendorClient,
    from_sdk_error,
    wrong_address,
)
from operator_console.providers.shared.http_faults import (
    HttpFault,
    Service,
    from_status,
    key_of,
    longest_wait_s,
    reported,
)

if TYPE_CHECKING:
    import anthropic
    import httpx2

KEY_VARIABLE = "ANTHROPIC_API_KEY"
SERVICE = Service(title="Claude", provider="anthropic", key_variable=KEY_VARIABLE, url_variable="ANTHROPIC_BASE_URL")


def preload_sdk() -> None:
    """Import the SDK, with what it imports at its first use. Blocks for up to a second."""
    import anthropic
    import httpx2
    from anthropic.resources.beta.messages import messages as beta_messages
    from anthropic.resources.messages import messages

    _ = (anthropic, httpx2, beta_messages, messages)


class AnthropicClient:
    """One connection to the service. `service` names it, and the provider that uses it, in errors."""

    def __init__(
        self, *, api_key: str | None, base_url: str | None, timeout_s: float, service: Service = SERVICE
    ) -> None:
        self._service = service
        self._api_key = key_of(service, api_key)
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._sdk = VendorClient(self._create_client, self._translated)

    async def create(self, messages: Sequence[Json], params: Mapping[str, Any], betas: Sequence[str]) -> Answered:
        """Send one request for a message. Raises ProviderTransient, ProviderRejected, ProviderMalformed.

        Args:
            messages: As they are sent.
            params: The other parameters of `messages.create`.
            betas: Beta features that they need.
        """
        # As `extra_body`, the messages are sent unchanged, and twice as fast as through the types of the SDK.
        whole: dict[str, Any] = {**params, "messages": [], "extra_body": {"messages": list(messages)}}

        async def send(client: anthropic.AsyncAnthropic) -> Any:
            if betas:
                return await client.beta.messages.with_raw_response.create(**whole, betas=list(betas))
            return await client.messages.with_raw_response.create(**whole)

        made = await self._sdk.request(send, str(params["model"]), self._timeout_s)
        return Answered(body=made.http_response.content, request_bytes=self._sdk.request_bytes)

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    def _create_client(self, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
        import anthropic

        if not self._api_key:
            raise OperatorError(
                notice(NoticeCode.NO_SERVICE_KEY, service=self._service.title),
                remedy=notice(NoticeCode.SET_SERVICE_KEY, variable=KEY_VARIABLE, provider=self._service.provider),
            )
        return anthropic.AsyncAnthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            http_client=http,
            open_telemetry=False,
        )

    def _translated(self, error: Exception, model: str) -> Exception:
        import anthropic

        made = from_sdk_error(
            self._service, error, anthropic, lambda status: _status_error(self._service, status, model)
        )
        return made or error


def _status_error(service: Service, error: anthropic.APIStatusError, model: str) -> ProviderError:
    fault = HttpFault(
        code=error.status_code,
        message=reported(f"{error.status_code} {error.type or ''}".strip(), str(error.api_message or "")),
        retry_after_s=longest_wait_s(error.response.headers),
        model=model,
        wrong_address=wrong_address(error),
        leads_to=error.response.headers.get("location", ""),
    )
    return from_status(service, fault)
