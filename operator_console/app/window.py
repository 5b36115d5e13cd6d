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
from operator_console.app.practice_session import practice_window
from operator_console.app.services import BegunServices, Services, open_services, our_windows
from operator_console.cli.run_to_end import interrupts
from operator_console.desktop.platform import open_occlusion
from operator_console.ui.backend import Opening
from operator_console.ui.console import Console
from operator_console.ui.startup_window import StartupWindow


def work(
    app: QApplication,
    front: StartupWindow,
    begun_services: BegunServices,
    display: str,
    record: Path | None,
    *,
    practice: bool,
) -> int:
    """Until the window is closed. Returns the exit code."""
    attach = _watch_children_without_threads()
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        attach(runner.get_loop())
        return runner.run(_window(app, front, begun_services, display, record, practice=practice))


def _watch_children_without_threads() -> Callable[[asyncio.AbstractEventLoop], None]:
    """On Python 3.11 asyncio waits for a child in a thread that can run into Qt's teardown: a crash at exit now and
    then. A watcher by file descriptor has no thread; later versions choose it by themselves."""
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        asyncio.set_child_watcher(watcher)
        return watcher.attach_loop
    return lambda _loop: None


async def _window(
    app: QApplication,
    front: StartupWindow,
    begun_services: BegunServices,
    display: str,
    record: Path | None,
    *,
    practice: bool,
) -> int:
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(display, our_windows(), begun_services))
        if front.closing:
            return 0
        front.window.prepare()
        await asyncio.sleep(0)  # what is typed meanwhile is shown
        opening = await _opening(stack, services, record, practice=practice)
        occlusion = await asyncio.to_thread(open_occlusion, services.own, services.display)
        backend = Backend(services, occlusion)
        stack.push_async_callback(backend.close)
        console = Console(app, backend, opening, front)
        with interrupts(lambda _name: console.close()):
            return await console.run()


async def _opening(stack: AsyncExitStack, services: Services, record: Path | None, *, practice: bool) -> Opening:
    if not practice:
        return Opening(record=record)
    lead_time_s = services.settings.timing.lead_time_app_s
    practised = await stack.enter_async_context(practice_window(services, lead_time_s=lead_time_s))
    # The record's name is only the practice window's: each Start gets a file of its own.
    autonomy = services.settings.session.autonomy
    return Opening(request=replace(practised.request, record=None, autonomy=autonomy))
