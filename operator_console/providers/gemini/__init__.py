"""Google Gemini, through `generateContent` with the computer-use tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.gemini.options import GeminiOptions
    from operator_console.providers.gemini.provider import GeminiProvider

DEFAULT_MODEL = "gemini-3.8-flash"


def _options() -> type[GeminiOptions]:
    from operator_console.providers.gemini.options import GeminiOptions

    return GeminiOptions


def _load(model: str, ingredients: Ingredients) -> GeminiProvider:
    from operator_console.providers.gemini.options import GeminiOptions
    from operator_console.providers.gemini.provider import GeminiProvider

    return GeminiProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(GeminiOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    from operator_console.domain.proposals import Brief
    from operator_console.providers.gemini.client import preload_sdk
    from operator_console.providers.gemini.options import GeminiOptions
    from operator_console.providers.gemini.request import request_config

    preload_sdk()
    # Completes the types of a request, too.
    request_config(DEFAULT_MODEL, Brief(task="", instruction=""), GeminiOptions())


SPEC = ProviderSpec(
    name="gemini",
    title="Google Gemini",
    default_model=DEFAULT_MODEL,
    models=(
        DEFAULT_MODEL,
        "gemini-3.7-flash",
        "gemini-3.6-flash",
        "gemini-3.5-flash",
        "gemini-3.5-flash-lite",
        "gemini-3-flash-preview",
        "gemini-3.1-pro-preview",
        "gemini-2.5-computer-use-preview-10-2025",
    ),
    model_pattern=r"(models/)?gemini[-_.]",
    key_env=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    key_page="https://aistudio.google.com/apikey",
    sends_to="Google (generativelanguage.googleapis.com)",
    url="https://generativelanguage.googleapis.com",
    url_env="GOOGLE_GEMINI_BASE_URL",
    options=_options,
    load=_load,
    preload=_preload,
)
