"""Reads session files without changing them or creating files beside them.

Fields and kinds of events that only a newer version knows are ignored.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Record
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.database import APPLICATION_ID
from operator_console.journal.errors import not_a_session, record_error
from operator_console.journal.hash_chain import FORMAT_VERSION
from operator_console.journal.record_json import Entry, object_to_entry

_WAL_HEADER_BYTES = 32
_COPY_TRIES = 20


class _OpenFiles:
    """The session files that this process has open for writing, by device and inode."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[int, int]] = {}

    def add(self, path: Path) -> None:
        """Add a file, which must exist."""
        self._files[path] = _identity(path)

    def discard(self, path: Path) -> None:
        """Remove a file."""
        self._files.pop(path, None)

    def __contains__(self, path: Path) -> bool:
        try:
            return _identity(path) in self._files.values()
        except OSError:
            return False


open_for_writing = _OpenFiles()
"""Files whose -wal this process may share when it reads them."""


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees all durable data of the session file; it is closed at the end of the block.

    Raises:
        NotASession: The file is not a session, or has a newer format.
        RecordError: The file cannot be read.
    """
    path = path.absolute()
    if not path.is_file():
        code = NoticeCode.FILE_IS_FOLDER if path.is_dir() else NoticeCode.FILE_DOES_NOT_EXIST
        raise not_a_session(path, notice(code))
    with contextlib.ExitStack() as copied:
        connection = _connect(path, copied)
        try:
            _check_header(connection, path)
            if sys.platform != "win32":
                # SQLite has opened a copy by now. Without a name, it is gone even if this process is killed.
                copied.close()
            yield connection
        finally:
            connection.close()


def check_is_session(path: Path) -> None:
    """Raise NotASession or RecordError unless `path` is a session file that can be read."""
    with open_read_only(path):
        pass


def _connect(path: Path, copied: contextlib.ExitStack) -> sqlite3.Connection:
    """A connection to the file, or to a copy that `copied` deletes."""
    try:
        if path in open_for_writing:
            return _open(path, "mode=ro")
        if not _has_wal(path):
            return _open(path, "mode=ro&immutable=1")
        folder = copied.enter_context(tempfile.TemporaryDirectory(prefix="ocsession-"))
        return _open(_copy(path, Path(folder)), "mode=rw")
    except sqlite3.Error as error:
        raise record_error(path, error) from error
    except OSError as error:
        raise record_error(path, error) from error


def _open(path: Path, query: str) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?{query}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_header(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise not_a_session(path, notice(NoticeCode.FILE_NOT_DATABASE)) from error
        raise record_error(path, error) from error
    if application != APPLICATION_ID or "session" not in tables:
        empty = path.stat().st_size == 0
        raise not_a_session(path, notice(NoticeCode.FILE_EMPTY if empty else NoticeCode.FILE_OF_OTHER_PROGRAM))
    if version > FORMAT_VERSION:
        raise not_a_session(path, notice(NoticeCode.FILE_FORMAT_NEWER, format=version, newest=FORMAT_VERSION))


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _has_wal(path: Path) -> bool:
    try:
        return _wal(path).stat().st_size > 0
    except FileNotFoundError:
        return False


def _copy(path: Path, folder: Path) -> Path:
    """A consistent copy of the file and its -wal file.

    While the header of the -wal file stays the same, the writer has only appended to it or checkpointed from it. Pages
    that were checkpointed meanwhile are also in the -wal file, which is copied second, so the two copies fit together.
    """
    copy = folder / "session"
    for _ in range(_COPY_TRIES):
        before = _wal_header(path)
        shutil.copyfile(path, copy)
        if before:
            shutil.copyfile(_wal(path), _wal(copy))
        else:
            _wal(copy).unlink(missing_ok=True)
        if before == _wal_header(path):
            return copy
    raise RecordError(
        notice(NoticeCode.SESSION_FILE_CHANGES_TOO_FAST, path=str(path)),
        remedy=notice(NoticeCode.PAUSE_OR_STOP_RUN),
    )


def _wal_header(path: Path) -> bytes:
    try:
        with _wal(path).open("rb") as file:
            return file.read(_WAL_HEADER_BYTES)
    except FileNotFoundError:
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A stored picture or raw answer of a model."""

    digest: str
    mime_type: str
    data: bytes


