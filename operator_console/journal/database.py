"""The SQLite database of a session: its tables and header fields, and opening it for writing, with durable commits.

A new column also needs write.py (`_row`) and hash_chain.py (`_COLUMNS`).
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from operator_console.journal.errors import record_error
from operator_console.journal.hash_chain import FORMAT_VERSION, Row

APPLICATION_ID = 0x4F435331  # "OCS1"
SUFFIX = ".ocsession"
HAR_SUFFIX = ".har"
"""Of the archive of a managed browser's requests, beside the session file."""
DOWNLOADS_SUFFIX = ".downloads"
"""Of the folder beside the session file in which a managed browser keeps what it saves."""
FILES_SUFFIX = ".files"
"""Of the folder beside the session file by which files go to and from its isolated desktop."""

TABLES = {
    "session": "CREATE TABLE session (id TEXT PRIMARY KEY, created TEXT NOT NULL) STRICT",
    "events": (
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
        "blobs TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT"
    ),
    "blobs": "CREATE TABLE blobs (digest TEXT PRIMARY KEY, mime_type TEXT NOT NULL, data BLOB NOT NULL) STRICT",
}


_log = logging.getLogger(__name__)

Blobs: TypeAlias = Mapping[str, tuple[str, bytes]]
"""MIME type and content by digest."""

_PRAGMAS = (
    "trusted_schema = OFF", "journal_mode = WAL", "synchronous = FULL", "busy_timeout = 1000",
    "wal_autocheckpoint = 2000",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RowToWrite:
    """An event and the blobs to store with it."""

    row: Row
    blobs: Blobs


class SessionFile:
    """A session file that is open for writing. Not thread-safe."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def digests(self) -> set[str]:
        """The SHA-256 (hex) of all stored blobs. Raises sqlite3.Error."""
        return {digest for (digest,) in self._connection.execute("SELECT digest FROM blobs")}

    def write(self, rows: Sequence[RowToWrite]) -> None:
        """Store the rows durably, in one transaction.

        Raises:
            RecordError: Nothing was stored (the disk is full, for example). The call may be repeated.
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
        """Checkpoint the -wal file into the session file and close it; False if the -wal file is still needed."""
        try:
            busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # The -wal file has all data; it is checkpointed when the session is next opened for writing.
            _log.warning("the -wal file of %s could not be checkpointed: %s", self._path, error)
            busy = True
        self._connection.close()
        return not busy


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for writing, with durable commits. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=1.0
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def create_tables(connection: sqlite3.Connection, session_id: str, created: str) -> None:
    """Create the tables of a session in an empty file. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    for statement in TABLES.values():
        connection.execute(statement)
    connection.execute("INSERT INTO session VALUES (?, ?)", (session_id, created))
    connection.execute("COMMIT")


def remove(path: Path) -> None:
    """Delete a session file and the files that SQLite keeps beside it, if they exist."""
    for name in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        with contextlib.suppress(OSError):
            name.unlink()
