"""The format of the DevTools messages on pipes and sockets: JSON objects, each ended by a NUL byte.

It is Chromium's own format for `--remote-debugging-pipe`, which the browser host keeps on its sockets.
"""

from __future__ import annotations

import json
from typing import Any

LIMIT_BYTES = 128 << 20
"""A message that is longer ends the connection. The picture of a large page takes some megabytes."""


class NotAMessage(ConnectionError):
    """The other end sent something that is no message, or too long a one."""


def packed(message: dict[str, Any]) -> bytes:
    """Encode one message."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\0"


class Unpacker:
    """Decodes messages from a byte stream that arrives in arbitrary pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Add bytes; returns the messages that are now complete. Raises NotAMessage."""
        *complete, rest = data.split(b"\0")
        messages = []
        for end in complete:
            messages.append(_decoded(b"".join((*self._pieces, end))))
            self._pieces, self._length = [], 0
        if rest:
            self._pieces.append(rest)
            self._length += len(rest)
        if self._length > LIMIT_BYTES:
            raise NotAMessage("a message is too long")
        return messages


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise NotAMessage(str(error)) from error
    if not isinstance(message, dict):
        raise NotAMessage("a message is no object")
    return message
