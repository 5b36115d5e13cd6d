"""Whose a connection over the loopback interface is, as the kernel says it. Linux only.

Not a password: Chromium answers a proxy's question for one only through a dialog, or a DevTools client that intercepts
the requests of every target. Not the process either: a sandboxed process hides its descriptors from its own user.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

Address = tuple[str, int]

# See sock_diag(7).
_SOCK_DIAG, _BY_FAMILY, _REQUEST, _ANY_STATE = 4, 20, 1, 0xFFFFFFFF
_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
_QUESTION = struct.Struct("=BBBxI")  # family, protocol, extensions, states; a socket follows
_ANSWER = struct.Struct("=BBBB48xIIIII")  # family, state, timer, retransmissions, a socket, ..., user, inode
_NO_COOKIE = b"\xff" * 8

_CONNECTIONS = Path("/proc/net/tcp")  # see proc_pid_net(5)
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9


def is_of_this_user(client: Address, server: Address) -> bool:
    """Whether the socket at `client`'s end of an IPv4 connection is open and belongs to the user of this process.

    False where the system does not tell it.
    """
    if sys.platform != "linux":
        return False
    try:
        user, inode = _asked(client, server)
    except OSError:
        user, inode = _listed(client, server)
    # A socket that its process has closed has no inode, and no user that counts.
    return inode != 0 and user == os.geteuid()


def _asked(client: Address, server: Address) -> tuple[int, int]:
    """User and inode of a socket, as the kernel answers. Raises OSError where it does not: some sandboxes cannot."""
    ends = socket.inet_aton(client[0]).ljust(16, b"\0") + socket.inet_aton(server[0]).ljust(16, b"\0")
    wanted = struct.pack("!HH", client[1], server[1]) + ends + bytes(4) + _NO_COOKIE
    question = _QUESTION.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, _ANY_STATE) + wanted
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.setblocking(False)  # the kernel answers while it is asked
        kernel.send(_HEADER.pack(_HEADER.size + len(question), _BY_FAMILY, _REQUEST, 0, 0) + question)
        answer = kernel.recv(4096)
    if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
        raise OSError("no socket, or no answer to such questions")
    *_, user, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    return user, inode


def _listed(client: Address, server: Address) -> tuple[int, int]:
    """The same from the list of all connections, which takes milliseconds; zeros where it is not there."""
    wanted = [_as_listed(*client), _as_listed(*server)]
    try:
        lines = _CONNECTIONS.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0, 0
    for fields in map(str.split, lines):
        if fields[_LOCAL : _REMOTE + 1] == wanted:
            return int(fields[_USER]), int(fields[_INODE])
    return 0, 0


def _as_listed(host: str, port: int) -> str:
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
