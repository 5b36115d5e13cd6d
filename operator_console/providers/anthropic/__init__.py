"""Anthropic Claude, through the Messages API with the computer toolset or a dated computer tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.anthropic.options import AnthropicOptions
    from operator_console.providers.anthropic.provider import AnthropicProvider

DEFAULT_MODEL = "claude-opus-5-5"


def _options() -> type[AnthropicOptions]:
    from operator_console.providers.anthropic.options import AnthropicOptions

    return AnthropicOptions


def _load(model: str, ingredients: Ingredients) -> AnthropicProvider:
    from operator_console.providers.anthropic.options import AnthropicOptions
    from operator_console.providers.anthropic.provider import AnthropicProvider

    return AnthropicProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(AnthropicOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    import anthropic
    import httpx2

    # The SDK imports these at their first use.
    from anthropic.resources.beta.messages import messages as beta_messages
    from anthropic.resources.messages import messages

    _ = (anthropic, httpx2, beta_messages, messages)


SPEC = ProviderSpec(
    name="anthropic",
    title="Anthropic Claude",
    default_model=DEFAULT_MODEL,
    models=(
        DEFAULT_MODEL,
        "claude-sonnet-5-5",
        "claude-haiku-5-5",
        "claude-fable-5-2",
        "claude-mythos-5-2",
        "claude-opus-5",
        "claude-sonnet-5",
        "claude-opus-4-8",
        "claude-opus-4-7",
        "claude-opus-4-6",
        "claude-sonnet-4-6",
        "claude-haiku-4-5",
    ),
    model_pattern=r"claude[-_.]",
    key_env=("ANTHROPIC_API_KEY",),
    key_page="https://console.anthropic.com/settings/keys",
    sends_to="Anthropic (api.anthropic.com)",
    url="https://api.anthropic.com",
    url_env="ANTHROPIC_BASE_URL",
    options=_options,
    load=_load,
    preload=_preload,
)
