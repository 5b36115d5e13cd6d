"""What goes over the private pipe between the console and the acting child: length-prefixed JSON, one message a frame.

Both ends are ours; the pipe is a socket pair made for this run, so there is no name to connect to. Pure framing.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_HEAD = struct.Struct("!I")
LIMIT_BYTES = 64 << 20
_CHUNK = 1 << 16


class BrokenPipe(ConnectionError):
    """The other end is gone or talks nonsense."""


def packed(message: dict[str, Any]) -> bytes:
    """One frame."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _HEAD.pack(len(body)) + body


class Unpacker:
    """Collects bytes and gives whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The messages that are complete now. Raises BrokenPipe for a frame that cannot be one of ours."""
        self._buffer += data
        found: list[dict[str, Any]] = []
        while len(self._buffer) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._buffer)
            if length > LIMIT_BYTES:
                raise BrokenPipe("a frame is too long")
            if len(self._buffer) < _HEAD.size + length:
                break
            body = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            message = json.loads(body)
            if not isinstance(message, dict):
                raise BrokenPipe("a frame is no object")
            found.append(message)
        return found


def receive(channel: socket.socket, unpacker: Unpacker) -> list[dict[str, Any]]:
    """Read what has arrived (blocks on a blocking socket). Raises BrokenPipe at its end."""
    try:
        data = channel.recv(_CHUNK)
    except (BlockingIOError, InterruptedError):
        return []
    except OSError as error:
        raise BrokenPipe(str(error)) from error
    if not data:
        raise BrokenPipe("closed")
    return unpacker.feed(data)
