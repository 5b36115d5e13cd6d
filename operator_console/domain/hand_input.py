"""The operator's own pointer and keys, given through the preview of a target that has no window.

It is no action: no model proposed it, and no grant carries it. It counts only while the operator has taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key

NO_KEYS: frozenset[Key] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMove:
    """The pointer moved. `holding`: the modifiers that are held, as in all others."""

    at: NativePoint
    holding: frozenset[Key] = NO_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class HandButton:
    """A button went down or up; `count`: 2 for the second press of a double click."""

    button: Button
    down: bool
    at: NativePoint
    count: int = 1
    holding: frozenset[Key] = NO_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWheel:
    """The wheel was turned, by CSS pixels of a page (`scrolling.PX_PER_NOTCH`); down and right are positive."""

    at: NativePoint
    dx: float
    dy: float
    holding: frozenset[Key] = NO_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class HandKey:
    """A key went down or up; `text`: what it writes in the operator's own layout, "" for nothing."""

    key: Key
    down: bool
    text: str = ""
    repeated: bool = False
    holding: frozenset[Key] = NO_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class HandText:
    """Text without keys, as an input method commits it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTab:
    """A tab was chosen, by its number from 1. It counts while the session is paused as well."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandClipboard:
    """The text that the operator pastes: the keys that paste it follow."""

    text: str


HandInput: TypeAlias = HandMove | HandButton | HandWheel | HandKey | HandText | HandTab | HandClipboard


class HandMay(Enum):
    """What the operator's hand may do now."""

    NOTHING = "nothing"
    CHOOSE_TABS = "choose tabs"
    """While the session is paused."""
    EVERYTHING = "everything"
    """While the operator has taken over."""


class Hand(Protocol):
    """The way of the operator's own input into one target. Nothing is permitted at first.

    Attributes:
        told: called with a sentence for the operator where input cannot be given.
    """

    told: Callable[[str], None]

    def permit(self, may: HandMay) -> None:
        """Permit this from now on, and nothing else: what waits is dropped, and what is held is released."""
        ...

    def give(self, given: HandInput) -> bool:
        """Give input to the target; False if it is not permitted, and then nothing of it is sent."""
        ...

    async def close(self) -> None:
        """Permit nothing any more, releasing what is held."""
        ...
