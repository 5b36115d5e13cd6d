"""The scheme of the window's first picture, before the settings are read in earnest (`file`).

Reading them takes a tenth of a second, most of it for importing what checks them. A word that is wrong here shows for
that long, and no longer: `file` then says what is the matter.
"""

from __future__ import annotations

from operator_console.settings.paths import find_paths


def kept_scheme() -> str:
    """The word of the settings file; "" where there is none, or none that can be read."""
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