class Reader:
    """A session file that is open for reading, as it was when it was opened. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises NotASession or RecordError."""
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
        """The path of the file."""
        return self._path

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash (hex) of the last event; 0 and "" where there is none, or none that can be read."""
        try:
            row = self._connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.Error:
            row = None
        return (0, "") if row is None else (int(row[0]), str(row[1]))

    def entries(self, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Entry]:
        """The events in order, including those of unknown kinds.

        Args:
            kinds: Only these kinds; empty for all.
            since: Only events with at least this sequence number.

        Raises:
            RecordError: The file is damaged.
        """
        try:
            yield from entries(self._connection, kinds=kinds, since=since)
        except (sqlite3.Error, ValueError) as error:
            raise self._unreadable(error) from error

    def records(self, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Record]:
        """As `entries`, without the events that this version does not understand."""
        return (entry.record for entry in self.entries(kinds=kinds, since=since) if entry.record is not None)

    def numbers(self, kind: str) -> tuple[int, ...]:
        """The sequence numbers of all events of a kind. Raises RecordError."""
        try:
            return tuple(n for (n,) in self._connection.execute("SELECT seq FROM events WHERE kind = ?", (kind,)))
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    @property
    def count(self) -> int:
        """The number of events. Raises RecordError."""
        try:
            (count,) = self._connection.execute("SELECT count(*) FROM events").fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return int(count)

    @property
    def last_time(self) -> str:
        """The time of the last event; "" without any. Raises RecordError."""
        return self._last("SELECT time FROM events ORDER BY seq DESC LIMIT 1")

    @property
    def last_picture(self) -> str:
        """The digest of the last picture that the model was shown; "" if there is none. Raises RecordError."""
        body = self._last("SELECT body FROM events WHERE kind = 'observed' ORDER BY seq DESC LIMIT 1")
        try:
            fields = json.loads(body or "{}")
        except ValueError as error:
            raise self._unreadable(error) from error
        digest = fields.get("picture") if isinstance(fields, dict) else None
        return digest if isinstance(digest, str) else ""

    def _last(self, query: str) -> str:
        try:
            row = self._connection.execute(query).fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return "" if row is None else str(row[0])

    def blob(self, digest: str) -> bytes | None:
        """The blob with this SHA-256 (hex), or None. Thread-safe. Raises RecordError."""
        try:
            row = self._connection.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        return None if row is None else bytes(row[0])

    def blobs(self) -> Iterator[Blob]:
        """All blobs. Raises RecordError."""
        try:
            for digest, mime_type, data in self._connection.execute("SELECT digest, mime_type, data FROM blobs"):
                yield Blob(digest=digest, mime_type=mime_type, data=data)
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def copy_to(self, path: Path) -> None:
        """Copy the session to the new file `path`, without a -wal file. Raises sqlite3.Error."""
        with contextlib.closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")

    def close(self) -> None:
        """Close the file. May be called again."""
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
            raise RecordError(
                notice(NoticeCode.SESSION_FILE_WITHOUT_ID, path=str(self._path)),
                remedy=notice(NoticeCode.CHOOSE_OTHER_FILE),
            )
        return row[0], row[1]

    def _unreadable(self, error: Exception) -> RecordError:
        if isinstance(error, sqlite3.Error):
            return record_error(self._path, error)
        return RecordError(
            notice(NoticeCode.SESSION_FILE_DAMAGED, path=str(self._path)),
            detail=f"{error}.",
            remedy=notice(NoticeCode.VERIFY_SHOWS_DETAILS),
        )


def entries(connection: sqlite3.Connection, *, kinds: Collection[str] = (), since: int = 0) -> Iterator[Entry]:
    """As `Reader.entries`, for an open connection. Raises sqlite3.Error; ValueError for an event that is not JSON."""
    placeholders = ", ".join("?" for _ in kinds)
    where = f"seq >= ? AND kind IN ({placeholders})" if kinds else "seq >= ?"
    query = f"SELECT seq, time, body FROM events WHERE {where} ORDER BY seq"  # noqa: S608 - placeholders only
    for seq, time, body in connection.execute(query, (since, *kinds)):
        fields = json.loads(body)
        if not isinstance(fields, dict):
            raise ValueError(f"event {seq} is not a JSON object")
        kind = fields.pop("kind", "")
        yield object_to_entry({"seq": seq, "time": time, "kind": kind, **fields})
