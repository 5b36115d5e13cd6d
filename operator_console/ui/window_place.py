"""What the window remembers from one start to the next: its arrangement, and the set-up. Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Part(StrEnum):
    """A part whose size a person can choose, by its name in the file."""

    SIDE = "side"
    INSPECTOR = "inspector"
    HELP_CONTENTS = "help contents"
    HELP_WIDTH = "help width"
    HELP_HEIGHT = "help height"
    LIBRARY_WIDTH = "library width"
    LIBRARY_HEIGHT = "library height"


class WindowPlace(NamedTuple):
    """`geometry`: as Qt writes it; "" for none. `sizes`: chosen sizes of parts, in logical pixels, by name."""

    geometry: str = ""
    sizes: Mapping[str, int] = MappingProxyType({})

    def chosen(self) -> dict[Part, int]:
        """The sizes of the parts that this version knows."""
        return {part: self.sizes[part.value] for part in Part if self.sizes.get(part.value, 0) > 0}


NO_PLACE = WindowPlace()


class RememberedSetup(NamedTuple):
    """The set-up of the last session that was begun, as the window showed it.

    Attributes:
        target: its specification.
        autonomy: the value of the level.
    """

    target: str
    target_title: str
    model_title: str
    autonomy: str
    max_steps: int
    max_minutes: int

    @classmethod
    def read(cls, found: Mapping[str, str | int]) -> RememberedSetup | None:
        """From unchecked values by name; None if one is missing or of another type."""
        texts = [found.get(name) for name in ("target", "target_title", "model_title", "autonomy")]
        limits = [found.get(name) for name in ("max_steps", "max_minutes")]
        if not all(isinstance(text, str) and text for text in texts) or not all(type(each) is int for each in limits):
            return None
        return cls(*texts, *limits)  # type: ignore[arg-type]

    def differences(self, other: RememberedSetup | None) -> tuple[str, ...]:
        """The names of the values that differ; none where nothing is known of the other."""
        if other is None:
            return ()
        return tuple(name for name in self._fields if getattr(self, name) != getattr(other, name))
