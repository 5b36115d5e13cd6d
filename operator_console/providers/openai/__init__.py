"""OpenAI, through the Responses API with the computer tool or its preview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.openai.options import OpenAIOptions
    from operator_console.providers.openai.provider import OpenAIProvider

DEFAULT_MODEL = "gpt-5.6-sol"


def _options() -> type[OpenAIOptions]:
    from operator_console.providers.openai.options import OpenAIOptions

    return OpenAIOptions


def _load(model: str, ingredients: Ingredients) -> OpenAIProvider:
    from operator_console.providers.openai.options import OpenAIOptions
    from operator_console.providers.openai.provider import OpenAIProvider

    return OpenAIProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(OpenAIOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    import httpx2
    import openai

    # The SDK imports this at its first use.
    from openai.resources.responses import responses

    _ = (httpx2, openai, responses)


SPEC = ProviderSpec(
    name="openai",
    title="OpenAI",
    default_model=DEFAULT_MODEL,
    models=(DEFAULT_MODEL, "gpt-5.5", "gpt-5.4", "computer-use-preview"),
    model_pattern=r"(gpt-|o\d|computer-use-preview)",
    key_env=("OPENAI_API_KEY",),
    key_page="https://platform.openai.com/api-keys",
    sends_to="OpenAI (api.openai.com)",
    url="https://api.openai.com/v1",
    url_env="OPENAI_BASE_URL",
    options=_options,
    load=_load,
    preload=_preload,
)
