"""A guard that died is replaced by the human's reset; until then nothing can start."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from operator_console.app.backend import Backend
from operator_console.app.station import Station, open_station, our_windows
from operator_console.guard.latch import LatchState
from tests.display.rig import Desktop, wait_until
from tests.display.rig.processes import processes_with_env


@pytest.fixture
async def station(desktop: Desktop) -> AsyncIterator[Station]:
    async with open_station(desktop.name, our_windows()) as opened:
        yield opened


def live(backend: Backend) -> bool:
    """Asked anew each time."""
    return backend.guard.liveness.live


async def test_a_dead_guard_is_said_and_replaced_on_reset(station: Station) -> None:
    backend = Backend(station)
    try:
        assert live(backend)
        mark = f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"
        [guard] = [pid for pid in processes_with_env(mark) if _is_guard(pid)]
        os.kill(guard, signal.SIGKILL)
        await asyncio.to_thread(wait_until, lambda: not station.guard.running, "the guard's end to be noticed")
        assert not live(backend)
        await backend.reset()
        assert station.guard.running
        assert station.guard.liveness.live
        assert station.guard.status.state is LatchState.IDLE
    finally:
        await backend.close()


def _is_guard(pid: int) -> bool:
    return b"operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
