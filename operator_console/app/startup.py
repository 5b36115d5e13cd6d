"""Shows a minimal window while a thread imports the rest.

The task can be written meanwhile, and Start pressed where the set-up of the last session is known.
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

from operator_console.app.human_display import find_display
from operator_console.app.qt_failures import failures_of_qt_explained
from operator_console.app.single_window import WindowClaim, claim_window
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.settings.file_locations import find_paths
from operator_console.settings.remembered_window import read_remembered
from operator_console.settings.saved_appearance import saved_appearance
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_choice import Look
from operator_console.ui.window_place import RememberedSetup, WindowPlace

if TYPE_CHECKING:
    from operator_console.app.services import StartingServices


DRAWN_MS = 500
"""Longest wait for the first paint: a minimised window, or one on another desktop, is never painted."""
SIGNALS_MS = 50
"""Interval at which Python code runs so that signal handlers can: Qt's loop alone never runs them."""
T = TypeVar("T")


class BackgroundWork(QObject, Generic[T]):
    """Runs `work` in a thread once the task can be written; `run` returns its result."""

    _over = Signal()

    def __init__(self, app: QApplication, startup: StartupWindow, work: Callable[[], T]) -> None:
        super().__init__()
        self._app, self._startup, self._work = app, startup, work
        self._done: list[T] = []
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def run(self) -> T:
        """Show the window and run Qt's loop until `work` is done. Raises what `work` raised."""
        self._over.connect(self._leave)
        self._startup.writable.connect(self._begin)
        undrawn = QTimer(self)
        undrawn.setSingleShot(True)
        undrawn.timeout.connect(self._startup.make_setup)
        undrawn.start(DRAWN_MS)
        self._startup.show()
        self._app.exec()
        undrawn.stop()
        assert self._thread is not None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._done[0]

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._do, name="startup imports")
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
def closed_by_signals(startup: StartupWindow) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal close the window, until it is handed over to the console."""
    numbers: list[signal.Signals] = []
    if sys.platform != "win32":
        numbers += [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored under nohup
            numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: startup.close()) for number in numbers}
    looking = QTimer(startup)
    looking.timeout.connect(startup.look)
    startup.handed_over.connect(looking.stop)
    looking.start(SIGNALS_MS)
    try:
        yield
    finally:
        looking.stop()
        for number, handler in before.items():
            signal.signal(number, handler)


def open_window(record: Path | None, *, practice: bool, start_log: Callable[[], None]) -> int:
    """Open the window and run until it is closed. Returns the exit code; raises ConsoleError if it cannot open.

    If one is open on this display already, it comes forward instead, and opens the record or the practice window.
    """
    display = find_display()
    claim = claim_window(find_paths().run, display, record, practice=practice)
    if claim is None:
        return 0
    try:
        return _open_claimed_window(claim, display, record, practice=practice, start_log=start_log)
    finally:
        claim.release()


def _open_claimed_window(
    claim: WindowClaim, display: str, record: Path | None, *, practice: bool, start_log: Callable[[], None]
) -> int:
    # The window must be on the display that the guard listens to, if it listens to one.
    os.environ["QT_QPA_PLATFORM"] = "wayland" if display == NO_DISPLAY else "xcb"
    with failures_of_qt_explained(display):
        app = QApplication.instance() or QApplication(sys.argv[:1])
    if not isinstance(app, QApplication):
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        raise OperatorError(
            notice(NoticeCode.OTHER_INTERFACE_IN_PROCESS), remedy=notice(NoticeCode.START_CONSOLE_BY_ITSELF)
        )
    app.setApplicationName("Operator console")
    app.setDesktopFileName("operator-console")
    app.setQuitOnLastWindowClosed(False)
    remembered = read_remembered(find_paths().remembered)
    place = WindowPlace(remembered.geometry, remembered.sizes)
    setup = RememberedSetup.read(remembered.setup) if record is None and not practice else None
    startup = StartupWindow(app, Look.read(*saved_appearance()), place, setup)
    try:
        with closed_by_signals(startup):
            starting = BackgroundWork(app, startup, partial(_begin_everything, display, start_log)).run()
            if startup.closing:
                starting.launched.abandon()
                return 0
            from operator_console.app.window_loop import work

            return work(app, startup, starting, display, record, practice=practice, listen_at=claim.socket_path)
    except BaseException:
        startup.window.really_close()
        raise


def _begin_everything(display: str, start_log: Callable[[], None]) -> StartingServices:
    """Launch the guard, then import everything behind the window (about 0.4 s) while it starts."""
    start_log()
    from operator_console.app.services import begin_services

    starting = begin_services(display)
    try:
        import operator_console.app.window_loop  # noqa: F401
    except BaseException:
        starting.launched.abandon()
        raise
    return starting
