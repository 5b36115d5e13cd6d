"""What a session file holds, read with SQLite alone: no product code."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def read_events(path: Path) -> list[dict[str, Any]]:
    """All events of a session file."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as file:
            rows = file.execute("SELECT seq, time, kind, body FROM events ORDER BY seq").fetchall()
    except sqlite3.OperationalError:
        return []  # just being made
    return [{**json.loads(body), "seq": seq, "time": time, "kind": kind} for seq, time, kind, body in rows]


def read_picture(path: Path, digest: str) -> bytes:
    """A picture of a session file."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as file:
        row = file.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
    assert row is not None
    return bytes(row[0])
