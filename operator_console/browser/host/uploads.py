"""The files that the operator offers to pages: those that lie in one folder, and nothing that a link leads to."""

from __future__ import annotations

import contextlib
import mimetypes
from collections.abc import Iterator, Sequence
from pathlib import Path

MOST_FILES = 200


class Uploads:
    """Files that may be uploaded. `folder`: None offers none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def offered(self, accept: str = "") -> tuple[str, ...]:
        """Their names, in order; `accept`: as the page says, which of them it takes ("" for all)."""
        wanted = [each.strip().lower() for each in accept.split(",") if each.strip()]
        names = (name for name in self._names() if not wanted or any(_is(name, each) for each in wanted))
        return tuple(sorted(names, key=str.casefold)[:MOST_FILES])

    def paths(self, names: Sequence[str]) -> list[Path] | None:
        """Where these files are; None if one of them is not offered."""
        if self._folder is None or not names or not set(names) <= set(self._names()):
            return None
        return [self._folder / name for name in names]

    def _names(self) -> Iterator[str]:
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            for each in self._folder.iterdir():
                if each.is_file() and not each.is_symlink() and not each.name.startswith("."):
                    yield each.name


def _is(name: str, wanted: str) -> bool:
    """Whether a file is what one part of the attribute `accept` names: ".pdf", "image/png", "image/*"."""
    if wanted.startswith("."):
        return name.lower().endswith(wanted)
    kind = mimetypes.guess_type(name)[0] or ""
    return kind == wanted or (wanted.endswith("/*") and kind.startswith(wanted[:-1]))
