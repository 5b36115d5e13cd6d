"""Advisory locks on files, by the operating system; a process that dies loses its locks.

POSIX: flock(2). Windows: msvcrt.locking of the first byte, which knows no shared lock, so that two processes that only
look can take each other for a holder for a moment; `latch.take_lock` waits that out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)


def lock_file(path: Path, *, shared: bool = False) -> int | None:
    """Lock a file (made 0600 where it is missing) without waiting.

    Returns the descriptor to close for unlocking, None where another process holds a lock that excludes this one.
    """
    fd = os.open(path, _FLAGS, 0o600)
    try:
        _lock(fd, shared=shared)
    except OSError:
        os.close(fd)
        return None
    return fd


if sys.platform == "win32":

    def _lock(fd: int, *, shared: bool) -> None:
        import msvcrt

        del shared
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:

    def _lock(fd: int, *, shared: bool) -> None:
        import fcntl

        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
