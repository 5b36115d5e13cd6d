"""Opening a session file for reading without changing a byte of it, nor of the folder it lies in.

A file that was closed in order is opened immutable. Where a -wal lies beside it (its writer lives, or was killed)
SQLite would have to write to read it, so a copy of both is opened instead. A file that this very process writes is
opened through SQLite alone: closing any other handle of it would drop the writer's locks (POSIX). Called by read,
verify and write.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from operator_console.domain.errors import RecordError
from operator_console.journal.faults import not_a_session, record_error
from operator_console.journal.format import APPLICATION_ID, FORMAT_VERSION

_WAL_HEADER_BYTES = 32
_COPY_TRIES = 20


class OpenedHere:
    """The files that this process has open for writing, by identity on the disk."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[int, int]] = {}

    def add(self, path: Path) -> None:
        """Note a file."""
        self._files[path] = _identity(path)

    def discard(self, path: Path) -> None:
        """Forget it."""
        self._files.pop(path, None)

    def __contains__(self, path: Path) -> bool:
        try:
            return _identity(path) in self._files.values()
        except OSError:
            return False


opened_here = OpenedHere()


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees everything durable in the session file `path`; ends with the block.

    Raises:
        NotASession: it can be read but is something else, or of a newer format.
        RecordError: it cannot be read.
    """
    path = path.absolute()
    if not path.is_file():
        raise not_a_session(path, "It is a folder." if path.is_dir() else "There is no such file.")
    with tempfile.TemporaryDirectory(prefix="ocsession-") as folder:
        connection = _connect(path, Path(folder))
        try:
            _check_marks(connection, path)
            if sys.platform != "win32":
                # SQLite has the copy open by now; without names it cannot outlive this process, however that ends.
                for name in Path(folder).iterdir():
                    name.unlink()
            yield connection
        finally:
            connection.close()


def check_is_session(path: Path) -> None:
    """Raise NotASession or RecordError unless `path` is a session file that can be read."""
    with open_read_only(path):
        pass


def _connect(path: Path, folder: Path) -> sqlite3.Connection:
    try:
        if path in opened_here:
            return _open(path, "mode=ro")
        if not _has_wal(path):
            return _open(path, "mode=ro&immutable=1")
        return _open(_copy(path, folder), "mode=rw")
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


def _check_marks(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise not_a_session(path, "It is not a database, or its first bytes were overwritten.") from error
        raise record_error(path, error) from error
    if application != APPLICATION_ID or "session" not in tables:
        raise not_a_session(path, "It is empty." if not tables else "It was written by another program.")
    if version > FORMAT_VERSION:
        raise not_a_session(path, f"It has format {version}; this version reads up to {FORMAT_VERSION}: update it.")


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _has_wal(path: Path) -> bool:
    try:
        return _wal(path).stat().st_size > 0
    except FileNotFoundError:
        return False


def _copy(path: Path, folder: Path) -> Path:
    """A copy of file and -wal that belong together.

    Between two looks at an unchanged -wal header nothing but appending and folding-in happened, and whatever was
    folded in is also in the -wal that was copied after the file: the pair is one state.
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
        f"The session file “{path}” is being written too fast to be read.",
        remedy="Pause or stop its run, and try again.",
    )


def _wal_header(path: Path) -> bytes:
    try:
        with _wal(path).open("rb") as file:
            return file.read(_WAL_HEADER_BYTES)
    except FileNotFoundError:
        return b""
