"""The station's opening: the guard's process has begun before anything slow, and goes again where nobody needs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from operator_console.app import station as module
from operator_console.app.station import found_station, open_station, our_windows
from tests.display.rig import Desktop, process_alive


def guards() -> list[int]:
    """Guard processes of this one."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [
        pid
        for pid in map(int, children)
        if process_alive(pid) and "operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    ]


async def test_the_guard_begins_before_its_station_is_opened(desktop: Desktop) -> None:
    founded = found_station(desktop.name)
    begun = founded.launched.process.pid
    async with open_station(desktop.name, our_windows(), founded) as station:
        assert station.guard.liveness.live
        assert guards() == [begun]
    assert guards() == []


def test_a_guard_that_nobody_needs_is_ended(desktop: Desktop) -> None:
    founded = found_station(desktop.name)
    assert founded.launched.process.poll() is None
    founded.launched.abandon()
    assert founded.launched.process.returncode is not None
    assert guards() == []


async def test_a_failure_at_the_opening_leaves_no_guard(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no such library")

    monkeypatch.setattr(module, "_reader", fail)
    with pytest.raises(ImportError):
        async with open_station(desktop.name, our_windows()):
            pass
    assert guards() == []
