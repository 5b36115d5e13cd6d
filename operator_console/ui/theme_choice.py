"""The operator's choice of theme, contrast and text size. Free of Qt."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

LEAST_TEXT_SIZE, LARGEST_TEXT_SIZE = 0.8, 2.0


class ThemeChoice(StrEnum):
    """Light, dark, or following the system."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class ContrastChoice(StrEnum):
    """Ordinary or high contrast, or following the system."""

    SYSTEM = "system"
    NORMAL = "normal"
    HIGH = "high"


class Look(NamedTuple):
    """What the operator chose. `text_size` multiplies the system's text size."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    contrast: ContrastChoice = ContrastChoice.SYSTEM
    text_size: float = 1.0

    @classmethod
    def read(cls, theme: str, contrast: str, text_size: float) -> Look:
        """From unchecked values; what is not known counts as the default."""
        return cls(
            ThemeChoice(theme) if theme in set(ThemeChoice) else ThemeChoice.SYSTEM,
            ContrastChoice(contrast) if contrast in set(ContrastChoice) else ContrastChoice.SYSTEM,
            min(LARGEST_TEXT_SIZE, max(LEAST_TEXT_SIZE, text_size)),
        )


DEFAULT_LOOK = Look()
