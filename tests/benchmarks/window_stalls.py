"""The longest turn of the window's loop with a megabyte of text, 300 windows and a record of 5,000 steps.

The window runs in a process of its own, offscreen: `python -m tests.benchmarks.window_stalls`. Processor time of its
thread is what counts: elapsed time, which is printed too, contains what other processes take.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.figures import Options, Row, Samples

if TYPE_CHECKING:
    from tests.ui.window_turns import Turns

_BAR_MS = 100.0
_STEPS, _WINDOWS, _LINES = 5_000, 300, 66_667
Found = dict[str, tuple[float, float]]


def measure(options: Options) -> list[Row]:
    """Each scene in a fresh process, several times."""
    times = options.times(7, 1)
    command, env = (
        [sys.executable, "-m", "tests.benchmarks.window_stalls"],
        {**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    runs: list[Found] = [
        json.loads(subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout) for _ in range(times)
    ]
    rows = []
    for name in runs[0]:
        ran, passed = (Samples.of([run[name][place] for run in runs]) for place in (0, 1))
        rows.append(
            Row(
                what=f"longest turn of the loop: {name}", n=times,
                seen=f"processor median {ran.median:.0f} ms, max {ran.max:.0f} (elapsed {passed.median:.0f}, "
                f"{passed.max:.0f})", bar=f"<= {_BAR_MS:g} ms", met=ran.max <= _BAR_MS,
            )
        )  # fmt: skip
    return rows


class _Worst:
    """The longest turn by scene, in ms: processor time, elapsed time."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.found: Found = {}

    async def settled(self, name: str) -> None:
        """Everything of this scene is shown."""
        for _ in range(10):
            await asyncio.sleep(0.02)
        self.found[name] = (self._turns.worst_s * 1000, self._turns.worst_elapsed_s * 1000)
        self._turns.forget()


