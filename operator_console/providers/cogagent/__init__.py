"""CogAgent, at an endpoint with OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping

from operator_console.providers.spec import ProviderSpec, importing, named, provider_named

_OPTIONS = f"{__name__}.options:CogAgentOptions"
DEFAULT_MODEL = "THUDM/cogagent-9b-20241220"


def _answers_text(model: str, options: Mapping[str, object]) -> bool:
    """CogAgent itself knows actions alone."""
    return bool(options.get("text_model") or options.get("text_base_url"))


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
    options=named(_OPTIONS),
    load=provider_named(f"{__name__}.provider:CogAgentProvider", _OPTIONS),
    answers_text=_answers_text,
    preload=importing(f"{__name__}.provider", "operator_console.providers.shared.chat_endpoint:import_sdk"),
)
