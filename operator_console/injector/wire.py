"""The format of messages on the socket pair between two of our processes: JSON objects, each preceded by its length.

The length is 4 bytes, big endian.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!I")
LIMIT_BYTES = 64 << 20
_READ_BYTES = 1 << 16


class BrokenPipe(ConnectionError):
    """The other end is closed, or sent something that is not a message."""


def packed(message: dict[str, Any]) -> bytes:
    """Encode one message."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(body)) + body


class Unpacker:
    """Decodes messages from a byte stream that arrives in arbitrary pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Add bytes; returns the messages that are now complete. Raises BrokenPipe if one cannot be decoded."""
        self._buffer += data
        messages: list[dict[str, Any]] = []
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > LIMIT_BYTES:
                raise BrokenPipe("a message is too long")
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                break
            body = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            messages.append(_decoded(body))
        return messages


def receive(channel: socket.socket, unpacker: Unpacker) -> list[dict[str, Any]]:
    """Read once (blocking if the socket is), and return the complete messages. Raises BrokenPipe at the end of file."""
    try:
        data = channel.recv(_READ_BYTES)
    except (BlockingIOError, InterruptedError):
        return []
    except OSError as error:
        raise BrokenPipe(str(error)) from error
    if not data:
        raise BrokenPipe("closed")
    return unpacker.feed(data)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise BrokenPipe("a message is not JSON") from error
    if not isinstance(message, dict):
        raise BrokenPipe("a message is not an object")
    return message
