"""`ProviderSpec`, which describes a provider, and `Ingredients`, from which one is created.

Importing a spec imports no vendor's SDK: its functions do that when they are called.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Provider
from operator_console.domain.translations import _

if TYPE_CHECKING:
    from pydantic import BaseModel

    from operator_console.domain.elements import Element
    from operator_console.domain.frames import Frame, TextBox
    from operator_console.domain.geometry import Rect

Options = TypeVar("Options", bound="BaseModel")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class ScreenReader(Protocol):
    """Reads the text on frames."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """The texts in a region of the frame (None: all of it), in native pixels and reading order."""
        ...

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field that belongs to the label at `label`, in native pixels, or None."""
        ...


class ScreenElements(Protocol):
    """Tells the accessible elements of the target."""

    async def visible(self, frame: Frame) -> Sequence[Element]:
        """The visible elements of the target that a person can read or use, in reading order; boxes in native pixels.
        Bounded in time and number, never raises: empty where nothing is told."""
        ...

    async def listed(self, frame: Frame) -> Sequence[Element]:
        """As `visible`, in less time: texts that are only read tell no more than role, name, states and box."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What a provider is created from.

    Attributes:
        api_key: None for that in the SDK's environment variables.
        base_url: Address of the service; None for that in the SDK's environment variables, or its default.
        options: An instance of the options model of the spec; None for its defaults.
        reader: Reads the screen; present if the spec has `needs_reader`.
        elements: Tells what the applications say about their controls; given with `reader` where that is available.
    """

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    options: BaseModel | None = None
    reader: ScreenReader | None = None
    elements: ScreenElements | None = None

    def options_as(self, kind: type[Options]) -> Options:
        """The options, or the defaults of `kind`. Raises TypeError if they are of another type."""
        options = kind() if self.options is None else self.options
        if not isinstance(options, kind):
            raise TypeError(f"{type(options).__name__} is not {kind.__name__}")
        return options


def named(name: str) -> Callable[[], Any]:
    """A function that gives the object "module:object"; the module is imported when it is called."""
    return functools.partial(_imported, name)


def provider_named(name: str, options: str) -> Callable[[str, Ingredients], Provider]:
    """The `load` of a provider's class, "module:class", whose options are of the class `options`."""

    def load(model: str, ingredients: Ingredients) -> Provider:
        made: Provider = _imported(name)(
            model=model,
            options=ingredients.options_as(_imported(options)),
            api_key=ingredients.api_key,
            base_url=ingredients.base_url,
        )
        return made

    return load


def importing(*names: str) -> Callable[[], None]:
    """A `preload` that imports these modules, and calls the functions ("module:function") among them."""

    def preload() -> None:
        for found in map(_imported, names):
            if callable(found):
                found()

    return preload


def _imported(name: str) -> Any:
    import pkgutil

    return pkgutil.resolve_name(name)


@functools.cache
def _no_options() -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    return create_model("NoOptions", __config__=ConfigDict(extra="forbid", frozen=True))


def _nothing_to_import() -> None:
    """The default for `preload`."""


def _in_actions(model: str, options: Mapping[str, object]) -> bool:
    """The default for `answers_text`."""
    return False


def in_words(model: str, options: Mapping[str, object]) -> bool:
    """An `answers_text` of models that all do."""
    return True


def in_words_unless_computer_use(model: str, options: Mapping[str, object]) -> bool:
    """An `answers_text` of vendors whose models with "computer-use" in their name demand the computer-use tool."""
    return "computer-use" not in model.lower()


