"""A connection that cannot be set up is closed."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from operator_console.journal.database import connect


class Counted(sqlite3.Connection):
    """A connection that is counted while it is open."""

    still_open = 0

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        Counted.still_open += 1

    def close(self) -> None:
        Counted.still_open -= 1
        super().close()


def test_a_connection_that_cannot_be_used_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Counted))
    file = tmp_path / "one.ocsession"
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError):
        connect(file)
    assert Counted.still_open == 0
