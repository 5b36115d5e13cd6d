"""The operator's choice of theme. Free of Qt."""

from __future__ import annotations

from enum import StrEnum


class ThemeChoice(StrEnum):
    """Light, dark, or following the system."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
