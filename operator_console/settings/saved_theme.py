"""Reads the saved theme quickly, for the first picture of the window, before all settings are read and checked.

Importing pydantic to check them takes a tenth of a second.
"""

from __future__ import annotations

from operator_console.settings.file_locations import find_paths


def saved_theme() -> str:
    """The theme in the settings file, unchecked; "" if there is none or the file cannot be read."""
    try:
        text = find_paths().settings.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    import tomllib

    try:
        appearance = tomllib.loads(text).get("appearance")
    except tomllib.TOMLDecodeError:
        return ""
    word = appearance.get("theme") if isinstance(appearance, dict) else None
    return word if isinstance(word, str) else ""
