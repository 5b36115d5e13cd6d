"""Searches files, archives in them and processes for a text, in the forms in which programs write texts."""

from __future__ import annotations

import base64
import contextlib
import html
import io
import json
import re
import threading
import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote, quote_plus

PIECE = 6
"""Characters: so long a part of the text is taken for the text."""
_BETWEEN_S = 0.05


class Search:
    """Finds a text of at least `PIECE` characters, or a piece of it, in bytes."""

    def __init__(self, text: str) -> None:
        pieces = {text[at : at + PIECE] for at in range(len(text) - PIECE + 1)}
        forms = {form for each in pieces | {piece[::-1] for piece in pieces} for form in _forms(each)}
        self._pattern = re.compile(b"|".join(map(re.escape, sorted(forms | _encoded(text)))))

    def found_in(self, data: bytes) -> bool:
        """Whether the bytes have it; those of a zip archive, whether a member or its name has."""
        if self._pattern.search(data):
            return True
        if not data.startswith(b"PK"):
            return False
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(self.found_in(name.encode() + b"\n" + archive.read(name)) for name in archive.namelist())

    def files(self, folders: Iterable[Path]) -> set[str]:
        """The names of the files below folders that have it in their name or content."""
        found: set[str] = set()
        for path in (path for folder in folders for path in folder.rglob("*")):
            try:
                if self.found_in(path.name.encode()) or (path.is_file() and self.found_in(path.read_bytes())):
                    found.add(path.name)
            except FileNotFoundError:  # gone meanwhile
                continue
        return found


class WatchedProcesses:
    """Searches what the kernel tells of all processes, again and again while the context is open; of the environment
    of a program once.

    Attributes:
        found: for each search, the names of processes, and of the files in their folders, that have its text.
    """

    def __init__(self, *searches: Search) -> None:
        self.found: list[set[str]] = [set() for _ in searches]
        self._searches = searches
        self._seen: set[tuple[Path, bytes]] = set()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="processes")

    def _watch(self) -> None:
        while not self._end.wait(_BETWEEN_S):
            for process in Path("/proc").iterdir():
                if process.name.isdigit():
                    with contextlib.suppress(OSError):  # gone, or another user's
                        self._look(process)

    def _look(self, process: Path) -> None:
        told = {name: (process / name).read_bytes() for name in ("comm", "cmdline")}
        if (program := (process, told["cmdline"])) not in self._seen:
            told["environ"] = (process / "environ").read_bytes()
            self._seen.add(program)
        for name, data in told.items():
            for search, found in zip(self._searches, self.found, strict=True):
                if search.found_in(data):
                    found.add(f"{told['comm'].decode('utf-8', 'replace').strip()}: {name}")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._end.set()
        self._thread.join()


def _forms(piece: str) -> set[bytes]:
    texts = {
        piece, quote(piece, safe=""), quote_plus(piece), quote(piece, safe="").lower(), html.escape(piece),
        json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1], repr(piece)[1:-1],
    }  # fmt: skip
    data = piece.encode()
    whole = {data.hex().encode(), data.hex().upper().encode(), piece.encode("utf-16-le"), piece.encode("utf-16-be")}
    return {text.encode() for text in texts} | whole


def _encoded(text: str) -> set[bytes]:
    """The base64 of a text, wherever it begins in what is encoded; without the digits that its neighbours decide."""
    found: set[bytes] = set()
    for data in (text.encode(), text.encode("utf-16-le"), text[::-1].encode()):
        for before in range(3):
            whole = base64.b64encode(b"\0" * before + data)
            inner = whole[-(-8 * before // 6) : (before + len(data)) * 8 // 6]
            found |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return found
