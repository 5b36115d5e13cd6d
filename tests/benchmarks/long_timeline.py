"""A session of 5,000 steps in the window: the longest turn of its loop while it is opened, scrolled and played.

``python -m tests.benchmarks.long_timeline [STEPS]``; offscreen. Figures are processor time of the window's thread.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from operator_console.domain import events as ev
from operator_console.domain.events import Record


def long_story(steps: int) -> list[Record]:
    """The records of an ordinary session: each step is looked at, proposed, decided, granted, done and settled."""
    from tests.display.ui.scene import Story, desktop_image

    story = Story(image=desktop_image(64, 48))
    story.history(5)
    first = next(place for place, each in enumerate(story.records) if isinstance(each.event, ev.Observed))
    pattern, records = story.records[first:], story.records[:first]
    for number in range(1, steps + 1):
        of = (number - 1) % 5 + 1
        for each in pattern:
            if getattr(each.event, "step", 0) == of:
                event: Any = each.event
                records.append(Record(seq=len(records) + 1, time=each.time, event=replace(event, step=number)))
    return records


async def measure(steps: int) -> dict[str, float]:
    """The longest turn in seconds, by what was done."""
    from PySide6.QtWidgets import QApplication

    from operator_console.ui.backend import Opening
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.display.ui.scene import Story, desktop_image
    from tests.ui.test_long_texts import Turns

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    backend = FakeBackend()
    path, story = Path("long.ocsession"), Story(image=desktop_image(64, 48))
    story.records = long_story(steps)
    backend.files[path] = story
    console = Console(app, backend, Opening(record=path))
    turns, worst = Turns(), {}
    life = asyncio.ensure_future(console.run())

    async def settled(name: str) -> None:
        for _ in range(10):
            await asyncio.sleep(0.02)
        worst[name] = turns.worst_s
        turns.forget()

    began_s = time.monotonic()
    await until(console.window.isVisible, "the window")
    await settled("start")
    await until(console.window.transport.isVisible, "the record", 60)
    await settled("open")
    worst["opened after (elapsed)"] = time.monotonic() - began_s
    timeline, transport = console.window.side.timeline, console.window.transport
    bar = timeline.verticalScrollBar()
    for share in (0.2, 0.5, 0.9, 1.0):
        bar.setValue(round(bar.maximum() * share))
        await settled(f"scroll to {share:.0%}")
    for step in (steps // 2, 1, steps - 1, steps // 3):
        transport.place.setValue(step)
        await settled(f"scrub to {step}")
    timeline.setCurrentIndex(timeline.rows.index(100))
    await settled("choose")
    transport.speed.setCurrentIndex(4)
    transport.play_or_pause()
    await asyncio.sleep(1)
    await settled("play")
    transport.pause()
    console.close()
    await life
    return worst


def main() -> None:
    """Print the figures."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        for name, value_s in runner.run(measure(steps)).items():
            print(f"{name:26} {value_s * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
