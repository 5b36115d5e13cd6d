"""Questions that open while a person types into a note, judged by what the note received.

The person's keys come from a real device (Xephyr in Xvfb). A question counts as good where it was shown while the
typing was under way, every key arrived in the note, and the note never lost the focus.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.benchmarks.figures import Options, Row
from tests.display.rig import Desktop, start_xephyr, start_xvfb
from tests.display.ui.typing_person import typing_beside_console

_PACES_MS = (2, 15, 50)


def measure(options: Options) -> list[Row]:
    """One pace after another."""
    with tempfile.TemporaryDirectory() as folder:
        outer = start_xvfb(Path(folder, "outer"))
        try:
            inner = start_xephyr(outer, Path(folder, "inner"))
            try:
                desktop = Desktop.start(inner, Path(folder, "inner"), human=outer)
                try:
                    return [_row(desktop, Path(folder), pace_ms, options.times(100, 3)) for pace_ms in _PACES_MS]
                finally:
                    desktop.close()
            finally:
                inner.stop()
        finally:
            outer.stop()


def _row(desktop: Desktop, folder: Path, pace_ms: int, times: int) -> Row:
    good = keys = lost = 0
    with typing_beside_console(desktop, folder / f"written-{pace_ms}.txt") as (console, person):
        for _ in range(times):
            person.take_keyboard()
            before, had = len(person.sent), len(person.received)
            person.begin(pace_ms)
            console.do("dialog")
            in_time = person.typing
            person.end()
            sent, received = person.sent[before:], person.received[had:]
            good += in_time and received == sent and not person.focus_left()
            keys, lost = keys + len(sent), lost + len(sent) - len(received)
            console.do("answer")
    return Row(
        what=f"questions while a person types, {pace_ms} ms a key", n=times, bar="all", met=good == times,
        seen=f"{good} left the keyboard where it was; {lost} of {keys:,} keys lost",
    )  # fmt: skip
