"""CogAgent, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.cogagent.options import CogAgentOptions
    from operator_console.providers.cogagent.provider import CogAgentProvider

DEFAULT_MODEL = "THUDM/cogagent-9b-20241220"


def _options() -> type[CogAgentOptions]:
    from operator_console.providers.cogagent.options import CogAgentOptions

    return CogAgentOptions


def _load(model: str, ingredients: Ingredients) -> CogAgentProvider:
    from operator_console.providers.cogagent.options import CogAgentOptions
    from operator_console.providers.cogagent.provider import CogAgentProvider

    return CogAgentProvider(
        model=model or DEFAULT_MODEL,
        options=ingredients.options_as(CogAgentOptions),
        api_key=ingredients.api_key,
        base_url=ingredients.base_url,
    )


def _preload() -> None:
    from operator_console.providers.cogagent import provider
    from operator_console.providers.shared.chat_endpoint import import_sdk

    import_sdk()
    _ = provider


SPEC = ProviderSpec(
    name="cogagent",
    title="CogAgent",
    default_model=DEFAULT_MODEL,
    models=(DEFAULT_MODEL,),
    model_pattern=r"(.*/)?cogagent",
    key_env=("COGAGENT_API_KEY",),
    key_optional=True,
    sends_to="the endpoint that you set for CogAgent",
    url_env="COGAGENT_BASE_URL",
    options=_options,
    load=_load,
    preload=_preload,
)
