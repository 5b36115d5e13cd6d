"""The window: Qt, its event loop, and the console in it. Called by app's `run_app`.

asyncio runs on Qt's loop, so the guard's lease is answered by the very loop that draws the window: a window that hangs
loses its lease, and the agent stops.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from operator_console.app.station import Station, find_display, open_station, our_windows
from operator_console.domain.errors import OperatorError

if TYPE_CHECKING:
    from operator_console.ui.backend import Opening


def open_window(record: Path | None, *, practice: bool) -> int:
    """Open it and stay until it is closed. Returns the exit code; raises ConsoleError where it cannot open."""
    display = find_display()
    os.environ["QT_QPA_PLATFORM"] = "xcb"  # the window must be on the display that the guard listens to
    app = QApplication.instance() or QApplication(sys.argv[:1])
    if not isinstance(app, QApplication):
        raise OperatorError("Another user interface runs in this process.", remedy="Start the console by itself.")
    app.setApplicationName("Operator console")
    app.setDesktopFileName("operator-console")
    app.setQuitOnLastWindowClosed(False)
    attach = _watch_children_without_threads()
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        attach(runner.get_loop())
        return runner.run(_window(app, display, record, practice=practice))


def _watch_children_without_threads() -> Callable[[asyncio.AbstractEventLoop], None]:
    """On Python 3.11 asyncio waits for a child in a thread that can run into Qt's teardown: a crash at exit now and
    then. A watcher by file descriptor has no thread; later versions choose it by themselves."""
    if sys.version_info >= (3, 12) or not hasattr(os, "pidfd_open"):
        return lambda _loop: None
    watcher = asyncio.PidfdChildWatcher()
    asyncio.set_child_watcher(watcher)
    return watcher.attach_loop


def _import_the_rest() -> None:
    """The window and what is behind it: half a second, in which the guard's process starts."""
    import operator_console.app.backend
    import operator_console.ui.console  # noqa: F401


async def _window(app: QApplication, display: str, record: Path | None, *, practice: bool) -> int:
    async with AsyncExitStack() as stack:
        station = await stack.enter_async_context(open_station(display, our_windows(), _import_the_rest))
        from operator_console.app.backend import Backend
        from operator_console.cli.supervise import interrupts
        from operator_console.ui.console import Console

        opening = await _opening(stack, station, record, practice=practice)
        backend = Backend(station)
        stack.push_async_callback(backend.close)
        console = Console(app, backend, opening)
        with interrupts(lambda _name: console.close()):
            return await console.run()


async def _opening(stack: AsyncExitStack, station: Station, record: Path | None, *, practice: bool) -> Opening:
    from operator_console.ui.backend import Opening

    if not practice:
        return Opening(record=record)
    from operator_console.app.practising import practice_window

    lead_time_s = station.settings.timing.lead_time_app_s
    practised = await stack.enter_async_context(practice_window(station, lead_time_s=lead_time_s))
    # The record's name is only the practice window's: each Start gets a file of its own.
    autonomy = station.settings.session.autonomy
    return Opening(request=replace(practised.request, record=None, autonomy=autonomy))
