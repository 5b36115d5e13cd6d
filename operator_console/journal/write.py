"""Appends events to a session file, through a queue and a thread that writes it.

`append` assigns number, time and hash, and returns without waiting for the disk. The thread owns the SQLite connection
and writes the queued rows in order, several in one transaction. A row is durable once the first callback of `watch` has
reported its number, or `flush` has returned.

A row that cannot be written stays at the head of the queue until `retry`, `flush` or `close`, and the rows after it
wait: the file never has a gap.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import uuid
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Record
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.anchors import AnchorWriter, read_anchor
from operator_console.journal.database import RowToWrite, SessionFile, connect, create_tables, remove
from operator_console.journal.errors import record_error
from operator_console.journal.hash_chain import Row, check_chain, genesis
from operator_console.journal.read import Reader, check_is_session, open_for_writing
from operator_console.journal.record_json import now, stored_body
from operator_console.private_files import open_private

_log = logging.getLogger(__name__)

_MAX_ROWS = 64
_MAX_BYTES = 16 * 1024 * 1024
"""Limits of one transaction: rows, and bytes of their blobs."""


class SessionJournal:
    """A session file that is open for appending. Use `create` or `resume`. Thread-safe; a context manager."""

    def __init__(
        self, file: SessionFile, path: Path, anchor: AnchorWriter, head: tuple[int, str], *, new: bool
    ) -> None:
        """Start the thread, which owns `file`. `head` is the number and hash of the last durable row."""
        self._file = file
        self._new = new
        self._path = path
        self._anchor = anchor
        self._seq, self._hash = head
        self._durable = head
        self._known = file.digests()
        self._pending: dict[str, tuple[str, bytes]] = {}
        self._queue: deque[RowToWrite] = deque()
        self._backlog_bytes = 0
        self._batch_rows = _MAX_ROWS
        self._error: RecordError | None = None
        self._closing = False
        self._on_written: Callable[[int], None] = _ignore
        self._on_failed: Callable[[RecordError], None] = _ignore
        self._changed = threading.Condition()  # never held while waiting for the disk
        # A daemon, so that a disk that hangs cannot keep a crashed console alive. `close` waits for it.
        self._thread = threading.Thread(target=self._run, name="record", daemon=True)
        self._thread.start()

    @classmethod
    def create(cls, path: Path, anchors: Path) -> Self:
        """Create a session file. Blocks until it is on the disk.

        Args:
            path: A path that does not exist, in an existing folder.
            anchors: The folder for the session's anchor; created if missing.

        Raises:
            RecordError: The file exists, or it or its anchor cannot be created.
        """
        path = path.absolute()
        try:
            os.close(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except OSError as error:
            raise record_error(path, error) from error
        session_id, created = uuid.uuid4().hex, now()
        try:
            connection = connect(path)
        except sqlite3.Error as error:
            remove(path)
            raise record_error(path, error) from error
        try:
            create_tables(connection, session_id, created)
            anchor = AnchorWriter(anchors, session_id, path)
        except (sqlite3.Error, RecordError) as error:
            connection.close()
            remove(path)
            raise error if isinstance(error, RecordError) else record_error(path, error) from error
        head = (0, genesis(session_id.encode(), created.encode()).decode())
        anchor.move(*head)
        open_for_writing.add(path)
        return cls(SessionFile(connection, path), path, anchor, head, new=True)

    @classmethod
    def resume(cls, path: Path, anchors: Path) -> Self:
        """Open an existing file to append to it. Blocks while the whole hash chain is verified.

        Raises:
            NotASession: The file is not a session.
            RecordError: The file is damaged, read-only, or being written by another process.
        """
        path = path.absolute()
        check_is_session(path)
        try:
            connection = connect(path)
        except sqlite3.Error as error:
            raise record_error(path, error) from error
        try:
            connection.execute("BEGIN IMMEDIATE")  # fails if the file is read-only
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
            raise _damaged(path, notice(NoticeCode.FILE_NAMES_NO_SESSION)) from error
        anchor.move(*head)  # no longer shut, so that a crash after the next event does not look like tampering
        open_for_writing.add(path)
        return cls(SessionFile(connection, path), path, anchor, head, new=False)

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self._path)

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash (hex) of the last appended event, durable or not."""
        with self._changed:
            return self._seq, self._hash

    @property
    def backlog_bytes(self) -> int:
        """Bytes of blobs that are still to be written."""
        with self._changed:
            return self._backlog_bytes

    def watch(self, written: Callable[[int], None], failed: Callable[[RecordError], None]) -> None:
        """Set callbacks, which run in the writing thread and must neither block nor raise.

        Args:
            written: Gets the number of the last durable event.
            failed: Gets the error if the next row cannot be written, also after each `retry` that fails.
        """
        with self._changed:
            self._on_written, self._on_failed = written, failed

    def append(self, event: Event) -> Record:
        """Queue an event with the blobs put since the last one. Does not wait for the disk.

        Raises:
            RecordError: The journal is closed.
        """
        with self._changed:
            if self._closing:
                raise RecordError(
                    notice(NoticeCode.SESSION_FILE_CLOSED, path=str(self._path)),
                    remedy=notice(NoticeCode.START_NEW_SESSION),
                )
            record = Record(seq=self._seq + 1, time=now(), event=event)
            row = self._row(record)
            self._queue.append(RowToWrite(row=row, blobs=self._pending))
            self._seq, self._hash = row.seq, row.hash.decode()
            self._pending = {}
            self._changed.notify_all()
            return record

    def retry(self) -> None:
        """Make the thread try again to write the row that failed. Does not wait."""
        with self._changed:
            self._error = None
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until all events appended so far are durable, trying failed rows again.

        Raises:
            RecordError: A row cannot be written. It stays in the queue, and the call may be repeated.
        """
        with self._changed:
            self._error = None
            self._changed.notify_all()
            last = self._seq
            self._changed.wait_for(lambda: self._durable[0] >= last or self._error is not None)
            if self._durable[0] < last and self._error is not None:
                raise self._error

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        """Store `data` under its SHA-256 (hex), with the next event, unless the session has it already.

        Raises:
            ValueError: The digest is not that of the data.
        """
        with self._changed:
            if digest in self._known:
                return
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("the digest is not that of the data")
        with self._changed:
            if digest not in self._known:
                self._known.add(digest)
                self._pending[digest] = (mime_type, bytes(data))
                self._backlog_bytes += len(data)

    def renamed(self, path: Path) -> None:
        """The file was closed and has this path now: its blobs are read from there."""
        with self._changed:
            self._path = path

    def blob(self, digest: str) -> bytes | None:
        """The blob with this digest, durable or not, or None. Raises RecordError."""
        with self._changed:
            for blobs in (self._pending, *(each.blobs for each in self._queue)):
                if digest in blobs:
                    return blobs[digest][1]
            if digest not in self._known:
                return None
        with Reader(self._path) as reader:
            return reader.blob(digest)

    def close(self) -> None:
        """Write the queued rows and close the file, without a -wal file. May be called again.

        Blocks until the thread has ended. Rows that still cannot be written are lost, and their number is logged. A new
        file without events is deleted.
        """
        with self._changed:
            if not self._closing:
                self._closing = True
                self._error = None
                self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The writing thread

    def _run(self) -> None:
        while rows := self._next_rows():
            try:
                self._file.write(rows)
            except RecordError as error:
                self._could_not_write(error, rows)
            except Exception as error:  # noqa: BLE001 - the session waits for a report of this thread
                _log.exception("writing the record failed")
                failure = RecordError(
                    notice(NoticeCode.SESSION_FILE_NOT_WRITABLE, path=str(self._path)),
                    detail=f"{error!r}.",
                    remedy=notice(NoticeCode.SEE_LOG),
                )
                self._could_not_write(failure, rows)
            else:
                self._wrote(rows)
        self._end()

    def _next_rows(self) -> list[RowToWrite]:
        """The rows of the next transaction, which stay in the queue; empty if the thread should end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or (self._queue and self._error is None))
            if self._error is not None:
                return []
            rows: list[RowToWrite] = []
            size = 0
            for each in self._queue:
                size += _size(each)
                if rows and (len(rows) == self._batch_rows or size > _MAX_BYTES):
                    break
                rows.append(each)
            return rows

    def _wrote(self, rows: list[RowToWrite]) -> None:
        last = rows[-1].row
        head = (last.seq, last.hash.decode())
        self._anchor.move(*head)
        with self._changed:
            for each in rows:
                self._queue.popleft()
                self._backlog_bytes -= _size(each)
            self._durable = head
            self._batch_rows = min(_MAX_ROWS, self._batch_rows * 2)
            self._changed.notify_all()
            written = self._on_written
        written(head[0])

    def _could_not_write(self, error: RecordError, rows: list[RowToWrite]) -> None:
        with self._changed:
            self._batch_rows = 1
            if len(rows) > 1:
                return  # tries single rows next: some may still fit on the disk
            self._error = error
            self._changed.notify_all()
            failed = self._on_failed
        failed(error)

    def _end(self) -> None:
        if self._queue:
            _log.error("%d events could not be recorded: %s", len(self._queue), self._error)
        complete = self._file.close() and not self._queue
        if self._new and self._durable[0] == 0:
            remove(self._path)
            self._anchor.remove()
        elif complete:
            self._anchor.move(*self._durable, shut=True)
        open_for_writing.discard(self._path)
        self._anchor.release()  # last: from now on the file may be renamed

    def _row(self, record: Record) -> Row:
        body = stored_body(record.event)
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


def _size(entry: RowToWrite) -> int:
    return sum(len(data) for _, data in entry.blobs.values())


def _ignore(_value: object) -> None:
    return


def _checked_head(connection: sqlite3.Connection, path: Path, anchors: Path, session_id: str) -> tuple[int, str]:
    chain = check_chain(connection, read_anchor(anchors, session_id))
    if chain.problems:
        raise _damaged(path, chain.problems[0])
    return chain.seq, chain.hash


def _damaged(path: Path, detail: str) -> RecordError:
    return RecordError(
        notice(NoticeCode.SESSION_NOT_CONTINUED, path=str(path)),
        detail=detail,
        remedy=notice(NoticeCode.READ_OR_START_NEW),
    )
