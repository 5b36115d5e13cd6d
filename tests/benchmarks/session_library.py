"""How fast the library lists real session files, and for how long it ever holds the window's loop.

The window is measured in a process of its own, offscreen: `python -m tests.benchmarks.session_library FOLDER`. It lists
the sessions, scrolls through all of them, searches, and changes the order.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from operator_console.journal.summary import SessionFolder
from operator_console.journal.write import SessionJournal
from tests.benchmarks.figures import Options, Row, Samples, elapsed_ms
from tests.journal import samples

SESSIONS = 1_000
STEPS = 12
_LIST_BAR_MS, _STALL_BAR_MS = 1_000.0, 100.0
_NOTICED_S = 0.02
_TASKS = (
    "Copy the train receipt into the expense report",
    "Tidy the list",
    "整理清单并导出为报告",
    "Zażółć gęślą jaźń",
)


def measure(options: Options) -> list[Row]:
    """List the files in this process, then show them in a window."""
    count, times = options.times(SESSIONS, 100), options.times(7, 2)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name)
        write_sessions(root, count)
        first: list[float] = []
        again: list[float] = []
        for _ in range(times):
            folder = SessionFolder(root / "sessions", root / "anchors")
            first.append(elapsed_ms(folder.read))
            again.append(elapsed_ms(folder.read))
        command = [sys.executable, "-m", "tests.benchmarks.session_library", str(root)]
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        runs = [
            json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout) for _ in range(times)
        ]
    shown = Samples.of([run["shown_ms"] for run in runs])
    stall = max(run["stall_ms"] for run in runs)
    size = f"{count:,} sessions of {STEPS} steps"
    return [
        _row(f"reading {size}", Samples.of(first), _LIST_BAR_MS),
        _row("the same when nothing changed", Samples.of(again), _LIST_BAR_MS),
        _row(f"the library shows {size} after it was asked for", shown, _LIST_BAR_MS),
        Row(
            what="the longest that showing, scrolling, searching and sorting them held the window", n=times,
            seen=f"{stall:.0f} ms" if stall else f"under {_NOTICED_S * 1000:.0f} ms", bar=f"<= {_STALL_BAR_MS:g} ms",
            met=stall <= _STALL_BAR_MS,
        ),
    ]  # fmt: skip


def _row(what: str, seen: Samples, bar_ms: float) -> Row:
    return Row(
        what=what, n=seen.n, seen=f"median {seen.median:.0f} ms, max {seen.max:.0f}", bar=f"<= {bar_ms:g} ms",
        met=seen.median <= bar_ms,
    )  # fmt: skip


def write_sessions(root: Path, count: int) -> None:
    """Write sessions with the journal, each with a picture that takes as long to decode as one of a full desktop."""
    pictures = [_picture(number) for number in range(8)]
    (root / "sessions").mkdir()
    for number in range(count):
        path = root / "sessions" / f"2026-11-{number % 28 + 1:02}_10-00-{number:04}.ocsession"
        with SessionJournal.create(path, root / "anchors") as journal:
            journal.append(replace(samples.started(), task=f"{_TASKS[number % len(_TASKS)]} {number}"))
            data = pictures[number % len(pictures)]
            digest = hashlib.sha256(data).hexdigest()
            journal.put_blob(digest, data, "image/png")
            for step in range(1, STEPS + 1):
                for event in samples.step_events(step, digest):
                    journal.append(event)
            journal.append(samples.ended())


def _picture(number: int) -> bytes:
    out = io.BytesIO()
    Image.effect_mandelbrot((1920, 1080), (-2.0, -1.2, 1.0 + number / 8, 1.2), 60).save(out, "PNG")
    return out.getvalue()


async def _window(root: Path) -> dict[str, float]:
    from PySide6.QtWidgets import QApplication

    from operator_console.app.session_files import SessionFiles
    from operator_console.settings.file_locations import find_paths
    from operator_console.ui.backend import SessionSummary
    from operator_console.ui.console import Console
    from operator_console.ui.library.library_window import LibraryWindow
    from operator_console.ui.library.sessions_model import Order
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.loop_watch import LoopWatch

    os.environ["OPERATOR_CONSOLE_HOME"] = str(root)
    files = SessionFiles(find_paths()._replace(sessions=root / "sessions", anchors=root / "anchors"))

    class WithFiles(FakeBackend):
        async def sessions(self) -> Sequence[SessionSummary]:
            return await files.sessions()

        async def session_picture(self, path: Path, digest: str) -> bytes | None:
            return await files.picture(path, digest)

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    console = Console(app, WithFiles())
    life = asyncio.ensure_future(console.run())
    await until(lambda: console.window.setup.chosen_target is not None, "the targets")
    watch = LoopWatch(_NOTICED_S)
    watch.start()
    began_s = time.perf_counter()
    console.library.show()
    library = console.library.window
    assert isinstance(library, LibraryWindow)
    await until(lambda: library.list.current is not None, "the list")
    shown_s = time.perf_counter() - began_s
    rows = library.list.rows
    for row in range(0, rows.rowCount(), 3):
        library.list.scrollTo(rows.index(row))
        await asyncio.sleep(0.002)
    for text in ("r", "re", "rec", "receipt 99", "", "nothing of the kind", ""):
        library.search.setText(text)
        await asyncio.sleep(0.05)
    for order in Order:
        library.order.setCurrentText(order.value)
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    watch.stop()
    console.close()
    await life
    return {"shown_ms": shown_s * 1000, "stall_ms": max((stall.held_s * 1000 for stall in watch.stalls), default=0.0)}


def main() -> None:
    """Show the sessions of a folder, and print what was measured as JSON."""
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        print(json.dumps(runner.run(_window(Path(sys.argv[1])))))


if __name__ == "__main__":
    main()
