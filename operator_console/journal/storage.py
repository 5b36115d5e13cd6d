"""A session file as SQLite has it: opened for writing, laid out, and taken away again. Called by write."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from operator_console.journal.format import APPLICATION_ID, FORMAT_VERSION, TABLES

_PRAGMAS = (
    "trusted_schema = OFF", "journal_mode = WAL", "synchronous = FULL", "busy_timeout = 1000",
    "wal_autocheckpoint = 2000",
)  # fmt: skip


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
