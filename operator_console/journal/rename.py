"""Renames a session file. Its content stays as it is, so it verifies as before: the name is no part of the record."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from operator_console.domain.errors import ExitCode, OperatorError, RecordError
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.anchors import anchor_path
from operator_console.journal.database import (
    DOWNLOADS_SUFFIX,
    FILES_SUFFIX,
    HAR_SUFFIX,
    SUFFIX,
    SessionFile,
    connect,
)
from operator_console.journal.errors import record_error
from operator_console.journal.read import Reader
from operator_console.private_files import lock_descriptor, open_private

_FORBIDDEN = '/\\:*?"<>|'
_LONGEST_BYTES = 255 - len(SUFFIX) - len("-journal")
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{port}{number}" for port in ("COM", "LPT") for number in range(1, 10))}


def file_name(name: str) -> str:
    """The file name for a session that a person calls `name`, with the suffix.

    Raises:
        OperatorError: Files cannot have this name, here or on another system that the file may be copied to.
    """
    stem = name.strip().removesuffix(SUFFIX).strip()
    fault = _fault(stem)
    if fault is not None:
        raise OperatorError(fault, remedy=notice(NoticeCode.CHOOSE_OTHER_NAME), exit_code=ExitCode.USAGE)
    return f"{stem}{SUFFIX}"


def _fault(stem: str) -> NoticeText | None:
    if not stem:
        return notice(NoticeCode.NAME_EMPTY)
    found = next((char for char in stem if char in _FORBIDDEN), "")
    if found:
        return notice(NoticeCode.NAME_HAS_CHARACTER, character=found)
    if not stem.isprintable():
        return notice(NoticeCode.NAME_HAS_INVISIBLE_CHARACTER)
    if stem.startswith(".") or stem.endswith("."):
        return notice(NoticeCode.NAME_ENDS_BADLY)
    if stem.partition(".")[0].upper() in _RESERVED:
        return notice(NoticeCode.NAME_RESERVED, name=stem)
    return notice(NoticeCode.NAME_TOO_LONG) if len(os.fsencode(stem)) > _LONGEST_BYTES else None


def rename_session(path: Path, name: str, anchors: Path) -> Path:
    """Give a session file another name in its folder; returns the new path. Nothing is ever overwritten.

    What a browser or an isolated desktop keeps beside it gets the name, too, where no other file has it.

    Raises:
        OperatorError: Files cannot have this name, or another file has it.
        NotASession: The file is not a session; it is not renamed.
        RecordError: The session is being written, or the file cannot be renamed.
    """
    path = path.absolute()
    target = path.with_name(file_name(name))
    if target == path:
        return path
    with Reader(path) as reader:
        session_id = reader.session_id
    with _unwritten(path, anchors, session_id):
        _take_in_wal(path)
        _move(path, target)
    for suffix in (HAR_SUFFIX, DOWNLOADS_SUFFIX, FILES_SUFFIX):
        kept = path.with_suffix(suffix)
        with contextlib.suppress(OSError):  # it stays where it is
            if kept.exists() and not target.with_suffix(suffix).exists():
                kept.rename(target.with_suffix(suffix))
    return target


@contextlib.contextmanager
def _unwritten(path: Path, anchors: Path, session_id: str) -> Iterator[None]:
    """Keep every process from writing the session meanwhile. Raises RecordError if one does."""
    try:
        descriptor = open_private(anchor_path(anchors, session_id), os.O_RDWR)
    except (OSError, ValueError):
        yield  # recorded elsewhere: no console here writes it
        return
    try:
        if not lock_descriptor(descriptor):
            raise RecordError(
                notice(NoticeCode.SESSION_NOT_RENAMED, path=str(path)), remedy=notice(NoticeCode.STOP_RUN_FIRST)
            )
        yield
    finally:
        os.close(descriptor)


def _take_in_wal(path: Path) -> None:
    """Move what a crash left in the -wal file into the session file: renamed apart, they would be torn apart."""
    wal = path.with_name(f"{path.name}-wal")
    if not wal.exists():
        return
    try:
        taken_in = SessionFile(connect(path), path).close()
    except sqlite3.Error as error:
        raise record_error(path, error) from error
    if not taken_in or wal.exists():
        raise RecordError(
            notice(NoticeCode.SESSION_FILE_UNUSABLE, path=str(path)),
            detail=notice(NoticeCode.FILE_IN_USE),
            remedy=notice(NoticeCode.CLOSE_OTHER_PROGRAM),
        )


def _move(path: Path, target: Path) -> None:
    try:
        # Takes the name, so that the replacing move below replaces nothing but this empty file.
        os.close(open_private(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError as error:
        raise OperatorError(
            notice(NoticeCode.NAME_TAKEN, name=target.name),
            remedy=notice(NoticeCode.CHOOSE_OTHER_NAME),
            exit_code=ExitCode.USAGE,
        ) from error
    except OSError as error:
        raise record_error(target, error) from error
    try:
        path.replace(target)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise record_error(path, error) from error
