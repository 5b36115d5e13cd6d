"""The keys of kept browser profiles, in the system's keyring."""

from __future__ import annotations

from collections.abc import Callable

from operator_console.settings.api_keys import find_secret, store_secret


def profile_key(name: str, make: Callable[[], str]) -> str:
    """The key of a profile, made and stored where there is none. Blocks. Raises KeyringUnusable."""
    entry = f"browser-profile:{name}"
    if (found := find_secret(entry)) is not None:
        return found
    made = make()
    store_secret(entry, made)
    return made
