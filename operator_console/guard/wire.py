"""Framing of the messages between the guard and its client: JSON packets with file descriptors over a socket pair, and
the errors in them.

SOCK_SEQPACKET keeps packets whole and in order. Both ends belong to this program and this run.
"""

from __future__ import annotations

import array
import json
import socket
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import from_wire, to_wire

_LIMIT = 1 << 16
_MOST_FDS = 4


class LineClosed(ConnectionError):
    """The other end is closed."""


def pair() -> tuple[socket.socket, socket.socket]:
    """A new connected pair of sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(line: socket.socket, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
    """Send one packet with descriptors. Raises LineClosed, or BlockingIOError if the socket's buffer is full."""
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    try:
        line.sendmsg([json.dumps(message, separators=(",", ":")).encode()], ancillary, socket.MSG_NOSIGNAL)
    except BlockingIOError:
        raise
    except OSError as error:
        raise LineClosed(str(error)) from error


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Receive one packet and its descriptors. Raises LineClosed, or BlockingIOError if there is none yet."""
    try:
        data, ancillary, _, _ = line.recvmsg(_LIMIT, socket.CMSG_SPACE(_MOST_FDS * 4), socket.MSG_CMSG_CLOEXEC)
    except BlockingIOError:
        raise
    except OSError as error:
        raise LineClosed(str(error)) from error
    if not data:
        raise LineClosed("closed")
    fds = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
    message = json.loads(data)
    if not isinstance(message, dict):
        raise LineClosed("a packet is not a JSON object")
    return message, list(fds)


def error_fields(error: OperatorError) -> dict[str, Any]:
    """The members of a message that carry an error, with the notices of its texts."""
    return {**to_wire("title", error.title), **to_wire("detail", error.detail), **to_wire("remedy", error.remedy)}


def error_in(message: dict[str, Any]) -> OperatorError:
    """The error that a message carries. Its exit code is not sent."""
    return OperatorError(
        from_wire(message, "title"), detail=from_wire(message, "detail"), remedy=from_wire(message, "remedy")
    )
