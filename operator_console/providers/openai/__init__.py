"""OpenAI, through the Responses API with the computer tool or its preview."""

from __future__ import annotations

from operator_console.providers.spec import (
    Cloud,
    ProviderSpec,
    importing,
    in_words_unless_computer_use,
    named,
    provider_named,
)

_OPTIONS = f"{__name__}.options:OpenAIOptions"
DEFAULT_MODEL = "gpt-5.6-sol"


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
    clouds=(
        Cloud(
            name="azure",
            title="Azure OpenAI",
            key_env=("AZURE_OPENAI_API_KEY",),
            url_env="AZURE_OPENAI_ENDPOINT",
        ),
        Cloud(
            name="openrouter",
            title="OpenRouter (openrouter.ai)",
            key_env=("OPENROUTER_API_KEY",),
            url="https://openrouter.ai/api/v1",
        ),
    ),
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:OpenAIProvider", _OPTIONS),
    answers_text=in_words_unless_computer_use,
    preload=importing(f"{__name__}.client:preload_sdk"),
)
