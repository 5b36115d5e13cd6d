"""Where an API key is kept."""

from __future__ import annotations

from enum import StrEnum


class KeyPlace(StrEnum):
    """Where a key is kept, and so how long."""

    SESSION = "session"
    """In the memory of this process, until it ends."""
    ENVIRONMENT = "environment"
    """In an environment variable, which the console does not change."""
    KEYRING = "keyring"
    """In the system's keyring, until it is deleted."""
