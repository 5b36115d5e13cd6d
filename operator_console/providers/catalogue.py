"""Which providers there are, what each needs, and the one place that makes them.

Imports no SDK until one is made, so that `models list` and usage errors stay quick. Called by app and cli, which hand
in what a provider cannot fetch for itself (the key, the reader of the screen).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.providers import gemini_settings
from operator_console.providers.gemini_settings import GeminiSettings

if TYPE_CHECKING:
    from operator_console.providers.gemini import GeminiProvider
    from operator_console.providers.runbook import Reader, RunbookProvider
    from operator_console.providers.scripted import ScriptedProvider

DEFAULT_PROVIDER = "gemini"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderInfo:
    """One provider.

    Attributes:
        name: on the command line and in the record.
        title: for people.
        default_model: "" where there is none.
        models: those known by name; others may be given.
        key_env: environment variables that may hold the key, in the order in which they count; empty: none needed.
        base_url_env: the variable with the service's address, "" where there is none.
        sends_to: to whom pictures and texts go, "" where nothing leaves the machine.
        built: whether this version has it.
    """

    name: str
    title: str
    default_model: str = ""
    models: tuple[str, ...] = ()
    key_env: tuple[str, ...] = ()
    base_url_env: str = ""
    sends_to: str = ""
    built: bool = False

    @property
    def needs_key(self) -> bool:
        """Whether a key is needed."""
        return bool(self.key_env)


PROVIDERS = (
    ProviderInfo(
        name="gemini",
        title="Google Gemini",
        default_model=gemini_settings.DEFAULT_MODEL,
        models=gemini_settings.KNOWN_MODELS,
        key_env=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        base_url_env="GOOGLE_GEMINI_BASE_URL",
        sends_to="Google (generativelanguage.googleapis.com)",
        built=True,
    ),
    ProviderInfo(
        name="anthropic",
        title="Anthropic Claude",
        key_env=("ANTHROPIC_API_KEY",),
        base_url_env="ANTHROPIC_BASE_URL",
        sends_to="Anthropic (api.anthropic.com)",
    ),
    ProviderInfo(
        name="openai",
        title="OpenAI",
        key_env=("OPENAI_API_KEY",),
        base_url_env="OPENAI_BASE_URL",
        sends_to="OpenAI (api.openai.com)",
    ),
    ProviderInfo(name="cogagent", title="CogAgent"),
    ProviderInfo(name="ui_tars", title="UI-TARS"),
    ProviderInfo(name="qwen", title="Qwen"),
    ProviderInfo(name="structured", title="A language model with structured output"),
    ProviderInfo(name="runbook", title="Runbook: plain text steps, no model", built=True),
    ProviderInfo(name="scripted", title="Scripted: prepared turns from a JSON file", built=True),
)

_BY_MODEL = (
    (re.compile(r"(models/)?gemini[-_.]", re.IGNORECASE), "gemini"),
    (re.compile(r"claude[-_.]", re.IGNORECASE), "anthropic"),
    (re.compile(r"(gpt-|o\d|computer-use-preview)", re.IGNORECASE), "openai"),
    (re.compile(r"(.*/)?cogagent", re.IGNORECASE), "cogagent"),
    (re.compile(r"(.*/)?(ui-?tars|doubao)", re.IGNORECASE), "ui_tars"),
    (re.compile(r"(.*/)?qwen", re.IGNORECASE), "qwen"),
    (re.compile(r"runbook$", re.IGNORECASE), "runbook"),
    (re.compile(r".*\.json$", re.IGNORECASE), "scripted"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What a provider is made with; each takes what it needs.

    Attributes:
        api_key: None leaves it to the SDK's environment variables.
        base_url: the same.
        reader: reads the screen, for the runbook.
    """

    api_key: str | None = None
    base_url: str | None = None
    gemini: GeminiSettings = field(default_factory=GeminiSettings)
    reader: Reader | None = None


def find(name: str) -> ProviderInfo:
    """The provider of this name. Raises OperatorError: unknown (exit 2)."""
    for info in PROVIDERS:
        if info.name == name:
            return info
    raise OperatorError(
        f"There is no provider {name!r}.",
        remedy=f"Use one of: {', '.join(info.name for info in PROVIDERS)}.",
        exit_code=ExitCode.USAGE,
    )


def resolve(provider: str = "", model: str = "") -> tuple[ProviderInfo, str]:
    """Provider and model of what was given: the one follows from the other, the default from nothing.

    Raises OperatorError: unknown provider, a model that tells no provider (exit 2), not in this version (exit 5).
    """
    info = _built(find(provider or _of_model(model)))
    if info.name == "scripted" and not model:
        raise OperatorError(
            "A scripted run needs a script.",
            remedy="Give the path of a JSON file as the model.",
            exit_code=ExitCode.USAGE,
        )
    return info, model or info.default_model


def _of_model(model: str) -> str:
    if not model:
        return DEFAULT_PROVIDER
    for pattern, name in _BY_MODEL:
        if pattern.match(model):
            return name
    raise OperatorError(
        f"Nothing tells whose model {model!r} is.",
        remedy="Name the provider too, or choose a model that `operator-console models list` shows.",
        exit_code=ExitCode.USAGE,
    )


def _built(info: ProviderInfo) -> ProviderInfo:
    if not info.built:
        usable = ", ".join(one.name for one in PROVIDERS if one.built)
        raise OperatorError(
            f"The provider {info.name!r} is not in this version.", remedy=f"This version has: {usable}."
        )
    return info


def _need_key(info: ProviderInfo, ingredients: Ingredients) -> None:
    if not info.needs_key or ingredients.api_key or any(os.environ.get(name, "").strip() for name in info.key_env):
        return
    raise OperatorError(
        f"There is no key for {info.title}.",
        remedy=f"Set {info.key_env[-1]}, or enter a key with `operator-console models key {info.name}`.",
    )


def create(provider: str, model: str, ingredients: Ingredients) -> GeminiProvider | RunbookProvider | ScriptedProvider:
    """Make a provider; connects to nothing yet.

    Raises what `resolve` does, and OperatorError where there is no key (exit 5) or the script is none (exit 2).
    """
    info, chosen = resolve(provider, model)
    _need_key(info, ingredients)
    if info.name == "gemini":
        from operator_console.providers.gemini import GeminiProvider

        return GeminiProvider(
            model=chosen,
            settings=ingredients.gemini,
            api_key=ingredients.api_key,
            base_url=ingredients.base_url,
        )
    if info.name == "runbook":
        from operator_console.providers.runbook import RunbookProvider

        if ingredients.reader is None:
            raise ValueError("the runbook needs a reader")
        return RunbookProvider(ingredients.reader)
    from operator_console.providers.scripted import ScriptedProvider

    return ScriptedProvider.from_file(Path(chosen))


def preload(provider: str) -> None:
    """Import what the provider will need; takes a second for some. Call it in a thread, before a lease is answered."""
    if find(provider).name == "gemini":
        import httpx2
        from google import genai

        from operator_console.providers import gemini_request

        _ = (httpx2, genai, gemini_request)


async def check(provider: str, model: str, ingredients: Ingredients) -> str:
    """Try the key and the model against the service; one sentence where all is well. Raises provider errors."""
    info, chosen = resolve(provider, model)
    _need_key(info, ingredients)
    if info.name == "gemini":
        from operator_console.providers import gemini

        return await gemini.check(chosen, api_key=ingredients.api_key, base_url=ingredients.base_url)
    return f"{info.title}: needs no key and no network."
