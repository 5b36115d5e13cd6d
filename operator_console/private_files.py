"""Folders and files that only this user may read, on every platform: advisory locks on them, and Unix sockets there.

Stands beside domain and imports the standard library only, so any package may import it. A process that ends loses its
locks. Locks are flock(2) on POSIX. On Windows they are msvcrt.locking, which has no shared lock: two processes that
test a lock at the same moment can each take the other for its holder.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import socket

_NOT_INHERITED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_FILE_MODE = 0o600
_LOCKED_BYTE = 1 << 30  # beyond the content: on Windows nobody else can read a locked byte


def make_private_folder(path: Path) -> None:
    """Make a folder and its missing parents, each with mode 0700. Existing folders keep their mode. Raises OSError."""
    # mkdir(parents=True) would apply the mode to the last folder only.
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing or [path]):
        folder.mkdir(exist_ok=True, mode=0o700)


def open_private(path: Path, flags: int) -> int:
    """As os.open, for a descriptor that child processes do not inherit. A new file gets mode 0600. Raises OSError."""
    return os.open(path, flags | _NOT_INHERITED | _BINARY, _FILE_MODE)


def make_private_file(path: Path) -> None:
    """Give a file mode 0600, whoever created it; a missing one is created empty. Raises OSError."""
    os.close(open_private(path, os.O_WRONLY | os.O_CREAT))
    path.chmod(_FILE_MODE)


def lock_file(path: Path, *, shared: bool = False) -> int | None:
    """Open a file, creating it if missing, and lock it without waiting.

    Returns:
        The descriptor, which holds the lock until it is closed; None if another process holds a conflicting lock.

    Raises:
        OSError: The file cannot be opened.
    """
    descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
    if lock_descriptor(descriptor, shared=shared):
        return descriptor
    os.close(descriptor)
    return None


def lock_descriptor(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file without waiting; False if another process holds a conflicting lock."""
    try:
        _lock(descriptor, shared=shared)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A path to a socket that fits into the 108 bytes of its address, however deep the folder is."""
    fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{path.name}" if sys.platform == "linux" else str(path)
    finally:
        os.close(fd)


def peer_is_us(connection: socket.socket) -> bool:
    """Whether the peer of a Unix socket runs as this user. On Linux only."""
    import socket  # not for those who only open files
    import struct

    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(uid == os.getuid())


if sys.platform == "win32":

    def _lock(descriptor: int, *, shared: bool) -> None:
        import msvcrt

        del shared
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:

    def _lock(descriptor: int, *, shared: bool) -> None:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
