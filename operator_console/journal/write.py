"""Appending to a session file: a queue in memory, and a thread that writes it.

`append` numbers, stamps and chains an event at once, in the order of the calls, and returns without waiting for the
disk. One thread owns the SQLite connection and writes what is queued, in order, as many rows in one transaction as are
waiting. A row is durable when `watch`'s first callback names its number, or when `flush` has returned.

A row that cannot be written stays at the head of the queue, and nothing after it is tried, until `retry`, `flush` or
`close`: the file never has a gap.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
import uuid
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from operator_console.domain.codec import canonical
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Record
from operator_console.journal.anchors import AnchorWriter, read_anchor
from operator_console.journal.errors import record_error
from operator_console.journal.file_format import Row, RowToWrite, SessionFile, connect, genesis, lay_out, remove
from operator_console.journal.read import Reader, check_is_session, opened_here
from operator_console.journal.record_json import now
from operator_console.journal.verify import check_chain

_log = logging.getLogger(__name__)

_MOST_ROWS = 64
_MOST_BYTES = 16 * 1024 * 1024
"""Rows, and bytes of their pictures, that are written in one transaction at most."""


class SessionJournal:
    """One session file, open for appending. Use `create` or `resume`; may be called from any thread."""

    def __init__(
        self, file: SessionFile, path: Path, anchor: AnchorWriter, head: tuple[int, str], *, new: bool
    ) -> None:
        """Starts the thread that writes `file` and owns it from now on; `head` is the last durable row."""
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
        self._at_once = _MOST_ROWS
        self._trouble: RecordError | None = None
        self._closing = False
        self._on_written: Callable[[int], None] = _ignore
        self._on_failed: Callable[[RecordError], None] = _ignore
        self._changed = threading.Condition()  # never held while the disk is waited for
        # A daemon: a console that dies of a bug must not be held by a disk that hangs. `close` waits for it.
        self._thread = threading.Thread(target=self._run, name="record", daemon=True)
        self._thread.start()

    @classmethod
    def create(cls, path: Path, anchors: Path) -> Self:
        """A new file at `path` (must not exist, its folder must); the chain's head goes to the folder `anchors`.

        Blocks as long as the disk takes.

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
        return cls(SessionFile(connection, path), path, anchor, head, new=True)

    @classmethod
    def resume(cls, path: Path, anchors: Path) -> Self:
        """An existing file, to go on after its last event.

        Blocks as long as it takes to verify the whole chain.

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
        return cls(SessionFile(connection, path), path, anchor, head, new=False)

    @property
    def path(self) -> str:
        """The file."""
        return str(self._path)

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash of the last event that was appended, durable or not."""
        with self._changed:
            return self._seq, self._hash

    @property
    def backlog_bytes(self) -> int:
        """Bytes of pictures and raw answers that wait in memory to be written."""
        with self._changed:
            return self._backlog_bytes

    def watch(self, written: Callable[[int], None], failed: Callable[[RecordError], None]) -> None:
        """Hear of the writing, in the thread that writes: quick callbacks that do not raise.

        Args:
            written: everything up to this number is durable.
            failed: the next row cannot be written; told again after each `retry` that did not help.
        """
        with self._changed:
            self._on_written, self._on_failed = written, failed

    def append(self, event: Event) -> Record:
        """Queue one event and the pictures put since the last one. Does not wait.

        Raises:
            RecordError: the journal is closed.
        """
        with self._changed:
            if self._closing:
                raise RecordError(f"The session file “{self._path}” is closed.", remedy="Start or continue a session.")
            record = Record(seq=self._seq + 1, time=now(), event=event)
            row = self._row(record)
            self._queue.append(RowToWrite(row=row, blobs=self._pending))
            self._seq, self._hash = row.seq, row.hash.decode()
            self._pending = {}
            self._changed.notify_all()
            return record

    def retry(self) -> None:
        """Try again to write what could not be written. Does not wait."""
        with self._changed:
            self._trouble = None
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until everything appended so far is durable; what failed before is tried again.

        Raises:
            RecordError: it cannot be written. It stays in memory, and the call may be repeated.
        """
        with self._changed:
            self._trouble = None
            self._changed.notify_all()
            last = self._seq
            self._changed.wait_for(lambda: self._durable[0] >= last or self._trouble is not None)
            if self._durable[0] < last and self._trouble is not None:
                raise self._trouble

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        """Keep `data` under its SHA-256 (hex); it becomes durable with the next event. A second time is free.

        Raises:
            ValueError: the digest is not the data's.
        """
        with self._changed:
            if digest in self._known:
                return
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("the digest is not the data's")
        with self._changed:
            if digest not in self._known:
                self._known.add(digest)
                self._pending[digest] = (mime_type, bytes(data))
                self._backlog_bytes += len(data)

    def blob(self, digest: str) -> bytes | None:
        """A picture or raw answer that was put, durable or not; None for any other. Raises RecordError."""
        with self._changed:
            for blobs in (self._pending, *(each.blobs for each in self._queue)):
                if digest in blobs:
                    return blobs[digest][1]
            if digest not in self._known:
                return None
        with Reader(self._path) as reader:
            return reader.blob(digest)

    def close(self) -> None:
        """Write what is queued, make the file the whole (no -wal beside it) and release it. A second time is free.

        Blocks as long as the disk takes. What cannot be written even now is lost, and logged. A new file that never
        held an event is removed.
        """
        with self._changed:
            if not self._closing:
                self._closing = True
                self._trouble = None
                self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The thread that writes

    def _run(self) -> None:
        while rows := self._next_rows():
            try:
                self._file.write(rows)
            except RecordError as error:
                self._could_not_write(error, rows)
            except Exception as error:  # noqa: BLE001 - this thread must live: the session waits for its word
                _log.exception("writing the record failed")
                trouble = RecordError(f"The session file “{self._path}” cannot be written.", detail=f"{error!r}.")
                self._could_not_write(trouble, rows)
            else:
                self._wrote(rows)
        self._end()

    def _next_rows(self) -> list[RowToWrite]:
        """The rows of the next transaction, still in the queue; none once it is time to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or (self._queue and self._trouble is None))
            if self._trouble is not None:
                return []
            rows: list[RowToWrite] = []
            size = 0
            for each in self._queue:
                size += _size(each)
                if rows and (len(rows) == self._at_once or size > _MOST_BYTES):
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
            self._at_once = min(_MOST_ROWS, self._at_once * 2)
            self._changed.notify_all()
            tell = self._on_written
        tell(head[0])

    def _could_not_write(self, error: RecordError, rows: list[RowToWrite]) -> None:
        with self._changed:
            self._at_once = 1
            if len(rows) > 1:
                return  # as much of it as there is room for
            self._trouble = error
            self._changed.notify_all()
            tell = self._on_failed
        tell(error)

    def _end(self) -> None:
        if self._queue:
            _log.error("%d events could not be recorded: %s", len(self._queue), self._trouble)
        whole = self._file.close() and not self._queue
        if self._new and self._durable[0] == 0:
            remove(self._path)
            self._anchor.remove()
        elif whole:
            self._anchor.move(*self._durable, shut=True)
        self._anchor.release()
        opened_here.discard(self._path)

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
        f"The session file “{path}” is damaged, so nothing is added to it.",
        detail=detail,
        remedy="It can still be read (`operator-console sessions show`); start a new session.",
    )
