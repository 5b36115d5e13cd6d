"""A disk controlled by a test: its writes can block or fail."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from operator_console.domain.errors import RecordError
from operator_console.journal.database import RowToWrite, SessionFile


class Disk:
    """Replaces the writing of all session files in this process for the test.

    Attributes:
        written: The number of rows in each transaction.
        failing: The error that writes raise; None if they succeed.
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
        """Block all further writes."""
        self._waiting.clear()
        self._open.clear()

    def wait_until_asked(self) -> None:
        """Wait until a write is blocked."""
        assert self._waiting.wait(30)

    def go_on(self) -> None:
        """Unblock writes."""
        self._open.set()
