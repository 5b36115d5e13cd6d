"""Sessions to test with: a folder, and a journal with a little of everything in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.journal.write import SessionJournal


@dataclass(frozen=True)
class Place:
    """Where one test keeps its session and its anchor."""

    file: Path
    anchors: Path

    def create(self) -> SessionJournal:
        return SessionJournal.create(self.file, self.anchors)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(file=tmp_path / "one.ocsession", anchors=tmp_path / "anchors")
