"""Other packages' providers, of which the registry remembers what it found."""

from __future__ import annotations

from operator_console.providers import registry


def forget_installed() -> None:
    """Have the registry look again."""
    registry._installed.cache_clear()
    registry._loaded.cache_clear()
