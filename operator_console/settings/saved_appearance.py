"""Reads the saved appearance quickly, for the first picture of the window, before all settings are read and checked.

Importing pydantic to check them takes a tenth of a second.
"""

from __future__ import annotations

from typing import NamedTuple

from operator_console.settings.file_locations import find_paths


class SavedAppearance(NamedTuple):
    """The words and the number in the settings file, unchecked; as here where there is none."""

    theme: str = ""
    contrast: str = ""
    text_size: float = 1.0


def saved_appearance() -> SavedAppearance:
    """The appearance in the settings file; the defaults if the file cannot be read."""
    try:
        text = find_paths().settings.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return SavedAppearance()
    import tomllib

    try:
        found = tomllib.loads(text).get("appearance")
    except tomllib.TOMLDecodeError:
        return SavedAppearance()
    if not isinstance(found, dict):
        return SavedAppearance()
    theme, contrast, size = found.get("theme"), found.get("contrast"), found.get("text_size")
    return SavedAppearance(
        theme=theme if isinstance(theme, str) else "",
        contrast=contrast if isinstance(contrast, str) else "",
        text_size=float(size) if isinstance(size, int | float) and not isinstance(size, bool) else 1.0,
    )
