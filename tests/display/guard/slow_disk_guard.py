"""The guard's process on a disk that a test can stop: every sync announces itself, then waits for a file's lock."""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
from pathlib import Path

from operator_console.guard.__main__ import main


def _parse() -> tuple[int, str, list[str]]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--announce-fd", type=int, required=True)
    parser.add_argument("--disk", required=True)
    own, rest = parser.parse_known_args()
    return own.announce_fd, own.disk, rest


_announce_fd, _disk, _rest = _parse()
_sync = os.fsync


def _slow_sync(fd: int) -> None:
    os.write(_announce_fd, b"s")
    with Path(_disk).open("rb") as disk:
        fcntl.flock(disk, fcntl.LOCK_SH)
    _sync(fd)


os.fsync = _slow_sync  # type: ignore[assignment]
sys.argv = [sys.argv[0], *_rest]
sys.exit(main())
