"""Runs the console in the window that is already shown, with asyncio on Qt's event loop."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from operator_console.app.backend import Backend, load_session_modules
from operator_console.app.interpreter_setup import resume_collection
from operator_console.app.services import StartingServices, open_services, our_windows
from operator_console.app.window_requests import later_starts
from operator_console.cli.run_to_end import interrupts
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import focus_window, open_occlusion
from operator_console.desktop.protocols import Occlusion
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.geometry import Rect
from operator_console.ui.backend import Opening
from operator_console.ui.startup_window import StartupWindow

T = TypeVar("T")

LOAD_AFTER_S = 0.3
"""After the window can be used: targets and models are listed first."""


def work(
    app: QApplication,
    startup: StartupWindow,
    starting: StartingServices,
    display: str,
    record: Path | None,
    *,
    practice: bool,
    listen_at: Path | None,
) -> int:
    """Run until the window is closed. Returns the exit code."""
    attach = _watch_children_without_threads()
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        attach(runner.get_loop())
        return runner.run(_window(app, startup, starting, display, record, practice=practice, listen_at=listen_at))


def _watch_children_without_threads() -> Callable[[asyncio.AbstractEventLoop], None]:
    """Use a pidfd watcher on Python 3.11: its default waits for a child in a thread that can run into Qt's teardown and
    crash at exit. Later versions choose pidfd by themselves."""
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        asyncio.set_child_watcher(watcher)
        return watcher.attach_loop
    return lambda _loop: None


def _load_in_thread() -> None:
    resume_collection()
    asyncio.get_running_loop().run_in_executor(None, load_session_modules)  # the loop's end waits for its threads


def _begin(stack: AsyncExitStack, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
    """Start a task; it ends with the stack."""
    task = asyncio.get_running_loop().create_task(work)

    async def end() -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    stack.push_async_callback(end)
    return task


class FocusByQt:
    """The Occlusion of a Wayland session, whose compositor tells each program of its own windows only.

    None counts as covered: nothing that a session there works on can open a window over them.
    """

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        """Not known."""
        return False

    def has_focus(self) -> bool:
        """As the compositor told Qt."""
        return QGuiApplication.focusWindow() is not None

    def close(self) -> None:
        """Nothing is open."""


async def _open_occlusion(own: OwnWindows, display: str) -> Occlusion:
    return FocusByQt() if display == NO_DISPLAY else await asyncio.to_thread(open_occlusion, own, display)


async def _prepare(startup: StartupWindow) -> None:
    """Import and make what is behind the window, in steps between which Qt shows what was typed.

    On Qt's own thread, unlike the imports before: making widget classes in another one crashed Qt now and then.
    """
    for _ in startup.window.prepare():
        await asyncio.sleep(0)
    import operator_console.ui.console  # noqa: F401


async def _window(
    app: QApplication,
    startup: StartupWindow,
    starting: StartingServices,
    display: str,
    record: Path | None,
    *,
    practice: bool,
    listen_at: Path | None,
) -> int:
    async with AsyncExitStack() as stack:
        own = our_windows()
        # While the guard's process starts.
        preparing = _begin(stack, _prepare(startup))
        occlusion = _begin(stack, _open_occlusion(own, display))
        services = await stack.enter_async_context(open_services(display, own, starting))
        if startup.closing:
            return 0
        await preparing
        backend = Backend(services, await occlusion)
        stack.push_async_callback(backend.close)
        from operator_console.ui.console import Console
        from operator_console.ui.controllers.practice_offer import room_beside

        offer = await backend.open_practice(*room_beside(startup.window)) if practice else None
        opening = Opening(record=record, request=offer.request if offer is not None else None, practice=offer)
        console = Console(app, backend, opening, startup)
        asyncio.get_running_loop().call_later(LOAD_AFTER_S, _load_in_thread)

        def later_start(wanted: Path | None, practice: bool) -> None:
            console.later_start(wanted, practice=practice)
            # Qt asks with the time of the last input that reached this window, which some window managers refuse.
            window_id = int(console.window.winId())
            asyncio.get_running_loop().run_in_executor(None, focus_window, display, window_id)

        await stack.enter_async_context(later_starts(listen_at, later_start))
        with interrupts(lambda _name: console.close()):
            return await console.run()
