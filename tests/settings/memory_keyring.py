"""A keyring in memory for tests, selected with PYTHON_KEYRING_BACKEND."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Stores secrets in memory."""

    priority = 0.1
    name = "Memory keyring"
    kept: ClassVar[dict[tuple[str, str], str]] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        try:
            del self.kept[service, username]
        except KeyError:
            raise PasswordDeleteError("no such password") from None


@contextmanager
def memory_keyring() -> Iterator[MemoryKeyring]:
    """An empty keyring in memory, in place of the present one."""
    before, kept = keyring.get_keyring(), MemoryKeyring.kept
    kind: Any = MemoryKeyring  # keyring's constructors carry no types
    backend: MemoryKeyring = kind()
    MemoryKeyring.kept = {}
    keyring.set_keyring(backend)
    try:
        yield backend
    finally:
        keyring.set_keyring(before)
        MemoryKeyring.kept = kept
