"""The last sequence number and hash of each session, stored outside its file, so that a truncated file is found.

One small file per session id, in the user's state folder, with a MAC by a key that is kept beside them. So an anchor
that something else wrote is told, unless it read the key too, as every program of the same user can.

An anchor is overwritten in place after each durable event, so after `kill -9` it is at most one event behind the
session file, and never ahead of it. The process that writes a session holds a lock on its anchor.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.errors import RecordError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.errors import record_error
from operator_console.private_files import lock_descriptor, make_private_folder, open_private

_log = logging.getLogger(__name__)
_LINE = re.compile(rb"(?:ocs1|ocs2) (\S{1,64}) (\d{12}) ([0-9a-f]{64}) (open|shut)(?: ([0-9a-f]{64}))?\n")
_KEY_FILE = "key"
_KEY_BYTES = 32
_SESSION_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The stored end of a session.

    Attributes:
        shut: the file was closed properly, so that no event may follow.
        genuine: whether its MAC is valid; None for an anchor without one, of an older version.
    """

    session_id: str
    seq: int
    hash: str
    shut: bool
    genuine: bool | None = None


def anchor_path(folder: Path, session_id: str) -> Path:
    """The path of a session's anchor.

    Raises:
        ValueError: The id, which is read from a file, is not one of ours and could lead out of the folder.
    """
    if not _SESSION_ID.fullmatch(session_id):
        raise ValueError(f"{session_id!r} is not a session id")
    return folder / f"{session_id}.anchor"


def read_anchor(folder: Path, session_id: str) -> Anchor | None:
    """The anchor, or None if it is missing or unreadable."""
    try:
        data = anchor_path(folder, session_id).read_bytes()
    except (OSError, ValueError):
        return None
    found = _LINE.match(data)
    if found is None or found[1].decode("ascii", "replace") != session_id:
        return None
    genuine = is_signed(data, folder) if data.startswith(b"ocs2") else None
    return Anchor(
        session_id=session_id, seq=int(found[2]), hash=found[3].decode("ascii"), shut=found[4] == b"shut",
        genuine=genuine,
    )  # fmt: skip


def being_written(folder: Path, session_id: str) -> bool:
    """Whether a running process is writing this session."""
    try:
        descriptor = open_private(anchor_path(folder, session_id), os.O_RDONLY)
    except (OSError, ValueError):
        return False
    try:
        return not lock_descriptor(descriptor, shared=True)
    finally:
        os.close(descriptor)


def delete_anchor(folder: Path, session_id: str) -> None:
    """Delete the anchor if there is one."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        anchor_path(folder, session_id).unlink()


def key(folder: Path) -> bytes:
    """The key of a folder's anchors; made where there is none. Raises OSError."""
    path = folder / _KEY_FILE
    if not path.exists():
        new = folder / f"{_KEY_FILE}.{secrets.token_hex(8)}"
        descriptor = open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            os.write(descriptor, secrets.token_bytes(_KEY_BYTES))
            os.fsync(descriptor)
            _put(new, path)
        finally:
            os.close(descriptor)
            new.unlink(missing_ok=True)
    return path.read_bytes()


def _put(new: Path, path: Path) -> None:
    """Give a file its name: whole or not at all, and where links are known, never over that of another process."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:
        new.rename(path)


def signed(text: str, by: bytes) -> bytes:
    """A line of text with its MAC."""
    plain = text.encode("ascii")
    return plain + b" " + _mac(by, plain) + b"\n"


def is_signed(line: bytes, folder: Path) -> bool:
    """Whether a line has the MAC that `signed` gives it by the key of this folder."""
    text, _, mac = line.rstrip(b"\n").rpartition(b" ")
    by = _read_key(folder)
    return bool(by) and hmac.compare_digest(_mac(by, text), mac)


def _read_key(folder: Path) -> bytes:
    try:
        return (folder / _KEY_FILE).read_bytes()
    except OSError:
        return b""


def _mac(by: bytes, text: bytes) -> bytes:
    return hmac.new(by, text, "sha256").hexdigest().encode("ascii")


class AnchorWriter:
    """An anchor that is open for writing, and locked."""

    def __init__(self, folder: Path, session_id: str, session_file: Path) -> None:
        """Create and lock the anchor.

        Raises:
            RecordError: Another process is writing the session, or the folder cannot be used.
        """
        self._session_id = session_id
        self._failed = False
        self._path = path = anchor_path(folder, session_id)
        try:
            make_private_folder(folder)
            self._key = key(folder)
            self._descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise record_error(path, error) from error
        if not lock_descriptor(self._descriptor):
            os.close(self._descriptor)
            raise RecordError(
                notice(NoticeCode.SESSION_WRITTEN_ELSEWHERE, path=str(session_file)),
                remedy=notice(NoticeCode.WAIT_OR_START_NEW),
            )

    def move(self, seq: int, digest: str, *, shut: bool = False) -> None:
        """Store a new end. The event itself is already durable, so a failure is logged and not raised."""
        line = signed(f"ocs2 {self._session_id} {seq:012d} {digest} {'shut' if shut else 'open'}", self._key)
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
        """Delete the file of a session without events. `release` must still be called."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def release(self) -> None:
        """Unlock and close the file."""
        os.close(self._descriptor)
