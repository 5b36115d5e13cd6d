"""How long an append takes, beside a bare SQLite commit of the same size: python -m tests.benchmarks.journal."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from operator_console.journal.verify import verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples

STEPS = 300
PICTURE_BYTES = 200_000


def timed(work: Callable[[], object], times: list[float]) -> None:
    began_s = time.perf_counter()
    work()
    times.append(time.perf_counter() - began_s)


def report(name: str, times: list[float], bare: float | None = None) -> None:
    ordered = sorted(times)
    median, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    ratio = f"  {median / bare:4.1f}x" if bare else ""
    print(f"{name:<34} median {median * 1000:6.2f} ms  p99 {p99 * 1000:6.2f} ms{ratio}")


def bare_commits(path: Path) -> float:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE e (seq INTEGER PRIMARY KEY, body TEXT)")
    times: list[float] = []
    for _ in range(1_000):
        timed(lambda: connection.execute("INSERT INTO e (body) VALUES (?)", ("x" * 800,)), times)
    connection.close()
    report("bare SQLite commit, 800 bytes", times)
    return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bare = bare_commits(root / "bare.sqlite")
        small: list[float] = []
        large: list[float] = []
        with SessionJournal.create(root / "one.ocsession", root / "anchors") as journal:
            for step in range(1, STEPS + 1):
                picture = os.urandom(PICTURE_BYTES)
                digest = hashlib.sha256(picture).hexdigest()
                journal.put_blob(digest, picture, "image/png")
                first, *rest = samples.step_events(step, digest)
                timed(lambda event=first: journal.append(event), large)  # type: ignore[misc]
                for event in rest:
                    timed(lambda event=event: journal.append(event), small)  # type: ignore[misc]
        report("append", small, bare)
        report(f"append with a picture of {PICTURE_BYTES // 1000} kB", large)
        began_s = time.perf_counter()
        verdict = verify(root / "one.ocsession", root / "anchors")
        print(f"verify {verdict.events} events, {verdict.blobs} pictures: {time.perf_counter() - began_s:.2f} s")


if __name__ == "__main__":
    main()
