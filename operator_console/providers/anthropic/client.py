"""A connection to the Anthropic service with the vendor's SDK, without retries. Errors become ProviderErrors.

The SDK is given the key, because it would otherwise also look for one in files. It reads ANTHROPIC_BASE_URL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from operator_console.domain.errors import ProviderError
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
    longest_wait_s,
    no_key,
    reason_of,
    reported,
)

if TYPE_CHECKING:
    import anthropic
    import httpx2

SERVICE = Service(
    title="Claude", provider="anthropic", key_variable="ANTHROPIC_API_KEY", url_variable="ANTHROPIC_BASE_URL"
)


def preload_sdk() -> None:
    """Import the SDK, with what it imports at its first use. Blocks for up to a second."""
    import anthropic
    import httpx2
    from anthropic.resources.beta.messages import messages as beta_messages
    from anthropic.resources.messages import messages

    _ = (anthropic, httpx2, beta_messages, messages)


class AnthropicClient(VendorClient["anthropic.AsyncAnthropic"]):
    """One connection to the service."""

    async def create(self, messages: Sequence[Json], params: Mapping[str, Any], betas: Sequence[str]) -> Answered:
        """Send one request for a message. Raises ProviderTransient, ProviderRejected, ProviderMalformed.

        Args:
            messages: As they are sent.
            params: The other parameters of `messages.create`.
            betas: Beta features that they need.
        """
        # As `extra_body`, the messages are sent unchanged, and twice as fast as through the types of the SDK.
        whole: dict[str, Any] = {**params, "messages": [], "extra_body": {"messages": list(messages)}}

        async def send(client: anthropic.AsyncAnthropic) -> bytes:
            if betas:
                made: Any = await client.beta.messages.with_raw_response.create(**whole, betas=list(betas))
            else:
                made = await client.messages.with_raw_response.create(**whole)
            return bytes(made.http_response.content)

        return await self._request(send, str(params["model"]))

    def _create_client(self, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
        import anthropic

        if not self._api_key:
            raise no_key(self._service)
        return anthropic.AsyncAnthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            http_client=http,
            open_telemetry=False,
        )

    def _error_of(self, error: Exception, model: str) -> ProviderError | None:
        import anthropic

        return from_sdk_error(
            self._service, error, anthropic, lambda status: _status_error(self._service, status, model)
        )


def _status_error(service: Service, error: anthropic.APIStatusError, model: str) -> ProviderError:
    fault = HttpFault(
        code=error.status_code,
        message=reported(f"{error.status_code} {error.type or ''}".strip(), reason_of(error.body)),
        retry_after_s=longest_wait_s(error.response.headers),
        model=model,
        wrong_address=wrong_address(error),
        leads_to=error.response.headers.get("location", ""),
    )
    return from_status(service, fault)
