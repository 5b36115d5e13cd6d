"""A connection to the Gemini service with the vendor's SDK, without retries, and the configuration of all requests of a
session: tools, instruction and thinking. Errors become ProviderErrors.

The SDK, google-genai, takes about a second to import, so it is imported in a thread at the first use. It reads
GOOGLE_GEMINI_BASE_URL. It is given an HTTP client, because it
would otherwise choose one of two, of which one sleeps and retries. Error details are those of google.rpc: RetryInfo,
QuotaFailure and ErrorInfo.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from operator_console.domain.errors import ProviderError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief
from operator_console.domain.tools import ToolSpec
from operator_console.providers.gemini.actions import PREDEFINED
from operator_console.providers.gemini.options import GeminiEnvironment, GeminiOptions, is_legacy
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.history import Json
from operator_console.providers.shared.http_client import (
    Answered,
    VendorClient,
    from_http_error,
    trusted_certificates,
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
    import httpx2
    from google import genai
    from google.genai import types

SERVICE = Service(
    title="Gemini", provider="gemini", key_variable="GEMINI_API_KEY", url_variable="GOOGLE_GEMINI_BASE_URL"
)
# The body of the answer is returned unchanged, for the record.
ONE_PLAIN_ANSWER: Mapping[str, Any] = {
    "automatic_function_calling": {"disable": True},
    "automatic_continuation": False,
    "should_return_http_response": True,
}
"""The part of every `GenerateContentConfig` that keeps the SDK from sending requests of its own."""
_SCALE = "0-999 of the whole screen"
_KEY_REASONS = frozenset({"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "CONSUMER_SUSPENDED"})


def preload_sdk() -> None:
    """Import the SDK, and complete its types of a request and an answer, which takes 20 ms of processor time at their
    first use: on the event loop."""
    import httpx2
    from google.genai import types

    types.GenerateContentResponse.model_rebuild()
    request_config("", Brief(task="", instruction=""), GeminiOptions())
    _ = httpx2


class GeminiClient(VendorClient["genai.Client"]):
    """One connection to the service."""

    key_variables: tuple[str, ...] = ("GOOGLE_API_KEY",)

    async def generate(self, model: str, contents: Sequence[Json], config: types.GenerateContentConfig) -> Answered:
        """Send one request. Raises ProviderTransient, ProviderRejected, ProviderMalformed."""
        from google.genai import types

        # As `extra_body`, the contents are sent unchanged, and ten times as fast as through the types of the SDK.
        whole = config.model_copy(update={"http_options": types.HttpOptions(extra_body={"contents": list(contents)})})

        async def send(client: genai.Client) -> bytes:
            answer = await client.aio.models.generate_content(model=model, contents="-", config=whole)
            text = answer.sdk_http_response.body if answer.sdk_http_response is not None else None
            return (text or "").encode()

        return await self._request(send, model)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
        await super().close()

    def _create_client(self, http: httpx2.AsyncClient) -> genai.Client:
        from google import genai

        try:
            return genai.Client(vertexai=False, api_key=self._api_key or None, http_options=self._http_options(http))
        except ValueError as error:
            raise no_key(self._service, str(error)) from error

    def _http_options(self, http: httpx2.AsyncClient) -> types.HttpOptions:
        from google.genai import types

        # The SDK also prepares connections that are not used here; it would load the certificates for each of them.
        tls = trusted_certificates()
        return types.HttpOptions(
            base_url=self._base_url,
            timeout=int(self._timeout_s * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
            httpx_async_client=http,
            client_args={"verify": tls, "trust_env": False},
            async_client_args={"ssl": tls},
        )

    def _error_of(self, error: Exception, model: str) -> ProviderError | None:
        from google.genai import errors

        if not isinstance(error, errors.APIError):
            return from_http_error(self._service, error)
        address = self._base_url or os.environ.get(self._service.url_variable, "")
        headers = dict(getattr(error.response, "headers", None) or {})
        return _api_error(error.code, error.details, headers, model, self._service, address)


def _api_error(
    code: int,
    details: object,
    headers: Mapping[str, str],
    model: str,
    service: Service = SERVICE,
    address: str = "",
) -> ProviderError:
    """The error for an HTTP status; `details` is any JSON value, `address` the one that was given for the service."""
    error = _error_object(details)
    # The SDK uses the stable API, which lacks some preview models.
    preview = notice(NoticeCode.PREVIEW_MODEL_NEEDS_BETA) if "preview" in model else ""
    delays = (str(item.get("retryDelay", "")).removesuffix("s") for item in _of_type(error, "RetryInfo"))
    fault = HttpFault(
        code=code,
        message=reported(f"{code} {error.get('status') or ''}".strip(), reason_of(error)),
        key_fault=_is_key_fault(error),
        quota_spent=code == 429 and _is_daily(error),
        retry_after_s=longest_wait_s(headers, delays),
        model=model,
        model_remedy=preview,
        wrong_address="" if "code" in error or "error" in error else address,
        leads_to=headers.get("location", ""),
    )
    return from_status(service, fault)


def _error_object(details: object) -> Mapping[str, Any]:
    if isinstance(details, list) and details:
        details = details[0]
    if not isinstance(details, dict):
        return {}
    inner = details.get("error")
    return inner if isinstance(inner, dict) else details


def _of_type(error: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    for item in _listed(error.get("details")):
        if isinstance(item, dict) and str(item.get("@type", "")).endswith(name):
            yield item


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _is_key_fault(error: Mapping[str, Any]) -> bool:
    return any(item.get("reason") in _KEY_REASONS for item in _of_type(error, "ErrorInfo"))


def _is_daily(error: Mapping[str, Any]) -> bool:
    """Whether a daily limit was reached, for which waiting is useless, unlike one per minute."""
    return any(
        isinstance(violation, dict) and "perday" in str(violation.get("quotaId", "")).lower()
        for item in _of_type(error, "QuotaFailure")
        for violation in _listed(item.get("violations"))
    )


def request_config(
    model: str, brief: Brief, options: GeminiOptions, *, zoom: bool = False
) -> types.GenerateContentConfig:
    """The configuration for a model. `zoom` is whether the function of that name is offered."""
    from google.genai import types

    thinking = types.ThinkingConfig(include_thoughts=options.include_thoughts)
    if options.thinking_level and not is_legacy(model):
        thinking.thinking_level = types.ThinkingLevel(options.thinking_level)
    return types.GenerateContentConfig(
        system_instruction="\n\n".join(filter(None, (brief.instruction, own_tools.ZOOM_INSTRUCTION if zoom else "")))
        or None,
        tools=[
            types.Tool(computer_use=_computer_use(model, brief, options)),
            types.Tool(function_declarations=_functions(brief, options, zoom=zoom)),
        ],
        thinking_config=thinking,
        **ONE_PLAIN_ANSWER,
    )


def text_config() -> types.GenerateContentConfig:
    """The configuration of a request for a text, without tools."""
    from google.genai import types

    return types.GenerateContentConfig(**ONE_PLAIN_ANSWER)


def _computer_use(model: str, brief: Brief, options: GeminiOptions) -> types.ComputerUse:
    from google.genai import types

    replaced = (tool.name for tool in brief.tools if tool.name in PREDEFINED)
    excluded = list(dict.fromkeys((*options.excluded_functions, *replaced))) or None
    if is_legacy(model):
        browser = types.Environment.ENVIRONMENT_BROWSER
        return types.ComputerUse(environment=browser, excluded_predefined_functions=excluded)
    desktop = options.environment == GeminiEnvironment.DESKTOP and not brief.browser
    policies = [types.SafetyPolicy(name) for name in options.disabled_safety_policies]
    return types.ComputerUse(
        environment=types.Environment.ENVIRONMENT_DESKTOP if desktop else types.Environment.ENVIRONMENT_BROWSER,
        excluded_predefined_functions=excluded,
        enable_prompt_injection_detection=options.detect_prompt_injection or None,
        disabled_safety_policies=policies or None,
    )


def _functions(brief: Brief, options: GeminiOptions, *, zoom: bool) -> list[types.FunctionDeclaration]:
    further = [own_tools.zoom(_SCALE)] if zoom else []
    # Most of what controls a browser is predefined.
    taken = {*PREDEFINED, *options.excluded_functions}
    return [_declaration(tool) for tool in own_tools.offered(brief, _SCALE, further=further, excluded=taken)]


def _declaration(tool: ToolSpec) -> types.FunctionDeclaration:
    from google.genai import types

    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=json.loads(tool.parameters_json)
    )
