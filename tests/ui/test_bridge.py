"""Frames that came faster than the window takes them: the latest is passed on, with what changed since the last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from PySide6.QtCore import QEventLoop
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from operator_console.domain.frames import Change, Frame
from operator_console.domain.geometry import Rect
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from tests.display.ui.scene import frame_of
from tests.ui.conftest import Run

DEADLINE_S = 30.0
NOTHING = Rect(0, 0, 0, 0)


class Source:
    """A backend as far as live frames go."""

    def __init__(self) -> None:
        self.give: Callable[[Frame], None] = lambda _: None

    def subscribe_guard(self, _hear: object) -> Callable[[], None]:
        return lambda: None

    def watch(self, _target: str, on_frame: Callable[[Frame], None], _on_trouble: object) -> Callable[[], None]:
        self.give = on_frame
        return lambda: None


class Window:
    """What comes out of the bridge."""

    def __init__(self, bridge: Bridge) -> None:
        self.frames: list[Frame] = []
        bridge.frame.connect(self.frames.append)

    def next(self) -> Frame:
        deadline = time.monotonic() + DEADLINE_S
        while not self.frames:
            assert time.monotonic() < deadline
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 100)
        return self.frames.pop()


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def window(app: QApplication, source: Source) -> Iterator[Window]:
    bridge = Bridge(cast(ConsoleBackend, cast(Any, source)))
    bridge.watch("monitor:1")
    window = Window(bridge)
    yield window
    bridge.watch(None)
    bridge.deleteLater()


def frame(name: str, since: str | None = None, box: Rect = NOTHING) -> Frame:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    return replace(frame_of(image), frame_id=name, change=Change(since=since, box=box) if since is not None else None)


def test_what_changed_adds_up_over_frames_that_nobody_saw(source: Source, window: Window) -> None:
    source.give(frame("a"))
    assert window.next().change is None
    for each in (
        frame("b", "a", Rect(1, 1, 2, 2)), frame("b", "b"), frame("c", "b", Rect(10, 5, 3, 3)), frame("c", "c"),
    ):  # fmt: skip
        source.give(each)
    seen = window.next()
    assert seen.frame_id == "c"
    assert seen.change == Change(since="a", box=Rect(1, 1, 12, 7))
    source.give(frame("d", "c", Rect(0, 0, 1, 1)))
    assert window.next().change == Change(since="c", box=Rect(0, 0, 1, 1))


def test_after_one_that_may_differ_anywhere_the_next_may_too(source: Source, window: Window) -> None:
    source.give(frame("a"))
    window.next()
    source.give(frame("b"))
    source.give(frame("c", "b", Rect(0, 0, 1, 1)))
    assert window.next().change is None


def test_nothing_starts_once_it_is_closed(app: QApplication, source: Source, on_qt: Run) -> None:
    ran: list[bool] = []

    async def late() -> None:
        ran.append(True)

    async def work() -> None:
        bridge = Bridge(cast(ConsoleBackend, cast(Any, source)))
        await bridge.close()
        bridge.run("late", late())
        await asyncio.sleep(0)
        assert not bridge.running("late")
        bridge.deleteLater()

    on_qt(work())
    assert ran == []
