"""Connections to Claude on Vertex AI, Amazon Bedrock and OpenRouter with the vendor's SDK.

It finds the credentials where the clouds' own tools keep them (Google's application default credentials; the AWS
configuration, single sign-on and roles), signs requests, and knows the paths. OpenRouter takes a key as a bearer token.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from operator_console.domain.notices import NoticeCode
from operator_console.providers.anthropic.client import AnthropicClient
from operator_console.providers.anthropic.options import AnthropicOptions, Cloud
from operator_console.providers.shared.clouds import google_credentials, not_configured
from operator_console.providers.shared.http_faults import Service, no_key

if TYPE_CHECKING:
    import anthropic
    import httpx2

_OPENROUTER = "https://openrouter.ai/api"
_SERVICES = {
    Cloud.VERTEX: Service(
        title="Claude on Vertex AI",
        provider="anthropic",
        key_variable="",
        url_variable="ANTHROPIC_VERTEX_BASE_URL",
        sign_in=NoticeCode.SIGN_IN_TO_GOOGLE_CLOUD,
    ),
    Cloud.BEDROCK: Service(
        title="Claude on Amazon Bedrock",
        provider="anthropic",
        key_variable="AWS_BEARER_TOKEN_BEDROCK",
        url_variable="ANTHROPIC_BEDROCK_BASE_URL",
        sign_in=NoticeCode.SIGN_IN_TO_AWS,
    ),
    Cloud.OPENROUTER: Service(
        title="OpenRouter", provider="anthropic", key_variable="OPENROUTER_API_KEY", url_variable=""
    ),
}


class CloudClient(AnthropicClient):
    """One connection to the service of a cloud."""

    def __init__(self, options: AnthropicOptions, *, api_key: str | None, base_url: str | None) -> None:
        """Does not connect. `options.cloud` is set."""
        super().__init__(
            _SERVICES[options.cloud], api_key=api_key, base_url=base_url, timeout_s=options.request_timeout_s
        )
        self._options = options

    def _create_client(self, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
        try:
            return self._of_cloud(http)
        except ValueError as error:
            raise not_configured(self._service, str(error)) from error

    def _of_cloud(self, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
        import anthropic
        from anthropic.lib.bedrock import AsyncAnthropicBedrock
        from anthropic.lib.vertex import AsyncAnthropicVertex

        options = self._options
        common: dict[str, Any] = {
            "base_url": self._base_url, "timeout": self._timeout_s, "max_retries": 0, "http_client": http,
            "open_telemetry": False,
        }  # fmt: skip
        made: Any  # those of clouds have the same `messages` and `beta`
        match options.cloud:
            case Cloud.VERTEX:
                credentials, project = google_credentials(self._service, options.project)
                made = AsyncAnthropicVertex(
                    region=options.region or os.environ.get("CLOUD_ML_REGION", "").strip() or "global",
                    credentials=credentials,
                    project_id=project,
                    **common,
                )
            case Cloud.BEDROCK:
                made = AsyncAnthropicBedrock(
                    api_key=self._api_key or None,
                    aws_region=options.region or None,
                    aws_profile=None if self._api_key else options.aws_profile or None,
                    **common,
                )
            case _:
                if not self._api_key:
                    raise no_key(self._service)
                common["base_url"] = self._base_url or _OPENROUTER
                made = anthropic.AsyncAnthropic(api_key=None, auth_token=self._api_key, **common)
        client: anthropic.AsyncAnthropic = made
        return client
