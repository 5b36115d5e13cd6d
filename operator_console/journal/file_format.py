"""The session file: its tables and marks, the hash chain, and how SQLite opens it for writing."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from operator_console.journal.errors import record_error

APPLICATION_ID = 0x4F435331  # "OCS1"
FORMAT_VERSION = 1
SUFFIX = ".ocsession"

TABLES = {
    "session": "CREATE TABLE session (id TEXT PRIMARY KEY, created TEXT NOT NULL) STRICT",
    "events": (
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
        "blobs TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT"
    ),
    "blobs": "CREATE TABLE blobs (digest TEXT PRIMARY KEY, mime_type TEXT NOT NULL, data BLOB NOT NULL) STRICT",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An event row as stored, text as bytes. `blobs` is a JSON list of [digest, mime type] stored with it."""

    seq: int
    time: bytes
    kind: bytes
    body: bytes
    blobs: bytes
    prev: bytes
    hash: bytes

    def link(self) -> bytes:
        """The hash this row must carry (hex)."""
        parts = (str(self.seq).encode(), self.time, self.kind, self.body, self.blobs, self.prev)
        return _digest(parts)


def genesis(session_id: bytes, created: bytes) -> bytes:
    """What the first event's `prev` must be."""
    return _digest((b"operator-console session", str(FORMAT_VERSION).encode(), session_id, created))


def _digest(parts: tuple[bytes, ...]) -> bytes:
    digest = hashlib.sha256()
    for part in parts:  # lengths first, so that no byte can wander from one field to the next unseen
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest().encode("ascii")


_log = logging.getLogger(__name__)

Blobs: TypeAlias = Mapping[str, tuple[str, bytes]]
"""Digest: MIME type, bytes."""

_PRAGMAS = (
    "trusted_schema = OFF", "journal_mode = WAL", "synchronous = FULL", "busy_timeout = 1000",
    "wal_autocheckpoint = 2000",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RowToWrite:
    """An event row and the pictures that are stored with it."""

    row: Row
    blobs: Blobs


class SessionFile:
    """A session file that is open for writing. One thread at a time may use it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def digests(self) -> set[str]:
        """The SHA-256 (hex) of every stored picture and raw answer. Raises sqlite3.Error."""
        return {digest for (digest,) in self._connection.execute("SELECT digest FROM blobs")}

    def write(self, rows: Sequence[RowToWrite]) -> None:
        """Store rows in one transaction; returns when they are on the disk.

        Raises:
            RecordError: nothing was stored (disk full, read-only ...); the same call may be repeated.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for each in rows:
                self._insert(each)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise record_error(self._path, error) from error

    def _insert(self, entry: RowToWrite) -> None:
        row = entry.row
        texts = [part.decode() for part in (row.time, row.kind, row.body, row.blobs, row.prev, row.hash)]
        for digest, (mime_type, data) in entry.blobs.items():
            self._connection.execute("INSERT INTO blobs VALUES (?, ?, ?)", (digest, mime_type, data))
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (row.seq, *texts))

    def close(self) -> bool:
        """Fold the -wal into the file and close it; whether the file alone is now the whole session."""
        try:
            busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # Everything is durable in the -wal beside it; the next opening folds it in.
            _log.warning("the session file %s could not be folded into one: %s", self._path, error)
            busy = True
        self._connection.close()
        return not busy


def connect(path: Path) -> sqlite3.Connection:
    """A connection for writing; every commit is on the disk when it returns. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=1.0
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()  # a file that cannot be written
        raise
    return connection


def lay_out(connection: sqlite3.Connection, session_id: str, created: str) -> None:
    """Make an empty file a session."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    for statement in TABLES.values():
        connection.execute(statement)
    connection.execute("INSERT INTO session VALUES (?, ?)", (session_id, created))
    connection.execute("COMMIT")


def remove(path: Path) -> None:
    """Take away a file that never held anything, and what SQLite put beside it."""
    for name in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        with contextlib.suppress(OSError):
            name.unlink()
