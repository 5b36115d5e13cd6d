"""Messages between this program's processes: JSON objects, one a line; bytes may follow a line.

How many bytes follow is told by the object's `payload`. Lines are ASCII. Both ends always have the same version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import socket

LIMIT_BYTES = 64 << 20
_READ_BYTES = 1 << 16


class BrokenPipe(ConnectionError):
    """The other end is closed, or sent something that is not a message."""


def packed(message: Mapping[str, object]) -> bytes:
    """Encode a message, without its payload."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def unpacked(line: bytes) -> dict[str, Any]:
    """Decode a message. Raises ValueError if it is not a JSON object."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("a message is not an object")
    return message


def read(pipe: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Read the next message and its payload, blocking; None at the end of the pipe. Raises ValueError as `unpacked`."""
    line = pipe.readline()
    if not line.endswith(b"\n"):
        return None
    message = unpacked(line)
    length = int(message.get("payload", 0))
    payload = pipe.read(length) if length else b""
    return (message, payload) if len(payload) == length else None


class Unpacker:
    """Decodes messages without payload from bytes that arrive in arbitrary pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Add bytes; returns the messages that are now complete. Raises BrokenPipe if one cannot be decoded."""
        complete, end, rest = data.rpartition(b"\n")
        if not end:
            self._buffer += rest
            lines = []
        else:
            lines = (bytes(self._buffer) + complete).split(b"\n")
            self._buffer = bytearray(rest)
        if len(self._buffer) > LIMIT_BYTES:
            raise BrokenPipe("a message is too long")
        try:
            return [unpacked(line) for line in lines]
        except ValueError as error:
            raise BrokenPipe(str(error)) from error


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
