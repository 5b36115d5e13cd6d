"""What the console must know of a provider: one `ProviderSpec` each, and what a provider is made from.

A spec is light: importing it imports no vendor's SDK. Everything slow stands inside its functions.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from operator_console.domain.errors import OperatorError
from operator_console.domain.proposals import Provider

if TYPE_CHECKING:
    from pydantic import BaseModel

    from operator_console.domain.frames import Frame, TextBox
    from operator_console.domain.geometry import Rect

Options = TypeVar("Options", bound="BaseModel")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class ScreenReader(Protocol):
    """Reads text off frames, for providers that find things by their text."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """Texts in a region (None: the whole frame), in native pixels and reading order."""
        ...

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field that the text in `label` names, in native pixels; None where there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What a provider is made from.

    Attributes:
        api_key: None leaves it to the SDK's environment variables.
        base_url: address of the service; None leaves it to the SDK's environment variables.
        options: an instance of the spec's options model; None stands for its defaults.
        reader: reads the screen; given where the spec says `needs_reader`.
    """

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    options: BaseModel | None = None
    reader: ScreenReader | None = None

    def options_as(self, kind: type[Options]) -> Options:
        """The options, or their defaults. Raises TypeError where they are another provider's."""
        options = kind() if self.options is None else self.options
        if not isinstance(options, kind):
            raise TypeError(f"{type(options).__name__} are no {kind.__name__}")
        return options


@functools.cache
def _no_options() -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    return create_model("NoOptions", __config__=ConfigDict(extra="forbid", frozen=True))


def _nothing_to_import() -> None:
    """Most providers import nothing slow."""


def _any_task(task: str) -> None:
    """Most providers take any text as a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """One provider.

    Attributes:
        name: on the command line, in the record, and of its section in the settings file; lower case, [a-z0-9_].
        title: for people.
        choice: what stands in the window's list of models where it has none by name; "" is the title.
        load: makes a provider for a model from its ingredients; connects to nothing yet.
        default_model: "" where there is none.
        models: those known by name; others may be given.
        model_pattern: regular expression that matches, from the start and whatever the case, the models that mean this
            provider where none is named; "" where a model never does.
        model_is: what the model names where it is no model ("the path of a JSON file"); such a provider needs one on
            the command line and is not offered in the window.
        key_env: environment variables that may hold the key, in the order in which they count; empty: no key is needed.
        sends_to: to whom pictures and texts go, "" where nothing leaves the machine.
        needs_reader: it finds things by their text and must be given a reader of the screen.
        options: the pydantic model of its section in the settings file. Every field needs a default.
        check: the smallest real request, with the key and the model; one sentence where all is well. Raises provider
            errors. Needed where a key is.
        preload: imports what the first turn would otherwise wait for; called in a thread.
        check_task: reads a task before anything is opened for it, and raises TaskMistake where it cannot be used;
            called in a thread.

    Raises:
        ValueError: a part is missing or cannot be right.
    """

    name: str
    title: str
    load: Callable[[str, Ingredients], Provider]
    choice: str = ""
    default_model: str = ""
    models: tuple[str, ...] = ()
    model_pattern: str = ""
    model_is: str = ""
    key_env: tuple[str, ...] = ()
    sends_to: str = ""
    needs_reader: bool = False
    options: Callable[[], type[BaseModel]] = _no_options
    check: Callable[[str, Ingredients], Awaitable[str]] | None = None
    preload: Callable[[], None] = _nothing_to_import
    check_task: Callable[[str], None] = _any_task

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise ValueError(f"provider {self.name!r}: {problem}")

    def _problem(self) -> str:
        if not _NAME.fullmatch(self.name):
            return "its name must be lower case letters, digits and underscores"
        if not self.title.strip():
            return "it has no title"
        if not all(map(callable, (self.load, self.options, self.preload, self.check_task))):
            return "load, options, preload and check_task must be functions"
        if self.needs_key and (self.check is None or not self.sends_to):
            return "a provider with a key needs `check` and `sends_to`"
        if self.models and self.default_model not in self.models:
            return "its default model is not among its models"
        if self.model_is and (self.models or self.default_model):
            return "its model is no model, so none can be known"
        try:
            re.compile(self.model_pattern)
        except re.error as error:
            return f"its model pattern is no regular expression ({error})"
        return ""

    @property
    def model_title(self) -> str:
        """What to call it where it has no model by name."""
        return self.choice or self.title

    @property
    def needs_key(self) -> bool:
        """Whether a key is needed."""
        return bool(self.key_env)

    def means(self, model: str) -> bool:
        """Whether this model tells that the provider is meant."""
        return bool(self.model_pattern) and re.match(self.model_pattern, model, re.IGNORECASE) is not None

    def require_key(self, ingredients: Ingredients) -> None:
        """Raises OperatorError (exit 5) where a key is needed, and neither given nor in the environment."""
        if not self.needs_key or ingredients.api_key or any(os.environ.get(name, "").strip() for name in self.key_env):
            return
        raise OperatorError(
            f"There is no key for {self.title}.",
            detail=f"Neither {' nor '.join(self.key_env)} is set, and the keyring has none.",
            remedy=f"Set {self.key_env[-1]}, or run `operator-console models key {self.name}`.",
        )
