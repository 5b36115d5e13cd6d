"""The operator's own pointer and keys, given through the preview of a target that has no window.

It is no action: no model proposed it, and no grant carries it. It counts only while the operator has taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, TypeAlias

from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint, Size
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HandUse:
    """How much the operator did, and nothing of what: button presses, keys, and texts committed or pasted."""

    presses: int = 0
    keys: int = 0
    texts: int = 0

    def and_then(self, given: HandInput) -> HandUse:
        """With this, too. Releases, repetitions, motions and the wheel do not count."""
        match given:
            case HandButton(down=True):
                return replace(self, presses=self.presses + 1)
            case HandKey(down=True, repeated=False):
                return replace(self, keys=self.keys + 1)
            case HandText() | HandClipboard():
                return replace(self, texts=self.texts + 1)
            case _:
                return self


UNUSED = HandUse()


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

    @property
    def used(self) -> HandUse:
        """What was given since everything was permitted last."""
        ...

    def permit(self, may: HandMay) -> None:
        """Permit this from now on, and nothing else: what waits is dropped, and what is held is released."""
        ...

    def give(self, given: HandInput) -> bool:
        """Give input to the target; False if it is not permitted, and then nothing of it is sent."""
        ...

    async def close(self) -> None:
        """Permit nothing any more, releasing what is held."""
        ...


class HandSender(Protocol):
    """Sends the operator's input to one target. Blocking; used in one thread."""

    def send(self, given: HandInput, permitted: Callable[[], bool]) -> str:
        """Send this while it is permitted, which is asked for before each event but a release.

        Returns a sentence for the operator where it cannot be sent, else "".
        """
        ...

    def release(self) -> None:
        """Release what is held, and disconnect. Never raises."""
        ...


class FarLine(Protocol):
    """What sends single events. Raises RfbError or OSError once it is lost."""

    @property
    def size(self) -> Size:
        """Of the target's screen."""
        ...

    @property
    def pointer_is_relative(self) -> bool | None:
        """Whether the pointer moves by steps only; None where that is not told."""
        ...

    @property
    def takes_positions(self) -> bool:
        """Whether keys are sent by their positions, so that Shift has to be as a character needs it."""
        ...

    @property
    def has_extended_clipboard(self) -> bool:
        """Whether it takes Unicode text."""
        ...

    def read_waiting(self) -> None:
        """Read what has been told meanwhile."""
        ...

    def pointer(self, x: int, y: int, mask: int) -> None:
        """Move the pointer to a native pixel and hold the buttons of `mask`: bit 0 is button 1."""
        ...

    def key(self, keysym: int, down: bool, scancode: int = 0) -> None:
        """Press or release a key."""
        ...

    def clipboard(self, text: str) -> None:
        """Offer text to be pasted there."""
        ...

    def wait_until_fetched(self, within_s: float, wanted: Callable[[], bool]) -> bool:
        """Wait until the offered text was fetched; False where it was not in time, or is not wanted any more."""
        ...

    def acknowledge(self, within_s: float, wanted: Callable[[], bool] | None = None) -> bool:
        """Wait until what was sent has been handled; False as above."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...
