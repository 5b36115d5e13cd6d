"""What the set-up of a session takes: Protocols that `Services` and the classes of the other packages fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.engine.ports import Elements, Guard, Injector, Reader
from operator_console.providers.spec import ScreenElements, ScreenReader
from operator_console.settings.file_locations import Paths
from operator_console.settings.model import Settings


class SessionGuard(Guard, Protocol):
    """A guard whose stop kills process groups too.

    Attributes:
        resume_after_hand: whether the next session goes on by itself after a pause for the person's hand.
    """

    resume_after_hand: bool

    @property
    def human_input_s(self) -> float | None:
        """`time.monotonic()` of the last input from a physical device; None: none yet."""
        ...

    @property
    def devices_told(self) -> bool | None:
        """Whether the display tells a person's input from that of programs; None: not known yet."""
        ...

    async def set_killable(self, groups: Sequence[int]) -> None:
        """Set the process groups that a stop kills; replaces the list before. Raises OperatorError."""
        ...


class SessionReader(Reader, ScreenReader, Protocol):
    """Reads the screen, for the engine and for providers."""


class SessionElements(Elements, ScreenElements, Protocol):
    """Tells accessible elements, to the engine and to providers."""

    @property
    def switches_on(self) -> bool:
        """Whether accessibility is switched on in the desktop session until `close`."""
        ...

    async def start(self) -> None:
        """Prepare for the first question. Never raises."""
        ...


class SessionServices(Protocol):
    """What outlives a session, as far as a session uses it."""

    @property
    def paths(self) -> Paths:
        """Where files are."""
        ...

    @property
    def settings(self) -> Settings:
        """As last read or changed."""
        ...

    @property
    def own(self) -> OwnWindows:
        """The console's windows."""
        ...

    @property
    def guard(self) -> SessionGuard:
        """What stops."""
        ...

    @property
    def injector(self) -> Injector:
        """The only door to input."""
        ...

    @property
    def display(self) -> str:
        """The display where the human's stop is heard; NO_DISPLAY: it comes from terminals only."""
        ...

    @property
    def reader(self) -> SessionReader:
        """What reads the screen."""
        ...

    def warm_reader(self) -> None:
        """Prepare the reader for the first read. Returns at once."""
        ...
