"""Converts errors of SQLite and the operating system to RecordErrors with a remedy."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from operator_console.domain.errors import RecordError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


class NotASession(RecordError):
    """The file is not a session file, or has a newer format."""


class DamagedRecord(RecordError):
    """The session file is corrupt."""


def not_a_session(path: Path, detail: str) -> NotASession:
    """The error for a readable file that is not a session; `detail` says why."""
    return NotASession(
        notice(NoticeCode.NOT_A_SESSION_FILE, path=str(path)),
        detail=detail,
        remedy=notice(NoticeCode.CHOOSE_SESSION_FILE),
    )


def record_error(path: Path, error: sqlite3.Error | OSError) -> RecordError:
    """The RecordError for an error of SQLite or of the operating system; a DamagedRecord if the file is corrupt."""
    title = notice(NoticeCode.SESSION_FILE_UNUSABLE, path=str(path))
    name = getattr(error, "sqlite_errorname", "") or errno.errorcode.get(getattr(error, "errno", 0) or 0, "")
    kind = DamagedRecord if name.startswith("SQLITE_CORRUPT") else RecordError
    for start, detail, remedy in _REASONS:
        if name.startswith(start):
            return kind(title, detail=notice(detail), remedy=notice(remedy))
    return RecordError(title, detail=f"{error}.", remedy=notice(NoticeCode.CHECK_DISK))


_SPACE = NoticeCode.FREE_SPACE
_RIGHTS = NoticeCode.CHOOSE_WRITABLE_FOLDER
_REASONS = (
    ("SQLITE_FULL", NoticeCode.DISK_FULL_NO_ACTION, _SPACE),
    ("ENOSPC", NoticeCode.DISK_FULL, _SPACE),
    ("EDQUOT", NoticeCode.DISK_QUOTA_USED_UP, _SPACE),
    ("EFBIG", NoticeCode.FILE_SIZE_LIMIT, _SPACE),
    ("SQLITE_IOERR", NoticeCode.FILE_IO_FAILED, _SPACE),
    ("SQLITE_READONLY", NoticeCode.FILE_READ_ONLY, _RIGHTS),
    ("EROFS", NoticeCode.DISK_READ_ONLY, _RIGHTS),
    ("EACCES", NoticeCode.FILE_NOT_PERMITTED, _RIGHTS),
    ("EPERM", NoticeCode.FILE_NOT_PERMITTED, _RIGHTS),
    ("ENOENT", NoticeCode.FILE_MISSING, NoticeCode.CREATE_FOLDER),
    ("ENOTDIR", NoticeCode.FOLDER_IS_FILE, NoticeCode.CHOOSE_OTHER_FOLDER),
    ("EEXIST", NoticeCode.FILE_EXISTS, NoticeCode.CHOOSE_OTHER_NAME),
    ("SQLITE_CANTOPEN", NoticeCode.FILE_NOT_OPENED, _RIGHTS),
    ("SQLITE_NOTADB", NoticeCode.FILE_NOT_SESSION, NoticeCode.CHOOSE_OTHER_FILE),
    (
        "SQLITE_CORRUPT",
        NoticeCode.FILE_DAMAGED,
        NoticeCode.VERIFY_AND_START_NEW,
    ),
    ("SQLITE_BUSY", NoticeCode.FILE_IN_USE, NoticeCode.CLOSE_OTHER_PROGRAM),
    ("SQLITE_LOCKED", NoticeCode.FILE_IN_USE, NoticeCode.CLOSE_OTHER_PROGRAM),
)
