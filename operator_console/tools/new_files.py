"""Finds files that appeared or changed on this computer since a given time, by the names that file managers show.

A file's change time (st_ctime) tells; unlike the modification time, programs cannot set it, and renaming changes it
too. Only folders for documents are searched: hidden ones are left out. A desktop entry is shown by the name that it
gives itself (Desktop Entry Specification 1.5, key Name).
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

_DEEPEST = 4
_MOST_ENTRIES = 10_000
_NAME = re.compile(r"^Name(?:\[[^\]\n]*\])?[ \t]*=[ \t]*(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_LONGEST_ENTRY = 65_536  # bytes


def document_folders() -> tuple[Path, ...]:
    """The person's home folder, and folders for temporary files and removable media."""
    return (Path.home(), Path(tempfile.gettempdir()), *map(Path, ("/media", "/run/media", "/mnt")))


def new_file_names(folders: Sequence[Path], since_ns: int) -> frozenset[str]:
    """The names under which regular files show that appeared or changed since then.

    The folders nearest to the given ones come first; after so many entries the search ends. Blocks.

    Args:
        folders: where to search, and in the folders below them.
        since_ns: time.time_ns().
    """
    found: set[str] = set()
    for entry in _entries(folders):
        try:
            told = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if told.st_ctime_ns >= since_ns and not stat.S_ISDIR(told.st_mode):
            found.update((entry.name, *_shown_as(entry)))
    return frozenset(found)


def _entries(folders: Sequence[Path]) -> Iterator[os.DirEntry[str]]:
    """The visible entries of the folders and of those below them, by depth."""
    waiting = deque((str(folder), 0) for folder in folders)
    left = _MOST_ENTRIES
    while waiting and left > 0:
        folder, depth = waiting.popleft()
        try:
            with os.scandir(folder) as listed:
                entries = [each for _number, each in zip(range(left), listed, strict=False)]
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            if entry.name.startswith("."):
                continue
            yield entry
            if depth < _DEEPEST and entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, depth + 1))


def _shown_as(entry: os.DirEntry[str]) -> list[str]:
    """The names that a desktop entry gives itself."""
    if not entry.name.endswith(".desktop"):
        return []
    try:
        with Path(entry.path).open("rb") as file:
            return _NAME.findall(file.read(_LONGEST_ENTRY).decode("utf-8", errors="replace"))
    except OSError:
        return []
