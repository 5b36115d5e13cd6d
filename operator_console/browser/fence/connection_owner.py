"""Whose a connection over the loopback interface is, as the kernel says it. Linux only.

Not a password: Chromium answers a proxy's question for one only through a dialog, or a DevTools client that intercepts
the requests of every target. Not the process either: a sandboxed process hides its descriptors from its own user.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

_CONNECTIONS = Path("/proc/net/tcp")  # see proc_pid_net(5)
_TRIES = 3  # the list is not read at one moment: one connection may be left out while others come and go
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9


def is_of_this_user(client: tuple[str, int], server: tuple[str, int]) -> bool:
    """Whether the socket at `client`'s end of an IPv4 connection is open and belongs to the user of this process.

    False where the system does not tell it.
    """
    wanted = [_as_listed(*client), _as_listed(*server)]
    for _ in range(_TRIES):
        try:
            listed = _CONNECTIONS.read_text(encoding="ascii").splitlines()
        except OSError:
            return False
        for fields in map(str.split, listed):
            if fields[_LOCAL : _REMOTE + 1] == wanted:
                # A socket that its process has closed has no inode, and no user that counts.
                return fields[_INODE] != "0" and int(fields[_USER]) == os.geteuid()
    return False


def _as_listed(host: str, port: int) -> str:
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