def _any_task(task: str) -> None:
    """The default for `check_task`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A cloud that also serves a vendor's models, chosen by the option `cloud`. Credentials come from where the cloud's
    own tools keep them, or a key is given instead.

    Attributes:
        name: The value of the option.
        title: The service for people.
        key_env: Environment variables with a key; empty if it takes none.
        url: The usual address; "" if it depends on options.
        url_env: Environment variable with another address.
    """

    name: str
    title: str
    key_env: tuple[str, ...] = ()
    url: str = ""
    url_env: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """Describes a provider.

    Attributes:
        name: Its name on the command line, in records and as a section of the settings file; [a-z][a-z0-9_]*.
        title: Its name for people.
        choice: Its entry in the window's list of models if `models` is empty, or what is added to the names of models
            that do not imply it; "" for the title.
        load: Creates the provider for a model, without connecting.
        default_model: "" if there is none.
        models: Known models; others may be given, too.
        model_pattern: Regular expression that matches the start of the models that imply this provider, ignoring case;
            "" if no model does.
        model_is: What is given in place of a model ("the path of a JSON file"), or "". Such a provider needs --model
            and is not offered in the window.
        key_env: Environment variables with the key, in order of precedence; empty if there are no keys.
        key_page: Address of the page where a person gets a key; "" if there is none.
        key_optional: Whether it can also be used without a key, as many endpoints can that one runs oneself.
        sends_to: Who gets the pictures and texts; "" if they do not leave the computer. Required if `key_env` is not
            empty.
        url: Its usual address; "" if it has none, or several.
        url_env: Environment variable with another address of the service, "" if there is none.
        clouds: Other services that have its models.
        needs_reader: Whether `Ingredients.reader` is needed.
        options: Returns the pydantic model of its section in the settings file. All fields need defaults.
        preload: Imports the modules that the first turn needs. Runs in a thread.
        answers_text: Whether a model, with these options, answers a text without a picture in words; its provider is
            an `AnswersPrompts` then. Other models know actions alone.
        check_task: Raises TaskMistake if the task cannot be used. Runs in a thread, before a session opens anything.

    Raises:
        ValueError: The attributes are incomplete or contradict each other.
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
    key_page: str = ""
    key_optional: bool = False
    sends_to: str = ""
    url: str = ""
    url_env: str = ""
    clouds: tuple[Cloud, ...] = ()
    needs_reader: bool = False
    options: Callable[[], type[BaseModel]] = _no_options
    preload: Callable[[], None] = _nothing_to_import
    answers_text: Callable[[str, Mapping[str, object]], bool] = _in_actions
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
        if not all(map(callable, (self.load, self.options, self.preload, self.answers_text, self.check_task))):
            return "load, options, preload, answers_text and check_task must be functions"
        if self.key_env and not self.sends_to:
            return "a provider with a key needs `sends_to`"
        if self.models and self.default_model not in self.models:
            return "its default model is not among its models"
        if self.model_is and (self.models or self.default_model):
            return "with `model_is` there can be no known models"
        try:
            re.compile(self.model_pattern)
        except re.error as error:
            return f"its model pattern is not a regular expression ({error})"
        return ""

    @property
    def model_title(self) -> str:
        """Its entry in a list of models if it has no known models; else what tells its models from another's."""
        return self.choice or self.title

    @property
    def needs_key(self) -> bool:
        """Whether a key is needed."""
        return bool(self.key_env) and not self.key_optional

    def at(self, options: Mapping[str, object]) -> ProviderSpec:
        """What holds for the service that the options name: where it is, whom it belongs to, and its keys, which are
        not those of the vendor's own service. The name is that of its keys."""
        chosen = next((cloud for cloud in self.clouds if cloud.name == options.get("cloud")), None)
        if chosen is None:
            return self
        return replace(
            self,
            name=f"{self.name}_{chosen.name}",
            key_env=chosen.key_env,
            key_page="",
            key_optional=True,
            sends_to=chosen.title,
            url=chosen.url,
            url_env=chosen.url_env,
        )

    def means(self, model: str) -> bool:
        """Whether this model implies the provider."""
        return bool(self.model_pattern) and re.match(self.model_pattern, model, re.IGNORECASE) is not None

    def addresses(self, base_url: str | None, options: Mapping[str, object]) -> tuple[str, ...]:
        """The addresses that are set for it: this one, or else in its options or the environment."""
        first = base_url or str(options.get("base_url") or "") or os.environ.get(self.url_env, "").strip()
        others = [str(value) for name, value in options.items() if name.endswith("_base_url") and value]
        return tuple(each for each in (first, *others) if each)

    @property
    def worded_title(self) -> str:
        """The title in the reader's language."""
        return _(self.title)

    @property
    def recipient(self) -> str:
        """Who gets the pictures and texts where no address is set, in the reader's language; "" for nobody."""
        return _(self.sends_to) if self.sends_to else ""

    def proxies(self, addresses: tuple[str, ...]) -> str:
        """The proxies that pictures and texts go through to these addresses, or to its usual one, for people.

        "" for none. Blocks: it may import an HTTP client.
        """
        import urllib.request

        if not self.sends_to or not urllib.request.getproxies():
            return ""
        from operator_console.environment_proxies import proxies_for

        return proxies_for(*(addresses or (self.url,)))

    def require_key(self, ingredients: Ingredients) -> None:
        """Raise OperatorError (exit code 5) if a key is needed, and neither given nor in the environment."""
        options = ingredients.options.model_dump() if ingredients.options is not None else {}
        needed = self.at(options).needs_key
        if not needed or ingredients.api_key or any(os.environ.get(name, "").strip() for name in self.key_env):
            return
        *most, last = self.key_env
        if most:
            detail = notice(NoticeCode.KEY_VARIABLES_UNSET, variables=", ".join(most), last=last)
        else:
            detail = notice(NoticeCode.KEY_VARIABLE_UNSET, variable=last)
        raise OperatorError(
            notice(NoticeCode.NO_SERVICE_KEY, service=self.title),
            detail=detail,
            remedy=notice(NoticeCode.SET_SERVICE_KEY, variable=last, provider=self.name),
        )
