"""One QApplication for the widget tests, offscreen, and a way to run a coroutine on Qt's own event loop."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeAlias

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

Run: TypeAlias = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(scope="session")
def app() -> QApplication:
    """The one application of this test process."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    found = QApplication.instance()
    made = found if isinstance(found, QApplication) else QApplication(["tests"])
    made.setQuitOnLastWindowClosed(False)
    return made


@pytest.fixture
def each_press_counts(app: QApplication) -> Iterator[None]:
    """No two presses are a double click, however fast the test is."""
    before = app.doubleClickInterval()
    app.setDoubleClickInterval(0)
    yield
    app.setDoubleClickInterval(before)


@pytest.fixture
def on_qt(app: QApplication, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a coroutine on Qt's event loop, as the program does; no nested loops, no processEvents on its stack.

    An exception in a slot, which PySide6 only prints, fails the test. Style sheet and font are afterwards as before.
    """
    from qasync import QEventLoop

    raised: list[BaseException] = []
    limit_s = 3_600 if request.config.getoption("--full") else 60
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _traceback: raised.append(error))

    def run(work: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
            runner.run(asyncio.wait_for(work, limit_s))

    sheet, font = app.styleSheet(), app.font()
    gc.freeze()  # the collection at the end is for what the test made: all that the worker imported would take 0.4 s
    yield run
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)
    if app.font() != font:
        app.setFont(font)
    if raised:
        raise raised[0]


async def until(condition: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
    """Wait for a condition with a deadline."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited for {what}")
        await asyncio.sleep(0.005)
