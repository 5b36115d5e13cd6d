"""The window: Qt, its event loop, and the console in it. Called by app's `run_app`.

asyncio runs on Qt's loop, so the guard's lease is answered by the very loop that draws the window: a window that hangs
loses its lease, and the agent stops.

The window is there first, the rest follows (`first`): nothing may be imported up here that its first picture does
without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from operator_console.app.display import find_display
from operator_console.app.first import Rest, closed_by_signals
from operator_console.domain.errors import OperatorError
from operator_console.settings.scheme import kept_scheme
from operator_console.ui.front import Front

if TYPE_CHECKING:
    from operator_console.app.station import Founded


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
    front = Front(app, kept_scheme())
    try:
        with closed_by_signals(front):
            founded = Rest(app, front, partial(_rest, display, start_log)).run()
            if front.closing:
                founded.launched.abandon()
                return 0
            from operator_console.app.working import work

            return work(app, front, founded, display, record, practice=practice)
    except BaseException:
        front.window.really_close()
        raise


def _rest(display: str, start_log: Callable[[], None]) -> Founded:
    """Everything behind the window: half a second, in which the guard's process gets ready."""
    start_log()
    from operator_console.app.station import found_station

    founded = found_station(display)
    try:
        import operator_console.app.working  # noqa: F401
        from operator_console.providers.registry import specs
        from operator_console.settings.keys import prepare_keyring

        for spec in specs():
            prepare_keyring(spec)
    except BaseException:
        founded.launched.abandon()
        raise
    return founded
