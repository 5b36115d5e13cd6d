"""Choosing a window target by pointing at it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import closing, suppress

from operator_console.computers.vm.viewer_windows import shown_machine
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display, open_window_picker
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.domain.errors import ConsoleError, OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_log = logging.getLogger(__name__)


async def point_at_window(own: OwnWindows, display_name: str) -> str:
    """Let the person click a window; its specification, "" if that was cancelled. No application gets the click.

    Cancelling releases the pointer. Raises ComputerUnavailable if the pointer cannot be had, or there is no display.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def settle(settled: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if done.done() else settled())

    def work(thread: StoppableThread) -> None:
        try:
            with closing(open_window_picker(own, display_name)) as picker:
                window = picker.pick(thread)
            found = "" if window is None else _spec_of(window, display_name)
        except ConsoleError as error:
            failed = error
        except Exception:  # noqa: BLE001  reported like any other failure
            _log.exception("pointing at a window failed")
            failed = OperatorError(notice(NoticeCode.POINTING_FAILED))
        else:
            settle(lambda: done.set_result(found))
            return
        settle(lambda: done.set_exception(failed))

    thread = StoppableThread("pointing", work)
    thread.start()
    try:
        return await done
    finally:
        thread.stop()


def _spec_of(window_id: int, display_name: str) -> str:
    """As the list of targets names it. Raises ComputerUnavailable: there is no display."""
    with closing(open_display(display_name)) as display:
        window = display.describe(window_id)
    kind = TargetKind.VM if window is not None and shown_machine(window) is not None else TargetKind.WINDOW
    return f"{kind.value}:{window_id:#x}"