async def _text(worst: _Worst, turns: Turns) -> None:
    """A text to type: card, editor, dialog, timeline, inspector."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from operator_console.domain import actions as a
    from operator_console.domain import events as ev
    from operator_console.domain.decisions import DecidedBy, DecisionKind
    from operator_console.domain.proposals import Usage
    from operator_console.ui.console import Console
    from operator_console.ui.inspector.inspector import Page
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.display.ui.scene import CRITICAL, LOW, NOTES, call_of, frame_of, review

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    backend = FakeBackend()
    console = Console(app, backend)
    life = asyncio.ensure_future(console.run())
    window, questions = console.window, console.questions
    await until(lambda: window.setup.chosen_target is not None, "the targets")
    window.setup.task.setPlainText("Type it.")
    window.setup.start.click()
    await until(lambda: backend.handle is not None, "the session")
    assert backend.audience is not None
    backend.audience.on_frame(frame_of(backend.story.image))
    backend.story.started()
    backend.story.observed(1)
    backend.play()
    await until(lambda: console.sessions.view.step is not None, "the step")
    action = a.TypeText(text="line of a text\n" * _LINES, at=NOTES)
    raw = json.dumps({"text": action.text, "parts": [{"n": n} for n in range(5_000)]}).encode()
    digest = hashlib.sha256(raw).hexdigest()
    backend.story.blobs[digest] = raw
    turns.forget()
    call = replace(call_of(0, action, LOW), arguments_json=json.dumps({"text": action.text}))
    backend.emit(ev.Proposed(step=1, calls=(call,), usage=Usage(), raw=digest))
    backend.emit(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
    card = window.side.card
    await until(card.approve.isEnabled, "Approve")
    await worst.settled("1 MB to type in the card")
    card.edit.click()
    await until(lambda: card.editor.text.whole, "the text to edit")
    QTest.keyClicks(card.editor.text, "another ")
    await worst.settled("1 MB opened in the editor, and changed there")
    card.editor.cancel.click()
    backend.emit(ev.Answered(question_id="q1.0", answer="yes", by=DecidedBy.HUMAN))
    asked = replace(review(1, 0, action, CRITICAL, dialog=True), question_id="q2")
    backend.emit(ev.Asked(question=asked, step=1, call=0))
    await until(lambda: questions.dialog is not None, "the dialog")
    await worst.settled("1 MB to type in the safety dialog")
    backend.emit(ev.Answered(question_id="q2", answer="yes", by=DecidedBy.HUMAN))
    decided = ev.Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.HUMAN, rule="x", assessment=LOW)
    backend.emit(decided)
    backend.emit(ev.Granted(step=1, call=0, grant_id="g", action=action, epoch=1))
    await until(lambda: questions.dialog is None, "the dialog to close")
    timeline, inspector = window.side.timeline, window.inspector
    await until(lambda: timeline.rows.rowCount() >= 2, "the timeline")
    await worst.settled("1 MB in the timeline")
    timeline.setCurrentIndex(timeline.rows.index(timeline.rows.rowCount() - 1))
    for row in range(timeline.rows.rowCount()):
        timeline.setCurrentIndex(timeline.rows.index(row))
        await asyncio.sleep(0.02)
        if inspector.isVisible():
            break
    await until(inspector.isVisible, "the inspector")
    for page in Page:
        inspector.pages.setCurrentIndex(list(Page).index(page))
        for _ in range(20):
            await asyncio.sleep(0.02)
    inspector.documents[Page.ANSWER].search.setText("line")
    await worst.settled("1 MB in the inspector, with its raw answer, searched")
    console.close()
    await life


async def _targets(worst: _Worst, turns: Turns) -> None:
    """Many windows to choose from."""
    from PySide6.QtWidgets import QApplication

    from operator_console.ui.backend import TargetChoice
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until

    def windows(first: int) -> list[TargetChoice]:
        return [
            TargetChoice(spec=f"window:{number:#x}", title=f"Window {number} with a long title — Editor", app="Editor")
            for number in range(first, first + _WINDOWS)
        ]

    class Many(FakeBackend):
        async def list_targets(self) -> Sequence[TargetChoice]:
            return [*await super().list_targets(), *windows(100)]

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    backend = Many()
    console = Console(app, backend)
    life = asyncio.ensure_future(console.run())
    chooser = console.window.setup.chooser
    await until(lambda: chooser.choice is not None, "the targets")
    turns.forget()
    chooser.target.showPopup()
    await worst.settled(f"a list of {_WINDOWS} windows opened")
    tell: Callable[[Sequence[TargetChoice]], None] | None = backend.on_targets
    assert tell is not None
    fixed = list(await FakeBackend.list_targets(backend))
    for first in (101, 110, 250, 100):
        tell([*fixed, *windows(first)])
        await asyncio.sleep(0.05)
    await worst.settled(f"a list of {_WINDOWS} windows changed while it is open")
    chooser.target.view().scrollToBottom()
    await asyncio.sleep(0.5)
    chooser.target.hidePopup()
    await worst.settled(f"a list of {_WINDOWS} windows scrolled and closed")
    console.close()
    await life


async def _timeline(worst: _Worst, turns: Turns) -> None:
    """A long record: opened, scrolled, scrubbed, a step chosen, played."""
    from PySide6.QtWidgets import QApplication

    from operator_console.ui.backend import Opening
    from operator_console.ui.console import Console
    from tests.benchmarks.long_story import long_story
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery import until
    from tests.display.ui.scene import Story, desktop_image

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    backend = FakeBackend()
    path, story = Path("long.ocsession"), Story(image=desktop_image(64, 48))
    story.records = long_story(_STEPS)
    backend.files[path] = story
    turns.forget()
    console = Console(app, backend, Opening(record=path))
    life = asyncio.ensure_future(console.run())
    window, of = console.window, f"of {_STEPS:,} steps"
    await until(window.isVisible, "the window")
    turns.forget()
    await until(window.transport.isVisible, "the record", 60)
    await worst.settled(f"a record {of} opened")
    timeline, transport = window.side.timeline, window.transport
    bar = timeline.verticalScrollBar()
    for share in (0.2, 0.5, 0.9, 1.0):
        bar.setValue(round(bar.maximum() * share))
        await asyncio.sleep(0.05)
    await worst.settled(f"a timeline {of} scrolled")
    for step in (_STEPS // 2, 1, _STEPS - 1, *range(1, _STEPS, _STEPS // 50)):
        transport.place.setValue(step)
        await asyncio.sleep(0.01)
    await worst.settled(f"a record {of} scrubbed")
    timeline.setCurrentIndex(timeline.rows.index(100))
    await worst.settled(f"a step {of} chosen")
    transport.speed.setCurrentIndex(4)
    transport.play_or_pause()
    await asyncio.sleep(1)
    transport.pause()
    await worst.settled(f"a record {of} played")
    console.close()
    await life


async def _all() -> Found:
    from tests.ui.window_turns import Turns

    turns = Turns()
    worst = _Worst(turns)
    for scene in (_text, _targets, _timeline):
        await scene(worst, turns)
    return worst.found


def main() -> None:
    """Print what was measured as JSON."""
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        print(json.dumps(runner.run(_all())))


if __name__ == "__main__":
    main()
