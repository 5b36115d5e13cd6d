"""Disks that tests command: writes wait until the test lets them through, or fail."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from operator_console.domain.errors import RecordError
from operator_console.journal.file_format import RowToWrite, SessionFile


class Disk:
    """What every session file of this process is written to while the test lasts.

    Attributes:
        written: how many rows each transaction held.
        failing: what a write raises; None: it is done.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written: list[int] = []
        self.failing: RecordError | None = None
        self._open = threading.Event()
        self._open.set()
        self._waiting = threading.Event()
        store = SessionFile.write

        def write(file: SessionFile, rows: Sequence[RowToWrite]) -> None:
            self._waiting.set()
            self._open.wait()
            if self.failing is not None:
                raise self.failing
            store(file, rows)
            self.written.append(len(rows))

        monkeypatch.setattr(SessionFile, "write", write)

    def hang(self) -> None:
        """From now on each write waits."""
        self._waiting.clear()
        self._open.clear()

    def wait_until_asked(self) -> None:
        """Until a write waits for a disk that hangs."""
        assert self._waiting.wait(30)

    def go_on(self) -> None:
        """Let what waits through, and all that follows."""
        self._open.set()
