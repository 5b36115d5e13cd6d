"""Appending to a session file: the writer of the record.

`SessionJournal` fits the engine's Journal protocol by shape. `append` returns when the event (and every picture put
since the one before) is on the disk. It is not a reader, and it never looks at what it writes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import sqlite3
import threading
import uuid
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from operator_console.domain.codec import canonical
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Record
from operator_console.journal.anchors import AnchorWriter, read_anchor
from operator_console.journal.codec import now
from operator_console.journal.faults import record_error
from operator_console.journal.format import Row, genesis
from operator_console.journal.opening import check_is_session, opened_here
from operator_console.journal.storage import connect, lay_out, remove
from operator_console.journal.verify import check_chain

_log = logging.getLogger(__name__)

Blobs: TypeAlias = dict[str, tuple[str, bytes]]
"""Digest: MIME type, bytes."""


class SessionJournal:
    """One session file, open for appending. Use `create` or `resume`; may be called from any thread."""

    def __init__(self, connection: sqlite3.Connection, path: Path, anchor: AnchorWriter, head: tuple[int, str]) -> None:
        self._connection = connection
        self._path = path
        self._anchor = anchor
        self._seq, self._hash = head
        self._lock = threading.Lock()
        self._pending: Blobs = {}
        self._deferred: deque[tuple[Row, Blobs]] = deque()
        self._stored: set[str] = {digest for (digest,) in connection.execute("SELECT digest FROM blobs")}
        self._closed = False

    @classmethod
    def create(cls, path: Path, anchors: Path) -> Self:
        """A new file at `path` (must not exist, its folder must); the chain's head goes to the folder `anchors`.

        Raises:
            RecordError: it exists, or cannot be created there.
        """
        path = path.absolute()
        try:
            path.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise record_error(path, error) from error
        session_id, created = uuid.uuid4().hex, now()
        try:
            connection = connect(path)
        except sqlite3.Error as error:
            remove(path)
            raise record_error(path, error) from error
        try:
            lay_out(connection, session_id, created)
            anchor = AnchorWriter(anchors, session_id, path)
        except (sqlite3.Error, RecordError) as error:
            connection.close()
            remove(path)  # it never held anything
            raise error if isinstance(error, RecordError) else record_error(path, error) from error
        head = (0, genesis(session_id.encode(), created.encode()).decode())
        anchor.move(*head)
        opened_here.add(path)
        return cls(connection, path, anchor, head)

    @classmethod
    def resume(cls, path: Path, anchors: Path) -> Self:
        """An existing file, to go on after its last event.

        Raises:
            NotASession: it is something else.
            RecordError: damaged, read-only, or being written by another process.
        """
        path = path.absolute()
        check_is_session(path)
        try:
            connection = connect(path)
        except sqlite3.Error as error:
            raise record_error(path, error) from error
        try:
            connection.execute("BEGIN IMMEDIATE")  # says at once when it is read-only
            connection.execute("ROLLBACK")
            (session_id,) = connection.execute("SELECT id FROM session").fetchone()
            anchor = AnchorWriter(anchors, session_id, path)
            try:
                head = _checked_head(connection, path, anchors, session_id)
            except BaseException:
                anchor.release()
                raise
        except (sqlite3.Error, RecordError, TypeError, ValueError) as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise record_error(path, error) from error
            if isinstance(error, RecordError):
                raise
            raise _damaged(path, "It names no session.") from error
        anchor.move(*head)  # open again: a death right after the next event must not look like tampering
        opened_here.add(path)
        return cls(connection, path, anchor, head)

    @property
    def path(self) -> str:
        """The file."""
        return str(self._path)

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash of the last event."""
        return self._seq, self._hash

    def append(self, event: Event) -> Record:
        """Write one event and the pictures put since the last one; returns when they are durable.

        Raises:
            RecordError: nothing was written (disk full, read-only ...); the same call may be tried again.
        """
        with self._lock:
            self._flush()
            record, row = self._next(event)
            self._store(row, self._pending)
            self._advance(row)
            return record

    def defer(self, event: Event) -> Record:
        """Number and stamp an event that cannot be written now; it is written in its place by `flush`."""
        with self._lock:
            record, row = self._next(event)
            self._deferred.append((row, self._pending))
            self._advance(row)
            return record

    def flush(self) -> None:
        """Write what was deferred, in order. Raises RecordError; what is left is kept, and may be tried again."""
        with self._lock:
            self._flush()

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        """Keep `data` under its SHA-256 (hex); it becomes durable with the next event. A second time is free.

        Raises:
            ValueError: the digest is not the data's.
        """
        if digest in self._stored or self._kept(digest) is not None:
            return
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("the digest is not the data's")
        with self._lock:
            if digest not in self._stored and self._kept(digest) is None:
                self._pending.setdefault(digest, (mime_type, bytes(data)))

    def blob(self, digest: str) -> bytes | None:
        """A picture or raw answer that was put, durable or not; None for any other. From any thread, until closed."""
        with self._lock:
            if (kept := self._kept(digest)) is not None:
                return kept
            if self._closed or digest not in self._stored:
                return None
            try:
                row = self._connection.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
            except sqlite3.Error as error:
                raise record_error(self._path, error) from error
            return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Make the file the whole (no -wal beside it) and let go. A second time is free."""
        with self._lock:
            if self._closed:
                return
            try:
                self._flush()
            except RecordError as error:
                _log.error("%d events could not be recorded: %s", len(self._deferred), error)
            self._closed = True
            whole = self._checkpoint() and not self._deferred
            self._connection.close()
            if whole:
                self._anchor.move(self._seq, self._hash, shut=True)
            self._anchor.release()
            opened_here.discard(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next(self, event: Event) -> tuple[Record, Row]:
        record = Record(seq=self._seq + 1, time=now(), event=event)
        return record, self._row(record)

    def _advance(self, row: Row) -> None:
        self._seq, self._hash = row.seq, row.hash.decode()
        self._pending = {}

    def _flush(self) -> None:
        while self._deferred:
            self._store(*self._deferred[0])
            self._deferred.popleft()

    def _store(self, row: Row, blobs: Blobs) -> None:
        self._write(row, blobs)
        self._stored.update(blobs)
        self._anchor.move(row.seq, row.hash.decode())

    def _kept(self, digest: str) -> bytes | None:
        """A picture that is not yet in the file."""
        for blobs in (self._pending, *(blobs for _, blobs in self._deferred)):
            if digest in blobs:
                return blobs[digest][1]
        return None

    def _row(self, record: Record) -> Row:
        body = canonical(record.event)
        kind = record.event.kind.encode()
        blobs = json.dumps([[digest, mime] for digest, (mime, _) in self._pending.items()]).encode()
        bare = Row(
            seq=record.seq,
            time=record.time.encode(),
            kind=kind,
            body=body,
            blobs=blobs,
            prev=self._hash.encode(),
            hash=b"",
        )
        return Row(
            seq=bare.seq,
            time=bare.time,
            kind=kind,
            body=body,
            blobs=blobs,
            prev=bare.prev,
            hash=bare.link(),
        )

    def _write(self, row: Row, blobs: Blobs) -> None:
        if self._closed:
            raise RecordError(f"The session file “{self._path}” is closed.", remedy="Start or continue a session.")
        texts = [part.decode() for part in (row.time, row.kind, row.body, row.blobs, row.prev, row.hash)]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for digest, (mime_type, data) in blobs.items():
                self._connection.execute("INSERT INTO blobs VALUES (?, ?, ?)", (digest, mime_type, data))
            self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (row.seq, *texts))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise record_error(self._path, error) from error

    def _checkpoint(self) -> bool:
        try:
            busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # Everything is durable in the -wal beside it; the next opening folds it in.
            _log.warning("the session file %s could not be folded into one: %s", self._path, error)
            return False
        return not busy


def _checked_head(connection: sqlite3.Connection, path: Path, anchors: Path, session_id: str) -> tuple[int, str]:
    chain = check_chain(connection, read_anchor(anchors, session_id))
    if chain.problems:
        raise _damaged(path, chain.problems[0])
    return chain.seq, chain.hash


def _damaged(path: Path, detail: str) -> RecordError:
    return RecordError(
        f"The session file “{path}” is damaged, so nothing is added to it.",
        detail=detail,
        remedy="It can still be read (`operator-console sessions show`); start a new session.",
    )
