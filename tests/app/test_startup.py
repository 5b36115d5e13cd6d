"""The window before there is anything behind it: it takes its turns while a thread works, and can be closed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.app.startup import BackgroundWork, closed_by_signals
from operator_console.ui.startup_window import StartupWindow

WITHIN_S = 30.0


@pytest.fixture
def startup(app: QApplication) -> Iterator[StartupWindow]:
    made = StartupWindow(app)
    yield made
    made.window.really_close()
    made.window.deleteLater()


def run(app: QApplication, startup: StartupWindow, work: Callable[[], object]) -> object:
    with closed_by_signals(startup):
        return BackgroundWork(app, startup, work).run()


def test_the_work_begins_when_the_window_is_drawn_and_its_outcome_is_returned(
    app: QApplication, startup: StartupWindow
) -> None:
    drawn: list[bool] = []
    startup.window.drawn.connect(lambda: drawn.append(startup.window.isVisible()))
    began: list[tuple[list[bool], bool]] = []

    def work() -> str:
        began.append((list(drawn), threading.current_thread() is threading.main_thread()))
        return "the rest"

    assert run(app, startup, work) == "the rest"
    assert began == [([True], False)]


def test_the_task_is_written_while_the_thread_works(app: QApplication, startup: StartupWindow) -> None:
    written = threading.Event()

    def write() -> None:
        QTest.keyClicks(startup.window.setup.task, "Copy the receipt")
        written.set()

    def work() -> bool:
        return written.wait(WITHIN_S)

    startup.writable.connect(lambda: QTimer.singleShot(0, write))
    assert run(app, startup, work) is True
    assert startup.window.setup.task.toPlainText() == "Copy the receipt"
    assert app.focusWidget() is startup.window.setup.task


def test_what_goes_wrong_in_the_thread_is_raised_here(app: QApplication, startup: StartupWindow) -> None:
    def work() -> None:
        raise OSError("no such library")

    with pytest.raises(OSError, match="no such library"):
        run(app, startup, work)
    assert not [thread for thread in threading.enumerate() if thread.name == "startup imports"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window(app: QApplication, startup: StartupWindow, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    gone = threading.Event()
    close = startup.close

    def work() -> bool:
        os.kill(os.getpid(), number)
        return gone.wait(WITHIN_S)

    def closed() -> None:
        close()
        gone.set()

    startup.close = closed  # type: ignore[method-assign]
    assert run(app, startup, work) is True
    assert startup.closing
    assert not startup.window.isVisible()
    assert signal.getsignal(number) is before


def test_closing_it_puts_it_out_of_sight_at_once(app: QApplication, startup: StartupWindow) -> None:
    gone = threading.Event()

    def close() -> None:
        startup.window.close()
        if not startup.window.isVisible():
            gone.set()

    startup.window.drawn.connect(close)
    assert run(app, startup, lambda: gone.wait(WITHIN_S)) is True
    assert startup.closing
