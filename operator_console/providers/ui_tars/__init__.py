"""UI-TARS 1.0, 1.5 and Doubao-UI-TARS, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from operator_console.providers.spec import ProviderSpec, importing, named, provider_named

_OPTIONS = f"{__name__}.options:UiTarsOptions"
DEFAULT_MODEL = "ByteDance-Seed/UI-TARS-1.5-7B"


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
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:UiTarsProvider", _OPTIONS),
    preload=importing(f"{__name__}.provider", "operator_console.providers.shared.chat_endpoint:import_sdk"),
)
