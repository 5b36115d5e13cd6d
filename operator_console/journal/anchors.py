"""The head of each session's chain, kept outside its file: how a cut-off end is seen.

One small file per session id, in the user's state folder. It is overwritten in place after each durable event, so that
after `kill -9` it is at most one event behind; it never runs ahead of the file. It is also what says that a session is
being written: its writer holds a lock on it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.errors import RecordError
from operator_console.journal.errors import record_error

if sys.platform != "win32":  # Windows has no lock of this kind; SQLite's own still keeps two writers apart
    import fcntl

_log = logging.getLogger(__name__)
_LINE = re.compile(rb"ocs1 (\S{1,64}) (\d{12}) ([0-9a-f]{64}) (open|shut)\n")
_SESSION_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The last head that was seen. `shut`: the file was closed in order, so that nothing may follow it."""

    session_id: str
    seq: int
    hash: str
    shut: bool


def anchor_path(folder: Path, session_id: str) -> Path:
    """Where a session's anchor lies. The id comes out of a file, so it is checked before it becomes a path."""
    if not _SESSION_ID.fullmatch(session_id):
        raise ValueError(f"{session_id!r} is no session id")
    return folder / f"{session_id}.anchor"


def read_anchor(folder: Path, session_id: str) -> Anchor | None:
    """The anchor; None where there is none or it cannot be read as one."""
    try:
        data = anchor_path(folder, session_id).read_bytes()
    except (OSError, ValueError):
        return None
    found = _LINE.match(data)
    if found is None or found[1].decode("ascii", "replace") != session_id:
        return None
    return Anchor(session_id=session_id, seq=int(found[2]), hash=found[3].decode("ascii"), shut=found[4] == b"shut")


def being_written(folder: Path, session_id: str) -> bool:
    """Whether a live process writes this session now."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(anchor_path(folder, session_id), os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def delete_anchor(folder: Path, session_id: str) -> None:
    """Remove it; absence is fine."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        anchor_path(folder, session_id).unlink()


class AnchorWriter:
    """The writer's handle: holds the lock, moves the head on."""

    def __init__(self, folder: Path, session_id: str, session_file: Path) -> None:
        """Take the lock. Raises RecordError where another process writes the session, or the folder cannot be used."""
        self._session_id = session_id
        self._failed = False
        self._path = path = anchor_path(folder, session_id)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise record_error(path, error) from error
        try:
            if sys.platform != "win32":
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise RecordError(
                f"The session “{session_file}” is being written by another console.",
                remedy="Wait until that run has ended, or start a new session.",
            ) from error

    def move(self, seq: int, digest: str, *, shut: bool = False) -> None:
        """Note the head. The event is durable already, so a failure is logged and never raised."""
        line = f"ocs1 {self._session_id} {seq:012d} {digest} {'shut' if shut else 'open'}\n".encode("ascii")
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, line)
            if shut:
                os.fsync(self._descriptor)
        except OSError as error:
            if not self._failed:
                _log.warning("the anchor of session %s could not be written: %s", self._session_id, error)
            self._failed = True

    def remove(self) -> None:
        """Remove the file, of a session that never began; `release` is still needed."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def release(self) -> None:
        """Let go of the lock."""
        os.close(self._descriptor)
