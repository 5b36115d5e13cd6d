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

from operator_console.app.startup import Rest, closed_by_signals
from operator_console.ui.startup_window import StartupWindow

WITHIN_S = 30.0


@pytest.fixture
def front(app: QApplication) -> Iterator[StartupWindow]:
    made = StartupWindow(app)
    yield made
    made.window.really_close()
    made.window.deleteLater()


def run(app: QApplication, front: StartupWindow, work: Callable[[], object]) -> object:
    with closed_by_signals(front):
        return Rest(app, front, work).run()


def test_the_work_begins_when_the_window_is_drawn_and_its_outcome_is_returned(
    app: QApplication, front: StartupWindow
) -> None:
    drawn: list[bool] = []
    front.window.drawn.connect(lambda: drawn.append(front.window.isVisible()))
    began: list[tuple[list[bool], bool]] = []

    def work() -> str:
        began.append((list(drawn), threading.current_thread() is threading.main_thread()))
        return "the rest"

    assert run(app, front, work) == "the rest"
    assert began == [([True], False)]


def test_the_task_is_written_while_the_thread_works(app: QApplication, front: StartupWindow) -> None:
    written = threading.Event()

    def write() -> None:
        QTest.keyClicks(front.window.setup.task, "Copy the receipt")
        written.set()

    def work() -> bool:
        return written.wait(WITHIN_S)

    front.window.drawn.connect(lambda: QTimer.singleShot(0, write))
    assert run(app, front, work) is True
    assert front.window.setup.task.toPlainText() == "Copy the receipt"
    assert app.focusWidget() is front.window.setup.task


def test_what_goes_wrong_in_the_thread_is_raised_here(app: QApplication, front: StartupWindow) -> None:
    def work() -> None:
        raise OSError("no such library")

    with pytest.raises(OSError, match="no such library"):
        run(app, front, work)
    assert not [thread for thread in threading.enumerate() if thread.name == "import the rest"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window(app: QApplication, front: StartupWindow, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    gone = threading.Event()
    close = front.close

    def work() -> bool:
        os.kill(os.getpid(), number)
        return gone.wait(WITHIN_S)

    def closed() -> None:
        close()
        gone.set()

    front.close = closed  # type: ignore[method-assign]
    assert run(app, front, work) is True
    assert front.closing
    assert not front.window.isVisible()
    assert signal.getsignal(number) is before


def test_closing_it_puts_it_out_of_sight_at_once(app: QApplication, front: StartupWindow) -> None:
    gone = threading.Event()

    def close() -> None:
        front.window.close()
        if not front.window.isVisible():
            gone.set()

    front.window.drawn.connect(close)
    assert run(app, front, lambda: gone.wait(WITHIN_S)) is True
    assert front.closing
