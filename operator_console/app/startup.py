"""Shows a minimal window while a thread imports the rest.

The task can be written meanwhile.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from operator_console.app.display import find_display
from operator_console.domain.errors import OperatorError
from operator_console.settings.scheme import kept_scheme
from operator_console.ui.startup_window import StartupWindow

if TYPE_CHECKING:
    from operator_console.app.services import BegunServices


DRAWN_MS = 500
"""A window that is drawn nowhere (minimised, on another desktop) is not waited for."""
SIGNALS_MS = 50
"""How often Python looks whether a signal came: inside Qt's loop it does not look by itself."""

T = TypeVar("T")


class Rest(QObject, Generic[T]):
    """Does `work` in a thread once the window is drawn; `run` returns what came of it."""

    _over = Signal()

    def __init__(self, app: QApplication, front: StartupWindow, work: Callable[[], T]) -> None:
        super().__init__()
        self._app, self._front, self._work = app, front, work
        self._done: list[T] = []
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def run(self) -> T:
        """Show the window and work until `work` is done. Raises what that raised."""
        self._over.connect(self._leave)
        self._front.window.drawn.connect(self._begin)
        undrawn = QTimer(self)
        undrawn.setSingleShot(True)
        undrawn.timeout.connect(self._begin)
        undrawn.start(DRAWN_MS)
        self._front.show()
        self._app.exec()
        undrawn.stop()
        assert self._thread is not None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._done[0]

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._do, name="import the rest")
            self._thread.start()

    def _leave(self) -> None:
        self._app.exit()  # `quit` would ask the windows to close first

    def _do(self) -> None:
        try:
            self._done.append(self._work())
        except BaseException as error:  # noqa: BLE001  raised again on the window's thread
            self._error = error
        self._over.emit()


@contextmanager
def closed_by_signals(front: StartupWindow) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal close the window, as they do later, until it is handed over."""
    numbers: list[signal.Signals] = []
    if sys.platform != "win32":
        numbers += [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup means it
            numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: front.close()) for number in numbers}
    looking = QTimer(front)
    looking.timeout.connect(front.look)
    front.handed_over.connect(looking.stop)
    looking.start(SIGNALS_MS)
    try:
        yield
    finally:
        looking.stop()
        for number, handler in before.items():
            signal.signal(number, handler)


def open_window(record: Path | None, *, practice: bool, start_log: Callable[[], None]) -> int:
    """Open it and stay until it is closed. Returns the exit code; raises ConsoleError where it cannot open."""
    display = find_display()
    os.environ["QT_QPA_PLATFORM"] = "xcb"  # the window must be on the display that the guard listens to
    app = QApplication.instance() or QApplication(sys.argv[:1])
    if not isinstance(app, QApplication):
        raise OperatorError("Another user interface runs in this process.", remedy="Start the console by itself.")
    app.setApplicationName("Operator console")
    app.setDesktopFileName("operator-console")
    app.setQuitOnLastWindowClosed(False)
    front = StartupWindow(app, kept_scheme())
    try:
        with closed_by_signals(front):
            begun_services = Rest(app, front, partial(_rest, display, start_log)).run()
            if front.closing:
                begun_services.launched.abandon()
                return 0
            from operator_console.app.window import work

            return work(app, front, begun_services, display, record, practice=practice)
    except BaseException:
        front.window.really_close()
        raise


def _rest(display: str, start_log: Callable[[], None]) -> BegunServices:
    """Everything behind the window: half a second, in which the guard's process gets ready."""
    start_log()
    from operator_console.app.services import begin_services

    begun_services = begin_services(display)
    try:
        import operator_console.app.window  # noqa: F401
        from operator_console.providers.registry import specs
        from operator_console.settings.keys import prepare_keyring

        for spec in specs():
            prepare_keyring(spec)
    except BaseException:
        begun_services.launched.abandon()
        raise
    return begun_services
