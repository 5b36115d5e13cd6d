"""Qwen2.5-VL and Qwen3-VL with the function `computer_use`, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.qwen.options import QwenOptions
    from operator_console.providers.qwen.provider import QwenProvider

DEFAULT_MODEL = "Qwen/Qwen3-VL-8B-Instruct"


def _options() -> type[QwenOptions]:
    from operator_console.providers.qwen.options import QwenOptions

    return QwenOptions


def _load(model: str, ingredients: Ingredients) -> QwenProvider:
    from operator_console.providers.qwen.options import QwenOptions
    from operator_console.providers.qwen.provider import QwenProvider

    return QwenProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(QwenOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    from operator_console.providers.qwen import provider
    from operator_console.providers.shared.chat_endpoint import import_sdk

    import_sdk()
    _ = provider


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
    options=_options,
    load=_load,
    preload=_preload,
)
