"""The operator's own pointer and keys, given through the preview of a target that has no window.

It is no action: no model proposed it, and no grant carries it. It counts only while the operator has taken over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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
    """The wheel was turned, by CSS pixels of the page; down and right are positive."""

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


HandInput: TypeAlias = HandMove | HandButton | HandWheel | HandKey | HandText | HandTab
