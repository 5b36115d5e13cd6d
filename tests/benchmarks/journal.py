"""How long it takes until an event is durable, compared with a bare SQLite commit of the same size.

A thread writes the record, so each append is timed together with a flush, and once without: what the session waits for.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from functools import partial
from pathlib import Path

from operator_console.domain.events import Event
from operator_console.journal.verify import verify
from operator_console.journal.write import SessionJournal
from tests.benchmarks.figures import Options, Row, Samples, elapsed_ms, ratio_row
from tests.journal import samples

_PICTURE_BYTES = 200_000
_BODY_BYTES = 800


def measure(options: Options) -> list[Row]:
    """Write the events of some steps, with a bare commit after each event."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        return _measure(Path(folder), options.times(300, 30))


def _measure(root: Path, steps: int) -> list[Row]:
    bare: list[float] = []
    small: list[float] = []
    large: list[float] = []
    queued: list[float] = []
    connection = _bare(root / "bare.sqlite")
    with SessionJournal.create(root / "one.ocsession", root / "anchors") as journal:

        def write(event: Event) -> None:
            queued.append(elapsed_ms(lambda: journal.append(event)))
            journal.flush()

        for step in range(1, steps + 1):
            picture = os.urandom(_PICTURE_BYTES)
            digest = hashlib.sha256(picture).hexdigest()
            journal.put_blob(digest, picture, "image/png")
            first, *rest = samples.step_events(step, digest)
            large.append(elapsed_ms(partial(write, first)))
            for event in rest:
                small.append(elapsed_ms(partial(write, event)))
                insert = "INSERT INTO e (body) VALUES (?)"
                bare.append(elapsed_ms(partial(connection.execute, insert, ("x" * _BODY_BYTES,))))
    connection.close()
    took_ms = elapsed_ms(lambda: verify(root / "one.ocsession", root / "anchors"))
    beside = f"a bare SQLite commit of {_BODY_BYTES} bytes"
    return [
        Row(what="handing an event to the writing thread", n=len(queued), seen=Samples.of(queued).said(digits=3)),
        ratio_row("one event into the record, durable", Samples.of(small), Samples.of(bare), None, beside=beside,
                  digits=2),
        ratio_row(f"the same with a picture of {_PICTURE_BYTES // 1000} kB", Samples.of(large), Samples.of(bare), None,
                  beside=beside, digits=2),
        Row(what=f"verifying the record of {steps} steps", n=1, seen=f"{took_ms:.0f} ms"),
    ]  # fmt: skip


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE e (seq INTEGER PRIMARY KEY, body TEXT)")
    return connection
