"""Google Gemini, through `generateContent` with the computer-use tool."""

from __future__ import annotations

from operator_console.providers.spec import (
    Cloud,
    ProviderSpec,
    importing,
    in_words_unless_computer_use,
    named,
    provider_named,
)

_OPTIONS = f"{__name__}.options:GeminiOptions"
DEFAULT_MODEL = "gemini-3.8-flash"


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
    clouds=(Cloud(name="vertex", title="Google Cloud (Vertex AI)", url_env="GOOGLE_VERTEX_BASE_URL"),),
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:GeminiProvider", _OPTIONS),
    answers_text=in_words_unless_computer_use,
    preload=importing(f"{__name__}.client:preload_sdk"),
)
