"""The window at work: the console in the window that is there already, on asyncio over Qt's loop. For `desktop`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from operator_console.app.backend import Backend
from operator_console.app.practising import practice_window
from operator_console.app.station import Founded, Station, open_station, our_windows
from operator_console.cli.supervise import interrupts
from operator_console.desktop.platform import open_occlusion
from operator_console.ui.backend import Opening
from operator_console.ui.console import Console
from operator_console.ui.front import Front


def work(
    app: QApplication, front: Front, founded: Founded, display: str, record: Path | None, *, practice: bool
) -> int:
    """Until the window is closed. Returns the exit code."""
    attach = _watch_children_without_threads()
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        attach(runner.get_loop())
        return runner.run(_window(app, front, founded, display, record, practice=practice))


def _watch_children_without_threads() -> Callable[[asyncio.AbstractEventLoop], None]:
    """On Python 3.11 asyncio waits for a child in a thread that can run into Qt's teardown: a crash at exit now and
    then. A watcher by file descriptor has no thread; later versions choose it by themselves."""
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        asyncio.set_child_watcher(watcher)
        return watcher.attach_loop
    return lambda _loop: None


async def _window(
    app: QApplication, front: Front, founded: Founded, display: str, record: Path | None, *, practice: bool
) -> int:
    async with AsyncExitStack() as stack:
        station = await stack.enter_async_context(open_station(display, our_windows(), founded))
        if front.closing:
            return 0
        front.window.prepare()
        await asyncio.sleep(0)  # what is typed meanwhile is shown
        opening = await _opening(stack, station, record, practice=practice)
        occlusion = await asyncio.to_thread(open_occlusion, station.own, station.display)
        backend = Backend(station, occlusion)
        stack.push_async_callback(backend.close)
        await backend.look_for_keys()
        console = Console(app, backend, opening, front)
        with interrupts(lambda _name: console.close()):
            return await console.run()


async def _opening(stack: AsyncExitStack, station: Station, record: Path | None, *, practice: bool) -> Opening:
    if not practice:
        return Opening(record=record)
    lead_time_s = station.settings.timing.lead_time_app_s
    practised = await stack.enter_async_context(practice_window(station, lead_time_s=lead_time_s))
    # The record's name is only the practice window's: each Start gets a file of its own.
    autonomy = station.settings.session.autonomy
    return Opening(request=replace(practised.request, record=None, autonomy=autonomy))
