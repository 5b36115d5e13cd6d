"""A display that somebody else stopped, or left armed: every guard of it says so, also one that starts or idles."""

from __future__ import annotations

import asyncio

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
        changed = asyncio.Event()
        acting.guard.watch(lambda _status: changed.set())
        await other.guard.arm(session="s", target=other.target)
        await other.guard.stop(StopCause.BUTTON, "by the other")
        async with asyncio.timeout(30):
            await changed.wait()
            assert state_of(acting.guard) is LatchState.STOPPED
            assert (acting.guard.status.reason, acting.guard.status.detail) == ("button", "by the other")
            changed.clear()
            await asyncio.to_thread(latch.reset, desktop.name)
            await changed.wait()
        assert state_of(acting.guard) is LatchState.IDLE
        await acting.guard.arm(session="s", target=acting.target)
        await acting.guard.disarm()
