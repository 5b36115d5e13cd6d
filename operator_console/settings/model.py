"""The settings with their types, defaults and limits. API keys are not settings."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from operator_console.domain.hotkeys import DEFAULT_HOTKEYS
from operator_console.domain.requests import DEFAULT_LEAD_TIME_S, DEFAULT_MAX_MINUTES, DEFAULT_MAX_STEPS
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category

_NAMED = re.compile(r"<[a-z][a-z0-9_]*>")
_MODIFIERS = frozenset(("<ctrl>", "<alt>", "<shift>", "<cmd>", "<alt_gr>"))


def _hotkey(text: str) -> str:
    """Validate a chord in the notation of pynput: one or more modifiers and a key (`<ctrl>+<alt>+x`)."""
    lowered = text.strip().lower()
    body = f"{lowered[:-2]}+plus" if lowered.endswith("++") else lowered
    *modifiers, key = body.split("+")
    key = "+" if lowered.endswith("++") else key
    if not modifiers or any(part not in _MODIFIERS for part in modifiers):
        raise ValueError(f"begin with one or more of {', '.join(sorted(_MODIFIERS))}, joined by +")
    if key in _MODIFIERS or not (len(key) == 1 or _NAMED.fullmatch(key)):
        raise ValueError("end with one key: a character, or a name such as <enter> or <f12>")
    if len(set(modifiers)) != len(modifiers):
        raise ValueError("name each key once")
    return "+".join((*modifiers, key))


def _allowed(category: Category) -> Category:
    if category in ALWAYS_ASKED:
        raise ValueError(f"{category.value} always needs confirmation and cannot be allowed")
    return category


Hotkey = Annotated[str, AfterValidator(_hotkey)]
Allowed = Annotated[Category, AfterValidator(_allowed)]


class _Section(BaseModel):
    """A section of the file. Unknown names are errors, so that misspelt settings are noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hotkeys(_Section):
    """Global hotkeys. `approve` works only while the card shows a question."""

    stop: Hotkey = DEFAULT_HOTKEYS.stop
    pause: Hotkey = DEFAULT_HOTKEYS.pause
    approve: Hotkey = DEFAULT_HOTKEYS.approve

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        chords = [frozenset(chord.split("+")) for chord in (self.stop, self.pause, self.approve)]
        if len(set(chords)) != len(chords):
            raise ValueError("stop, pause and approve must be three different chords")
        return self


class Theme(StrEnum):
    """Colour scheme of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Appearance(_Section):
    """Appearance of the window."""

    theme: Theme = Theme.SYSTEM
    reduced_motion: bool = False


class Timing(_Section):
    """Times in seconds. The lead time is how long the target is shown before an action that needs no confirmation."""

    lead_time_app_s: Annotated[float, Field(ge=0, le=60)] = DEFAULT_LEAD_TIME_S
    lead_time_run_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    typing_delay_s: Annotated[float, Field(ge=0, le=1)] = 0.0


class Paste(StrEnum):
    """Which texts are pasted from the clipboard instead of typed."""

    NEVER = "never"
    LONG = "long"


class Typing(_Section):
    """How text is typed.

    With `paste = "long"`, long texts with more distinct characters than there are spare keys are pasted with Ctrl+V;
    never into terminals, and never secrets or personal data.
    """

    paste: Paste = Paste.NEVER


class Accessibility(_Section):
    """The accessibility service, by which applications describe their controls.

    With `switch_on`, it is switched on while a session runs.
    """

    switch_on: bool = True


class SessionDefaults(_Section):
    """Defaults for new sessions. `allow` applies only with autonomy auto."""

    target: str = "monitor:1"
    provider: str = ""
    model: str = ""
    autonomy: Autonomy = Autonomy.GUARDED
    allow: tuple[Allowed, ...] = ()
    max_steps: Annotated[int, Field(ge=1)] = DEFAULT_MAX_STEPS
    max_minutes: Annotated[float, Field(gt=0)] = DEFAULT_MAX_MINUTES


def _function(path: str) -> str:
    """Validate the path of a Python function: package.module:function."""
    module, colon, name = path.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise ValueError("write each as package.module:function")
    return path


class Functions(_Section):
    """Python functions of the operator that the model may call. Each call needs confirmation."""

    enabled: tuple[Annotated[str, AfterValidator(_function)], ...] = ()
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0


class Notices(_Section):
    """Notices that the operator has seen: of providers, and of sessions interrupted by a crash."""

    seen: tuple[str, ...] = ()


class Settings(_Section):
    """All settings. `with_sections` adds the sections of providers."""

    hotkeys: Hotkeys = Hotkeys()
    appearance: Appearance = Appearance()
    timing: Timing = Timing()
    typing: Typing = Typing()
    accessibility: Accessibility = Accessibility()
    session: SessionDefaults = SessionDefaults()
    functions: Functions = Functions()
    notices: Notices = Notices()

    def section(self, provider: str) -> BaseModel | None:
        """The options of a provider; None if the file has no section for it."""
        found = getattr(self, provider, None) if provider not in Settings.model_fields else None
        return found if isinstance(found, BaseModel) else None


def with_sections(sections: Mapping[str, type[BaseModel]]) -> type[Settings]:
    """The model of the settings with additional sections for providers."""
    return _extended(tuple(sorted(sections.items(), key=lambda each: each[0]))) if sections else Settings


@functools.cache
def _extended(sections: tuple[tuple[str, type[BaseModel]], ...]) -> type[Settings]:
    fields: dict[str, Any] = {name: (options, options()) for name, options in sections}
    return create_model("SettingsWithProviders", __base__=Settings, **fields)
