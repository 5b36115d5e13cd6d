"""The window before there is anything behind it: shown at once, written in, while a thread imports all the rest.

Qt's own loop runs meanwhile; asyncio's, on Qt, comes when the thread is done (`desktop`). The first picture goes before
everything: the thread begins when that is drawn. Importing in a thread leaves the window its turns, where importing
between its events would hold it for a tenth of a second at a time.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from operator_console.ui.front import Front

DRAWN_MS = 500
"""A window that is drawn nowhere (minimised, on another desktop) is not waited for."""
SIGNALS_MS = 50
"""How often Python looks whether a signal came: inside Qt's loop it does not look by itself."""

T = TypeVar("T")


class Rest(QObject, Generic[T]):
    """Does `work` in a thread once the window is drawn; `run` returns what came of it."""

    _over = Signal()

    def __init__(self, app: QApplication, front: Front, work: Callable[[], T]) -> None:
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
def closed_by_signals(front: Front) -> Iterator[None]:
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
