"""The secrets of the keyring, as a session types them by name. Implements `engine.ports.SecretPort`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from operator_console.desktop.terminal_echo import asks_silently
from operator_console.domain.secrets_by_name import NamedSecret
from operator_console.settings.named_secrets import load_secrets


class SessionSecrets:
    """Read once, when it is made, which blocks. Raises KeyringUnusable if the keyring cannot be read."""

    def __init__(self) -> None:
        stored = load_secrets()
        self.secrets: Sequence[NamedSecret] = tuple(each.secret for each in stored)
        self._values = {each.secret.name: each.value for each in stored}

    def value(self, name: str) -> str:
        """The value of a secret."""
        return self._values[name]

    async def asks_silently(self, pid: int) -> bool:
        """Whether the terminal of a process asks for a password now; False where that is not known."""
        return await asyncio.to_thread(asks_silently, pid)
