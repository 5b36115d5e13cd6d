"""Converts errors of SQLite and the operating system to RecordErrors with a remedy."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from operator_console.domain.errors import RecordError


class NotASession(RecordError):
    """The file is not a session file, or has a newer format."""


class DamagedRecord(RecordError):
    """The session file is corrupt."""


def not_a_session(path: Path, detail: str) -> NotASession:
    """The error for a readable file that is not a session; `detail` says why."""
    return NotASession(
        f"“{path}” is not a session file.",
        detail=detail,
        remedy="Choose a file that this program wrote (*.ocsession); `operator-console sessions list` shows them.",
    )


def record_error(path: Path, error: sqlite3.Error | OSError) -> RecordError:
    """The RecordError for an error of SQLite or of the operating system; a DamagedRecord if the file is corrupt."""
    title = f"The session file “{path}” cannot be used."
    name = getattr(error, "sqlite_errorname", "") or errno.errorcode.get(getattr(error, "errno", 0) or 0, "")
    kind = DamagedRecord if name.startswith("SQLITE_CORRUPT") else RecordError
    for start, detail, remedy in _REASONS:
        if name.startswith(start):
            return kind(title, detail=detail, remedy=remedy)
    return RecordError(title, detail=f"{error}.", remedy="Check the disk and the folder, or choose another file.")


_SPACE = "Free some space, or choose a file on another disk with --session."
_RIGHTS = "Choose a folder that you may write to with --session, or set OPERATOR_CONSOLE_HOME."
_REASONS = (
    ("SQLITE_FULL", "The disk is full. No action runs without being recorded.", _SPACE),
    ("ENOSPC", "The disk is full.", _SPACE),
    ("EDQUOT", "Your disk quota is used up.", _SPACE),
    ("EFBIG", "The file may not grow any further.", _SPACE),
    ("SQLITE_IOERR", "Writing or reading failed (a faulty or full disk, or a size limit).", _SPACE),
    ("SQLITE_READONLY", "It is read-only.", _RIGHTS),
    ("EROFS", "The disk is read-only.", _RIGHTS),
    ("EACCES", "You have no permission to write there.", _RIGHTS),
    ("EPERM", "You have no permission to write there.", _RIGHTS),
    ("ENOENT", "The file or its folder does not exist.", "Create the folder, or choose another one."),
    ("ENOTDIR", "Its folder is not a folder.", "Choose another folder."),
    ("EEXIST", "It already exists, and a new session needs a new file.", "Choose another name."),
    ("SQLITE_CANTOPEN", "It cannot be opened or created there.", _RIGHTS),
    ("SQLITE_NOTADB", "It is not a session file, or it was overwritten.", "Choose another file."),
    (
        "SQLITE_CORRUPT",
        "It is damaged.",
        "`operator-console sessions verify` shows details. Start a new session.",
    ),
    ("SQLITE_BUSY", "Another program is using it.", "Close that program, or wait until its run has ended."),
    ("SQLITE_LOCKED", "Another program is using it.", "Close that program, or wait until its run has ended."),
)
