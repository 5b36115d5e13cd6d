"""Anthropic Claude, through the Messages API with the computer toolset or a dated computer tool."""

from __future__ import annotations

from operator_console.providers.spec import Cloud, ProviderSpec, importing, in_words, named, provider_named

_OPTIONS = f"{__name__}.options:AnthropicOptions"
DEFAULT_MODEL = "claude-opus-5-5"


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
    clouds=(
        Cloud(name="vertex", title="Google Cloud (Vertex AI)", url_env="ANTHROPIC_VERTEX_BASE_URL"),
        Cloud(
            name="bedrock",
            title="Amazon Bedrock",
            key_env=("AWS_BEARER_TOKEN_BEDROCK",),
            url_env="ANTHROPIC_BEDROCK_BASE_URL",
        ),
        Cloud(
            name="openrouter",
            title="OpenRouter (openrouter.ai)",
            key_env=("OPENROUTER_API_KEY",),
            url="https://openrouter.ai/api",
        ),
    ),
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:AnthropicProvider", _OPTIONS),
    answers_text=in_words,
    preload=importing(f"{__name__}.client:preload_sdk"),
)
