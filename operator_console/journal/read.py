"""Reading a session file: its records in order, its pictures. Never writes; tolerant of what a newer version added.

Called by app (the viewer, resume), cli (show, replay) and the exports.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Record
from operator_console.journal.codec import Entry, object_to_entry
from operator_console.journal.faults import record_error
from operator_console.journal.opening import open_read_only


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A stored picture or raw answer."""

    digest: str
    mime_type: str
    data: bytes


class Reader:
    """A session file, open for reading: a context manager, or `close` it. Sees what was durable when it was opened."""

    def __init__(self, path: Path) -> None:
        """Open it. Raises NotASession or RecordError."""
        self._path = path
        self._stack = contextlib.ExitStack()
        self._connection = self._stack.enter_context(open_read_only(path))
        try:
            self.session_id, self.created = self._one("SELECT id, created FROM session")
        except BaseException:
            self._stack.close()
            raise

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def entries(self, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Entry]:
        """Events in order, also those of an unknown kind: all, or only `kinds`, from number `since` on.

        Raises RecordError where the file is damaged.
        """
        try:
            yield from entries(self._connection, kinds=kinds, since=since)
        except (sqlite3.Error, ValueError) as error:
            raise self._unreadable(error) from error

    def records(self, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Record]:
        """As `entries`, those that this version understands."""
        return (entry.record for entry in self.entries(kinds=kinds, since=since) if entry.record is not None)

    def numbers(self, kind: str) -> tuple[int, ...]:
        """The numbers of all events of a kind; quick, nothing is decoded."""
        try:
            return tuple(n for (n,) in self._connection.execute("SELECT seq FROM events WHERE kind = ?", (kind,)))
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    @property
    def count(self) -> int:
        """How many events there are."""
        try:
            (count,) = self._connection.execute("SELECT count(*) FROM events").fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return int(count)

    def blob(self, digest: str) -> bytes | None:
        """A picture or raw answer by its SHA-256 (hex); None where the file has none such. From any thread."""
        try:
            row = self._connection.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return None if row is None else bytes(row[0])

    def blobs(self) -> Iterator[Blob]:
        """All of them."""
        try:
            for digest, mime_type, data in self._connection.execute("SELECT digest, mime_type, data FROM blobs"):
                yield Blob(digest=digest, mime_type=mime_type, data=data)
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def copy_to(self, path: Path) -> None:
        """Write the session as one file to `path`, for an export."""
        with contextlib.closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")

    def close(self) -> None:
        """Let go of it. A second time is free."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _one(self, query: str) -> tuple[str, str]:
        try:
            row = self._connection.execute(query).fetchone()
        except sqlite3.Error as error:
            raise record_error(self._path, error) from error
        if row is None:
            raise RecordError(f"The session file “{self._path}” names no session.", remedy="Choose another file.")
        return row[0], row[1]

    def _unreadable(self, error: Exception) -> RecordError:
        if isinstance(error, sqlite3.Error):
            return record_error(self._path, error)
        return RecordError(
            f"The session file “{self._path}” is damaged.",
            detail=f"{error}.",
            remedy="`operator-console sessions verify` tells where.",
        )


def entries(connection: sqlite3.Connection, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Entry]:
    """Events of an open session file: all, or only `kinds`, from number `since` on."""
    marks = ", ".join("?" for _ in kinds)
    where = f"seq >= ? AND kind IN ({marks})" if kinds else "seq >= ?"
    query = f"SELECT seq, time, body FROM events WHERE {where} ORDER BY seq"  # noqa: S608 - question marks only
    for seq, time, body in connection.execute(query, (since, *kinds)):
        fields = json.loads(body)
        if not isinstance(fields, dict):
            raise ValueError(f"event {seq} is no JSON object")
        kind = fields.pop("kind", "")
        yield object_to_entry({"seq": seq, "time": time, "kind": kind, **fields})
