"""The settings, typed: what each one is, its default, and what is refused. Not their file (see `file`), no keys."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from operator_console.domain.requests import DEFAULT_MAX_MINUTES, DEFAULT_MAX_STEPS, LEAD_TIME_APP_S
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category

_NAMED = re.compile(r"<[a-z][a-z0-9_]*>")
_MODIFIERS = frozenset(("<ctrl>", "<alt>", "<shift>", "<cmd>", "<alt_gr>"))


def _hotkey(text: str) -> str:
    """A chord in pynput's notation: at least one modifier, then one key (`<ctrl>+<alt>+x`)."""
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
        raise ValueError(f"{category.value} is always asked and cannot be allowed")
    return category


Hotkey = Annotated[str, AfterValidator(_hotkey)]
Allowed = Annotated[Category, AfterValidator(_allowed)]


class _Section(BaseModel):
    """Unknown names are refused: a misspelt setting that does nothing is worse than a sentence about it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hotkeys(_Section):
    """Global chords. Stop works in every layout; approve only while a side-card review is open."""

    stop: Hotkey = "<ctrl>+<alt>+x"
    pause: Hotkey = "<ctrl>+<alt>+p"
    approve: Hotkey = "<ctrl>+<alt>+<enter>"

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        chords = [frozenset(chord.split("+")) for chord in (self.stop, self.pause, self.approve)]
        if len(set(chords)) != len(chords):
            raise ValueError("stop, pause and approve must be three different chords")
        return self


class Theme(StrEnum):
    """How the window looks."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Appearance(_Section):
    """The window."""

    theme: Theme = Theme.SYSTEM
    reduced_motion: bool = False


class Timing(_Section):
    """Times in seconds. The lead time is how long a reticle is seen before an action nobody is asked about."""

    lead_time_app_s: Annotated[float, Field(ge=0, le=60)] = LEAD_TIME_APP_S
    lead_time_run_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    typing_delay_s: Annotated[float, Field(ge=0, le=1)] = 0.0


class Paste(StrEnum):
    """Which texts are typed by way of the clipboard."""

    NEVER = "never"
    LONG = "long"


class Typing(_Section):
    """How text is typed. `paste = "long"`: what is long and holds more different characters than there are keys to
    lend goes by the clipboard and Ctrl+V; never into terminals, never secrets or personal data."""

    paste: Paste = Paste.NEVER


class SessionDefaults(_Section):
    """What a new session starts with. `allow` counts with autonomy auto only."""

    target: str = "monitor:1"
    provider: str = ""
    model: str = ""
    autonomy: Autonomy = Autonomy.GUARDED
    allow: tuple[Allowed, ...] = ()
    max_steps: Annotated[int, Field(ge=1)] = DEFAULT_MAX_STEPS
    max_minutes: Annotated[float, Field(gt=0)] = DEFAULT_MAX_MINUTES


class Notices(_Section):
    """What the operator has been told: providers whose notice was seen, records that were offered after a crash."""

    seen: tuple[str, ...] = ()


class Settings(_Section):
    """Everything that is set. Sections of providers are added by `with_sections`."""

    hotkeys: Hotkeys = Hotkeys()
    appearance: Appearance = Appearance()
    timing: Timing = Timing()
    typing: Typing = Typing()
    session: SessionDefaults = SessionDefaults()
    notices: Notices = Notices()

    def section(self, provider: str) -> BaseModel | None:
        """The options of a provider, where the file has a section of that name."""
        found = getattr(self, provider, None) if provider not in Settings.model_fields else None
        return found if isinstance(found, BaseModel) else None


def with_sections(sections: Mapping[str, type[BaseModel]]) -> type[Settings]:
    """The settings with one more section for each provider given, all at their defaults."""
    return _extended(tuple(sorted(sections.items(), key=lambda each: each[0]))) if sections else Settings


@functools.cache
def _extended(sections: tuple[tuple[str, type[BaseModel]], ...]) -> type[Settings]:
    fields: dict[str, Any] = {name: (options, options()) for name, options in sections}
    return create_model("SettingsWithProviders", __base__=Settings, **fields)
