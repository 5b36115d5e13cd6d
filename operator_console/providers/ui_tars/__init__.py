"""UI-TARS 1.0, 1.5 and Doubao-UI-TARS, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.ui_tars.options import UiTarsOptions
    from operator_console.providers.ui_tars.provider import UiTarsProvider

DEFAULT_MODEL = "ByteDance-Seed/UI-TARS-1.5-7B"


def _options() -> type[UiTarsOptions]:
    from operator_console.providers.ui_tars.options import UiTarsOptions

    return UiTarsOptions


def _load(model: str, ingredients: Ingredients) -> UiTarsProvider:
    from operator_console.providers.ui_tars.options import UiTarsOptions
    from operator_console.providers.ui_tars.provider import UiTarsProvider

    return UiTarsProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(UiTarsOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    from operator_console.providers.shared.chat_endpoint import import_sdk
    from operator_console.providers.ui_tars import provider

    import_sdk()
    _ = provider


SPEC = ProviderSpec(
    name="ui_tars",
    title="UI-TARS",
    default_model=DEFAULT_MODEL,
    models=(
        DEFAULT_MODEL,
        "bytedance-research/UI-TARS-72B-DPO",
        "bytedance-research/UI-TARS-7B-DPO",
        "bytedance-research/UI-TARS-2B-SFT",
        "doubao-1-5-ui-tars-250428",
    ),
    model_pattern=r"(.*/)?(ui-?tars|doubao)",
    key_env=("UI_TARS_API_KEY",),
    key_optional=True,
    sends_to="the endpoint that you set for UI-TARS",
    url_env="UI_TARS_BASE_URL",
    options=_options,
    load=_load,
    preload=_preload,
)
