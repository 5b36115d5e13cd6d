"""Exports a session as JSON lines, as a self-contained HTML page, or as a ZIP archive of both with the session file."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeAlias

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.database import SUFFIX
from operator_console.journal.errors import record_error
from operator_console.journal.read import Blob, Reader
from operator_console.private_files import make_private_file

PictureNames: TypeAlias = Callable[[str], str | None]
"""Gives the relative path of a picture by its digest; None if the record lacks it."""
PageWriter: TypeAlias = Callable[[Reader, TextIO, PictureNames | None], None]
"""Writes the page for reading; without names, the pictures go into the page."""

_EXTENSIONS = {"image/png": ".png", "image/jpeg": ".jpg", "application/json": ".json"}


def _go_on() -> None:
    """Let an export run to its end."""


def export_session(
    source: Path,
    target: Path,
    write_page: PageWriter,
    *,
    overwrite: bool = False,
    between: Callable[[], None] = _go_on,
) -> None:
    """Export the session `source` to `target`, in the format of its suffix (.html, .jsonl, .zip).

    The target appears complete or not at all.

    Args:
        write_page: Writes the page, alone or into the archive.
        overwrite: Whether an existing target is replaced.
        between: Called often while other parts than the page are written, and before the target appears. What it
            raises ends the export.

    Raises:
        OperatorError: Unknown suffix, or the target exists (exit code 2).
        NotASession: The source is not a session.
        RecordError: The source cannot be read, or the target cannot be written.
    """
    write = _writer(target)
    if target.exists() and not overwrite:
        raise _exists(target)
    with Reader(source) as reader:
        try:
            _write_whole(target, lambda part: write(reader, part, write_page, between), between, overwrite=overwrite)
        except FileExistsError as error:
            raise _exists(target) from error
        except (OSError, sqlite3.Error) as error:
            raise record_error(target, error) from error


def _exists(target: Path) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.EXPORT_EXISTS, path=str(target)),
        remedy=notice(NoticeCode.CHOOSE_OTHER_EXPORT),
        exit_code=ExitCode.USAGE,
    )


def _writer(target: Path) -> Callable[[Reader, Path, PageWriter, Callable[[], None]], None]:
    match target.suffix.lower():
        case ".html":
            return _html
        case ".jsonl":
            return _jsonl
        case ".zip":
            return _zip
        case other:
            raise OperatorError(
                notice(NoticeCode.NOT_AN_EXPORT_FORMAT, suffix=other or target.name),
                remedy=notice(NoticeCode.USE_EXPORT_FORMAT),
                exit_code=ExitCode.USAGE,
            )


def _write_whole(target: Path, write: Callable[[Path], None], between: Callable[[], None], *, overwrite: bool) -> None:
    with tempfile.TemporaryDirectory(prefix=".export-", dir=target.absolute().parent) as folder:
        part = Path(folder) / "part"
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        make_private_file(part)
        between()
        if overwrite:
            part.replace(target)
        else:
            _name(part, target)


def _name(part: Path, target: Path) -> None:
    """Give the file its name. Raises FileExistsError where another program took the name meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        part.replace(target)


def _html(reader: Reader, part: Path, write_page: PageWriter, _: Callable[[], None]) -> None:
    with part.open("x", encoding="utf-8", errors="backslashreplace") as file:
        write_page(reader, file, None)


def _jsonl(reader: Reader, part: Path, _: PageWriter, between: Callable[[], None]) -> None:
    with part.open("x", encoding="utf-8") as file:
        _write_lines(reader, file, between)


def _write_lines(reader: Reader, file: TextIO, between: Callable[[], None]) -> None:
    for entry in reader.entries():
        between()
        file.write(json.dumps(entry.object) + "\n")


def _zip(reader: Reader, part: Path, write_page: PageWriter, between: Callable[[], None]) -> None:
    names: dict[str, str] = {}
    with zipfile.ZipFile(part, "x", compression=zipfile.ZIP_DEFLATED) as archive:
        for blob in reader.blobs():
            between()
            names[blob.digest] = _blob_name(blob)
            # Pictures are compressed already.
            packed = zipfile.ZIP_STORED if blob.mime_type.startswith("image/") else zipfile.ZIP_DEFLATED
            archive.writestr(names[blob.digest], blob.data, packed)
        with _text_in(archive, "events.jsonl") as lines:
            _write_lines(reader, lines, between)
        with _text_in(archive, "index.html") as page:
            write_page(reader, page, names.get)
        copy = part.with_name("copy")
        reader.copy_to(copy)
        archive.write(copy, f"session{SUFFIX}")
        copy.unlink()


@contextmanager
def _text_in(archive: zipfile.ZipFile, name: str) -> Iterator[TextIO]:
    with (
        archive.open(name, "w", force_zip64=True) as member,
        io.TextIOWrapper(member, encoding="utf-8", errors="backslashreplace", newline="\n") as file,
    ):
        yield file


def _blob_name(blob: Blob) -> str:
    folder = "pictures" if blob.mime_type.startswith("image/") else "answers"
    return f"{folder}/{blob.digest}{_EXTENSIONS.get(blob.mime_type, '.bin')}"
