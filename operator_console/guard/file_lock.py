"""Advisory file locks of the operating system; the locks of a process end with it.

POSIX: flock(2). Windows: msvcrt.locking of the first byte. Windows has no shared lock there, so two processes that only
check a lock can briefly mistake each other for its holder; `latch.take_lock` retries for that reason.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)


def lock_file(path: Path, *, shared: bool = False) -> int | None:
    """Lock a file without waiting; it is created with mode 0600 if it is missing.

    Returns the descriptor, to be closed to unlock; None if another process holds a conflicting lock.
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
