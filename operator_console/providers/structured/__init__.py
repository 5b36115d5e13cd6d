"""Structured reasoning over elements, with any chat model that sees pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec, importing, in_words, named

if TYPE_CHECKING:
    from operator_console.providers.structured.provider import StructuredProvider

DEFAULT_MODEL = "gemini-3.8-flash"


def _load(model: str, ingredients: Ingredients) -> StructuredProvider:
    from operator_console.providers.structured.chat_services import connect
    from operator_console.providers.structured.options import StructuredOptions
    from operator_console.providers.structured.provider import StructuredProvider

    options = ingredients.options_as(StructuredOptions)
    return StructuredProvider(
        model,
        connect(model, options, api_key=ingredients.api_key, base_url=ingredients.base_url),
        options=options,
        elements=ingredients.elements,
        reader=ingredients.reader,
    )


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
    options=named(f"{__name__}.options:StructuredOptions"),
    load=_load,
    answers_text=in_words,
    preload=importing(
        f"{__name__}.provider",
        f"{__name__}.anthropic_model",
        f"{__name__}.endpoint_model",
        f"{__name__}.gemini_model",
        "operator_console.providers.anthropic.client:preload_sdk",
        "operator_console.providers.gemini.client:preload_sdk",
        "operator_console.providers.shared.chat_endpoint:import_sdk",
    ),
)
