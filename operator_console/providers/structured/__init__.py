"""Structured reasoning over elements, with any chat model that sees pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.structured.options import StructuredOptions
    from operator_console.providers.structured.provider import StructuredProvider

DEFAULT_MODEL = "gemini-3.8-flash"


def _options() -> type[StructuredOptions]:
    from operator_console.providers.structured.options import StructuredOptions

    return StructuredOptions


def _load(model: str, ingredients: Ingredients) -> StructuredProvider:
    from operator_console.providers.structured.chat_services import connect
    from operator_console.providers.structured.options import StructuredOptions
    from operator_console.providers.structured.provider import StructuredProvider

    options, model = ingredients.options_as(StructuredOptions), model or DEFAULT_MODEL
    return StructuredProvider(
        model,
        connect(model, options, api_key=ingredients.api_key, base_url=ingredients.base_url),
        options=options,
        elements=ingredients.elements,
        reader=ingredients.reader,
    )


def _preload() -> None:
    import anthropic

    from operator_console.providers.gemini.client import preload_sdk
    from operator_console.providers.shared.chat_endpoint import import_sdk
    from operator_console.providers.structured import anthropic_model, endpoint_model, gemini_model, provider

    import_sdk()
    preload_sdk()
    _ = (anthropic, anthropic_model, endpoint_model, gemini_model, provider)


SPEC = ProviderSpec(
    name="structured",
    title="Structured reasoning over elements",
    choice="by numbered elements",
    default_model=DEFAULT_MODEL,
    models=(DEFAULT_MODEL, "claude-opus-5-5", "gpt-5.6-sol"),
    key_env=("STRUCTURED_API_KEY",),
    key_optional=True,
    sends_to="the service of the model that you choose",
    needs_reader=True,
    options=_options,
    load=_load,
    preload=_preload,
)
