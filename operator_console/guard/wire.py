"""What goes between the guard and its client: JSON packets over a socket pair, file descriptors along with them.

SOCK_SEQPACKET keeps packets whole and in order. Both ends are ours and made for this run. Pure framing.
"""

from __future__ import annotations

import array
import json
import socket
from typing import Any

_LIMIT = 1 << 16
_MOST_FDS = 4


class LineClosed(ConnectionError):
    """The other end is gone."""


def pair() -> tuple[socket.socket, socket.socket]:
    """Both ends of a new line."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(line: socket.socket, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
    """Send one packet, with descriptors. Raises LineClosed, also where the other end has not read for long."""
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    try:
        line.sendmsg([json.dumps(message, separators=(",", ":")).encode()], ancillary, socket.MSG_NOSIGNAL)
    except BlockingIOError:
        raise
    except OSError as error:
        raise LineClosed(str(error)) from error


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """One packet and its descriptors. Raises LineClosed at the end, BlockingIOError where nothing has come."""
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
        raise LineClosed("a packet is no object")
    return message, list(fds)
