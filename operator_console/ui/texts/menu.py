"""The main menu, the window of keyboard shortcuts, and About."""

from __future__ import annotations

SHORTCUTS = "Keyboard shortcuts"


LICENCE = "Apache License 2.0"


def version(number: str) -> str:
    """The version of this program."""
    return f"Version {number}"


def with_keys(text: str, keys: str) -> str:
    """A tooltip with the keys that do the same."""
    return f"{text} ({keys})"
