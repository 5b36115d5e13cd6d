"""What the window remembers of its arrangement from one start to the next. Free of Qt."""

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
