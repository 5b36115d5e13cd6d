"""A session in another shape: JSON lines, a page, or an archive of everything. Called by cli and app.

The target must not exist; it appears whole or not at all.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.journal.faults import record_error
from operator_console.journal.format import SUFFIX
from operator_console.journal.page import Describe, write_page
from operator_console.journal.read import Blob, Reader

_EXTENSIONS = {"image/png": ".png", "image/jpeg": ".jpg", "application/json": ".json"}
SUFFIXES = (".html", ".jsonl", ".zip")


def export_session(source: Path, target: Path, describe: Describe) -> None:
    """Write the session `source` to `target`; the suffix (.html, .jsonl, .zip) says how.

    Args:
        describe: puts an action (and the text at its target) into words, for the page.

    Raises:
        OperatorError: another suffix, or the target exists (exit code 2).
        NotASession, RecordError: the source cannot be read, or the target not be written.
    """
    write = _writer(target)
    if target.exists():
        raise OperatorError(
            f"“{target}” exists already, and an export never overwrites a file.",
            remedy="Choose another name for --to, or remove that file.",
            exit_code=ExitCode.USAGE,
        )
    with Reader(source) as reader:
        try:
            _write_whole(target, lambda part: write(reader, part, describe))
        except OSError as error:
            raise record_error(target, error) from error


def _writer(target: Path) -> Callable[[Reader, Path, Describe], None]:
    match target.suffix.lower():
        case ".html":
            return _html
        case ".jsonl":
            return _jsonl
        case ".zip":
            return _zip
        case other:
            raise OperatorError(
                f"An export to “{other or target.name}” is not known.",
                remedy="Let the name after --to end in .html, .jsonl or .zip.",
                exit_code=ExitCode.USAGE,
            )


def _write_whole(target: Path, write: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(prefix=".export-", dir=target.absolute().parent) as folder:
        part = Path(folder) / "part"
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o600)
        part.replace(target)


def _html(reader: Reader, part: Path, describe: Describe) -> None:
    with part.open("x", encoding="utf-8", errors="backslashreplace") as file:
        write_page(reader, file, describe, picture=None)


def _jsonl(reader: Reader, part: Path, _: Describe) -> None:
    with part.open("x", encoding="utf-8") as file:
        _write_lines(reader, file)


def _write_lines(reader: Reader, file: TextIO) -> None:
    file.writelines(json.dumps(entry.object) + "\n" for entry in reader.entries())


def _zip(reader: Reader, part: Path, describe: Describe) -> None:
    names: dict[str, str] = {}
    with zipfile.ZipFile(part, "x", compression=zipfile.ZIP_DEFLATED) as archive:
        for blob in reader.blobs():
            names[blob.digest] = _blob_name(blob)
            archive.writestr(names[blob.digest], blob.data)
        lines = io.StringIO()
        _write_lines(reader, lines)
        archive.writestr("events.jsonl", lines.getvalue())
        page = io.StringIO()
        write_page(reader, page, describe, picture=names.get)
        archive.writestr("index.html", page.getvalue().encode("utf-8", "backslashreplace"))
        with tempfile.TemporaryDirectory(prefix="ocsession-") as folder:
            copy = Path(folder) / "copy"
            reader.copy_to(copy)
            archive.write(copy, f"session{SUFFIX}")


def _blob_name(blob: Blob) -> str:
    folder = "pictures" if blob.mime_type.startswith("image/") else "answers"
    return f"{folder}/{blob.digest}{_EXTENSIONS.get(blob.mime_type, '.bin')}"
