"""All providers: built-in ones, and those of other packages.

Another package adds a provider with an entry point in the group `operator_console.providers`. The name of the entry
point is that of the provider, and its object is a `ProviderSpec`. It is imported when it is needed by name, or when all
providers are listed.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Provider
from operator_console.providers.anthropic import SPEC as ANTHROPIC
from operator_console.providers.cogagent import SPEC as COGAGENT
from operator_console.providers.gemini import SPEC as GEMINI
from operator_console.providers.openai import SPEC as OPENAI
from operator_console.providers.qwen import SPEC as QWEN
from operator_console.providers.runbook import SPEC as RUNBOOK
from operator_console.providers.scripted import SPEC as SCRIPTED
from operator_console.providers.spec import Ingredients, ProviderSpec
from operator_console.providers.structured import SPEC as STRUCTURED
from operator_console.providers.ui_tars import SPEC as UI_TARS

if TYPE_CHECKING:
    from pydantic import BaseModel

BUILT_IN: tuple[ProviderSpec, ...] = (GEMINI, ANTHROPIC, OPENAI, COGAGENT, UI_TARS, QWEN, STRUCTURED, RUNBOOK, SCRIPTED)
DEFAULT_PROVIDER = GEMINI.name
ENTRY_POINTS = "operator_console.providers"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A provider of another package that cannot be loaded. `problem` is a sentence."""

    name: str
    problem: str


class BrokenProvider(OperatorError):
    """An installed package names a provider that cannot be loaded."""


@functools.cache
def _installed() -> dict[str, EntryPoint]:
    """Entry points of other packages by name, not imported. Those with a name in use are ignored."""
    taken = {spec.name for spec in BUILT_IN}
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in taken:
            _log.warning("the provider %r of %s is ignored: the name is already in use", point.name, point.value)
        else:
            found.setdefault(point.name, point)
    return found


@functools.cache
def _loaded(name: str) -> ProviderSpec | Broken:
    point = _installed()[name]
    try:
        spec = point.load()
    except Exception as error:  # noqa: BLE001 - another package may fail in any way, and must not affect the others
        _log.exception("the provider %r (%s) cannot be loaded", name, point.value)
        said = f"{type(error).__name__}: {error}"
        return Broken(name=name, problem=notice(NoticeCode.LOADING_FAILED, object=point.value, error=said))
    if not isinstance(spec, ProviderSpec):
        return Broken(name=name, problem=notice(NoticeCode.NOT_A_PROVIDER_SPEC, object=point.value))
    if spec.name != name:
        problem = notice(NoticeCode.PROVIDER_NAMED_OTHERWISE, object=point.value, name=spec.name)
        return Broken(name=name, problem=problem)
    return spec


def specs() -> tuple[ProviderSpec, ...]:
    """All providers that can be used. Imports those of other packages."""
    others = (_loaded(name) for name in sorted(_installed()))
    return (*BUILT_IN, *(spec for spec in others if isinstance(spec, ProviderSpec)))


def broken() -> tuple[Broken, ...]:
    """Providers of other packages that cannot be loaded. Imports them all."""
    return tuple(found for name in sorted(_installed()) if isinstance(found := _loaded(name), Broken))


def find(name: str) -> ProviderSpec:
    """The provider with this name.

    Raises:
        OperatorError: The name is unknown (exit code 2), or the provider is broken (5).
    """
    for spec in BUILT_IN:
        if spec.name == name:
            return spec
    if name in _installed():
        return _usable(_loaded(name))
    raise OperatorError(
        notice(NoticeCode.NO_SUCH_PROVIDER, provider=name),
        remedy=notice(NoticeCode.USE_ONE_OF, names=", ".join(_names())),
        exit_code=ExitCode.USAGE,
    )


def is_name(text: str) -> bool:
    """Whether a provider has this name."""
    return text in _names()


def resolve(provider: str = "", model: str = "") -> tuple[ProviderSpec, str]:
    """The provider and model to use. Without a provider it follows from the model; without both, the default is used.

    Raises:
        OperatorError: The provider is unknown, or cannot be told from the model (exit code 2); or it is broken (5).
    """
    spec = find(provider) if provider else _of_model(model)
    if spec.model_is and not model:
        raise OperatorError(
            notice(NoticeCode.PROVIDER_NEEDS_MODEL, provider=spec.name),
            remedy=notice(NoticeCode.GIVE_AS_MODEL, what=spec.model_is),
            exit_code=ExitCode.USAGE,
        )
    return spec, model or spec.default_model


def create(provider: str, model: str, ingredients: Ingredients) -> Provider:
    """Create a provider, without connecting. Raises as `resolve` does, and OperatorError if the key is missing."""
    spec, chosen = resolve(provider, model)
    spec.require_key(ingredients)
    return spec.load(chosen, ingredients)


def options_of(name: str) -> type[BaseModel] | None:
    """The pydantic model of a provider's section in the settings file; None for an unknown provider.

    The section of a broken provider may have any content, so that it does not make the settings file invalid.
    """
    for spec in BUILT_IN:
        if spec.name == name:
            return spec.options()
    if name not in _installed():
        return None
    found = _loaded(name)
    if isinstance(found, Broken):
        from pydantic import ConfigDict, create_model

        return create_model("UnreadOptions", __config__=ConfigDict(extra="allow", frozen=True))
    return found.options()


def _of_model(model: str) -> ProviderSpec:
    if not model:
        return find(DEFAULT_PROVIDER)
    for spec in BUILT_IN:
        if spec.means(model):
            return spec
    for spec in specs():
        if spec.means(model):
            return spec
    raise OperatorError(
        notice(NoticeCode.PROVIDER_OF_MODEL_UNKNOWN, model=model),
        remedy=notice(NoticeCode.ADD_PROVIDER_OR_CHOOSE_MODEL),
        exit_code=ExitCode.USAGE,
    )


def _usable(found: ProviderSpec | Broken) -> ProviderSpec:
    if isinstance(found, Broken):
        raise BrokenProvider(
            notice(NoticeCode.PROVIDER_NOT_LOADED, provider=found.name),
            detail=found.problem,
            remedy=notice(NoticeCode.UPDATE_OR_UNINSTALL_PACKAGE),
        )
    return found


def _names() -> tuple[str, ...]:
    return (*(spec.name for spec in BUILT_IN), *sorted(_installed()))
