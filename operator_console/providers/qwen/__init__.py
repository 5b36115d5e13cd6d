"""Qwen2.5-VL and Qwen3-VL with the function `computer_use`, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from operator_console.providers.spec import ProviderSpec, importing, in_words, named, provider_named

_OPTIONS = f"{__name__}.options:QwenOptions"
DEFAULT_MODEL = "Qwen/Qwen3-VL-8B-Instruct"


SPEC = ProviderSpec(
    name="qwen",
    title="Qwen",
    default_model=DEFAULT_MODEL,
    models=(
        DEFAULT_MODEL,
        "Qwen/Qwen3-VL-4B-Instruct",
        "Qwen/Qwen3-VL-32B-Instruct",
        "Qwen/Qwen3-VL-30B-A3B-Instruct",
        "Qwen/Qwen2.5-VL-7B-Instruct",
        "Qwen/Qwen2.5-VL-72B-Instruct",
    ),
    model_pattern=r"(.*/)?qwen",
    key_env=("QWEN_API_KEY",),
    key_optional=True,
    sends_to="the endpoint that you set for Qwen",
    url_env="QWEN_BASE_URL",
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:QwenProvider", _OPTIONS),
    answers_text=in_words,
    preload=importing(f"{__name__}.provider", "operator_console.providers.shared.chat_endpoint:import_sdk"),
)
