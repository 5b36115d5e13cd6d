"""Which service a model belongs to, and the connection to it."""

from __future__ import annotations

import os
import re
from typing import assert_never

from operator_console.providers.shared.http_faults import Service, no_key
from operator_console.providers.structured.chat_models import ChatModel
from operator_console.providers.structured.options import ServiceName, StructuredOptions

_BY_NAME = (
    (ServiceName.GEMINI, re.compile(r"(models/)?gem(ini|ma)[-_.]", re.IGNORECASE)),
    (ServiceName.ANTHROPIC, re.compile(r"claude[-_.]", re.IGNORECASE)),
    (ServiceName.OPENAI, re.compile(r"(gpt-(?!oss)|o\d|chatgpt-)", re.IGNORECASE)),
)


def service_of(model: str, options: StructuredOptions) -> ServiceName:
    """The service of a model; an endpoint of one's own for a name that no vendor's models have."""
    if options.service is not ServiceName.AUTO:
        return options.service
    named = (service for service, pattern in _BY_NAME if pattern.match(model))
    return next(named, ServiceName.COMPATIBLE)


def connect(model: str, options: StructuredOptions, *, api_key: str | None, base_url: str | None) -> ChatModel:
    """The connection to a model, not opened yet.

    Args:
        model: its name.
        options: those of the session.
        api_key: None for that in the service's own environment variable.
        base_url: None for that in the options.

    Raises:
        OperatorError: There is no key, or no address.
    """
    address = base_url or options.base_url or None
    match service_of(model, options):
        case ServiceName.GEMINI:
            from operator_console.providers.structured import gemini_model as gemini

            _require_key(gemini.SERVICE, api_key, "GOOGLE_API_KEY")
            return gemini.GeminiModel(model, options, api_key=api_key, base_url=address)
        case ServiceName.ANTHROPIC:
            from operator_console.providers.structured import anthropic_model as anthropic

            _require_key(anthropic.SERVICE, api_key)
            return anthropic.AnthropicModel(model, options, api_key=api_key, base_url=address)
        case ServiceName.OPENAI | ServiceName.COMPATIBLE | ServiceName.AUTO as service:
            from operator_console.providers.structured import endpoint_model as endpoint

            named = endpoint.OPENAI if service is ServiceName.OPENAI else endpoint.COMPATIBLE
            if named is endpoint.OPENAI:
                _require_key(named, api_key)
            return endpoint.EndpointModel(named, model, options, api_key=api_key, base_url=address)
        case never:
            assert_never(never)


def _require_key(service: Service, api_key: str | None, *others: str) -> None:
    """Raise OperatorError if there is no key, neither given nor in one of the service's environment variables."""
    if api_key or any(os.environ.get(name, "").strip() for name in (service.key_variable, *others)):
        return
    raise no_key(service)
