"""A display that somebody else stopped, or left armed: every guard of it says so, also one that starts or idles."""

from __future__ import annotations

import asyncio
import os

from operator_console.domain.stopping import StopCause
from operator_console.guard import latch
from operator_console.guard.client import GuardClient
from operator_console.guard.latch import LatchState, LatchStatus
from tests.display.guard.acting import guarded
from tests.display.rig import Desktop


def left_armed(display: str) -> LatchStatus:
    """What a console leaves that died together with its guard."""
    return LatchStatus(display=display, state=LatchState.RUNNING, session="a dead one's", since=latch.now_text())


def state_of(guard: GuardClient) -> LatchState:
    """Asked anew each time."""
    return guard.status.state


async def test_a_guard_that_starts_on_a_stopped_display_says_so_at_once(desktop: Desktop) -> None:
    latch.write_latch(left_armed(desktop.name))
    async with guarded(desktop) as acting:
        assert state_of(acting.guard) is LatchState.STOPPED
        assert acting.guard.status.reason == "guard_died"
        await acting.guard.reset()
        assert state_of(acting.guard) is LatchState.IDLE
        await acting.guard.arm(session="s", target=acting.target)
        await acting.guard.disarm()


async def test_a_guard_that_idles_hears_of_anothers_stop_and_of_its_reset(desktop: Desktop) -> None:
    async with guarded(desktop) as acting, guarded(desktop) as other:
        stopped, idle = asyncio.Event(), asyncio.Event()
        events = {LatchState.STOPPED: stopped, LatchState.IDLE: idle}
        acting.guard.watch(lambda status: events[status.state].set())
        await other.guard.arm(session="s", target=other.target)
        await other.guard.stop(StopCause.BUTTON, "by the other")
        async with asyncio.timeout(30):
            await stopped.wait()
            assert (acting.guard.status.reason, acting.guard.status.detail) == ("button", "by the other")
            idle.clear()
            await asyncio.to_thread(latch.reset, desktop.name)
            await idle.wait()
        assert state_of(acting.guard) is LatchState.IDLE
        await acting.guard.arm(session="s", target=acting.target)
        await acting.guard.disarm()


async def test_a_guard_that_idles_tells_of_anothers_session_and_stops_it(desktop: Desktop) -> None:
    async with guarded(desktop) as acting, guarded(desktop) as other:
        came, went, stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()

        def hear(status: LatchStatus) -> None:
            (came if acting.guard.elsewhere is not None else went).set()
            if status.state is LatchState.STOPPED:
                stopped.set()

        acting.guard.watch(hear)
        await other.guard.arm(session="s", target=other.target)
        async with asyncio.timeout(30):
            await came.wait()
            theirs = acting.guard.elsewhere
            assert theirs is not None
            assert (theirs.state, theirs.session, theirs.console_pid) == (LatchState.RUNNING, "s", os.getpid())
            went.clear()
            await other.guard.disarm()
            await went.wait()
            came.clear()
            await other.guard.arm(session="t", target=other.target)
            await came.wait()
            await acting.guard.stop_others()
            report = await other.ears.stopped()
            await stopped.wait()
        assert report.reason is StopCause.BUTTON
        assert latch.read_file(desktop.name).session == "t"
        await other.guard.reset()
