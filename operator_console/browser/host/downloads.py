"""What the browser saves: into the session's folder, under a safe name of its own, not executable, and never opened."""

from __future__ import annotations

import contextlib
import itertools
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from operator_console.private_files import make_private_folder

_LONGEST_NAME = 180
"""Bytes of a name, with room for the number of a second file of that name."""

_LONGEST_SUFFIX = 20
_LONGEST_URL = 2_000
_NO_NAME = "download"


class Downloads:
    """The downloads of a browser that saves each file in `folder` under a name that says nothing.

    Args:
        folder: is made, and removed at the end where it is empty.
        tell: is given `Operator.downloaded` with name, folder, url, bytes, and whether it is complete.
    """

    def __init__(self, folder: Path, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._open: dict[str, tuple[str, str]] = {}

    def prepare(self) -> None:
        """Make the folder. Raises OSError."""
        make_private_folder(self._folder)

    def begun(self, params: dict[str, Any]) -> None:
        """`Browser.downloadWillBegin`."""
        self._open[params["guid"]] = safe_name(params["suggestedFilename"]), _shortened(params["url"])

    def progress(self, params: dict[str, Any]) -> None:
        """`Browser.downloadProgress`."""
        if params["state"] == "inProgress" or params["guid"] not in self._open:
            return
        name, url = self._open.pop(params["guid"])
        size = int(params["receivedBytes"])
        complete = False
        if params["state"] == "completed":
            with contextlib.suppress(OSError):
                name, size = self._keep(params["guid"], name)
                complete = True
        else:
            self._remove(params["guid"])
        self._tell("Operator.downloaded", {
            "name": name, "folder": str(self._folder), "url": url, "bytes": size, "complete": complete,
        })  # fmt: skip

    def end(self) -> None:
        """Remove what is not complete, and the folder if nothing is in it."""
        for guid in self._open:
            self._remove(guid)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _keep(self, guid: str, name: str) -> tuple[str, int]:
        """Give a complete file its name; the name that was free, and the size. Raises OSError."""
        saved = self._folder / guid
        saved.chmod(0o600)
        for free in _numbered(name):
            with contextlib.suppress(FileExistsError):
                os.link(saved, self._folder / free)
                saved.unlink()
                return free, (self._folder / free).stat().st_size
        raise AssertionError("unreachable")

    def _remove(self, guid: str) -> None:
        for left in (guid, f"{guid}.crdownload"):
            with contextlib.suppress(OSError):
                (self._folder / left).unlink()


def safe_name(suggested: str) -> str:
    """A plain name of a file: no path, no hidden file, nothing that is not shown as it is, not too long."""
    last = suggested.replace("\\", "/").rpartition("/")[2]
    shown = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in last)
    plain = " ".join(unicodedata.normalize("NFC", shown).split()).strip(". ")
    suffix = _cut(PurePosixPath(plain).suffix, _LONGEST_SUFFIX)
    stem = plain[: len(plain) - len(PurePosixPath(plain).suffix)]
    return f"{_cut(stem, _LONGEST_NAME - len(suffix.encode()))}{suffix}".strip(". ") or _NO_NAME


def _numbered(name: str) -> itertools.chain[str]:
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix)
    return itertools.chain((name,), (f"{stem} ({number}){suffix}" for number in itertools.count(2)))


def _cut(text: str, length: int) -> str:
    return text.encode()[:length].decode(errors="ignore")


def _shortened(url: str) -> str:
    """An address for the record: of one that is its own content, only what kind of content it is."""
    return url.partition(",")[0] if url.startswith("data:") else url[:_LONGEST_URL]
