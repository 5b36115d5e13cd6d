"""Light, dark or as the system has it: what the operator chose. A value, not Qt; `theme` follows it."""

from __future__ import annotations

from enum import StrEnum


class ThemeChoice(StrEnum):
    """Light, dark or as the system has it."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
