"""Opening a target never holds up the event loop, which answers the lease, and leaves nothing behind when cancelled."""

from __future__ import annotations

import asyncio
import threading

import pytest

from operator_console.computers import targets
from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.computers.live_preview import LiveSource
from operator_console.computers.monitor.capture import MonitorCapture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import MonitorTarget, TargetRef

DEADLINE_S = 30.0


async def test_the_loop_turns_while_the_display_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asking, answered = threading.Event(), threading.Event()

    def slow_resolve(*_: object) -> TargetRef:
        asking.set()
        answered.wait(DEADLINE_S)
        raise ComputerUnavailable("no", reason=UnavailableReason.NO_DISPLAY)

    monkeypatch.setattr(targets, "resolve", slow_resolve)
    opening = asyncio.create_task(targets.open_computer("monitor:1", OwnWindows()))
    async with asyncio.timeout(DEADLINE_S / 2):  # a loop that is held up gets here too late
        await asyncio.to_thread(asking.wait, DEADLINE_S)
        answered.set()
        with pytest.raises(ComputerUnavailable):
            await opening


def test_stopping_the_live_picture_does_not_wait_for_a_display_that_hangs() -> None:
    asking, answered = threading.Event(), threading.Event()
    told: list[ConsoleError] = []

    def open_capture() -> MonitorCapture:
        asking.set()
        answered.wait(DEADLINE_S)
        raise ComputerUnavailable("too late", reason=UnavailableReason.NO_DISPLAY)

    source = LiveSource(open_capture)
    source.start(lambda _: None, told.append)
    assert asking.wait(DEADLINE_S)
    source.stop()
    still_running = source.running
    answered.set()
    source.join()
    assert still_running
    assert not told, "no callback comes after stop"


async def test_a_connection_made_after_the_opening_was_cancelled_is_closed() -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    class SlowCapture(MonitorCapture):
        def __init__(self) -> None:
            begun.set()
            go_on.wait(DEADLINE_S)

        def close(self) -> None:
            closed.set()

    ref = MonitorTarget(spec="monitor:1", title="", display=":0")
    opening = asyncio.create_task(DesktopComputer.open(ref, SlowCapture))
    await asyncio.to_thread(begun.wait, DEADLINE_S)
    opening.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert closed.is_set()
