"""The station's opening: the guard's process starts while the rest is imported, and goes again where that fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from operator_console.app.station import open_station, our_windows
from tests.display.rig import Desktop, process_alive


def guards() -> list[int]:
    """Guard processes of this one."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [
        pid
        for pid in map(int, children)
        if process_alive(pid) and "operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    ]


async def test_the_rest_is_imported_while_the_guard_starts(desktop: Desktop) -> None:
    begun: list[list[int]] = []
    async with open_station(desktop.name, our_windows(), lambda: begun.append(guards())) as station:
        assert station.guard.liveness.live
        assert begun == [guards()]
        assert len(begun[0]) == 1
    assert guards() == []


async def test_a_failure_meanwhile_leaves_no_guard(desktop: Desktop) -> None:
    def fail() -> None:
        raise ImportError("no such library")

    with pytest.raises(ImportError):
        async with open_station(desktop.name, our_windows(), fail):
            pass
    assert guards() == []
