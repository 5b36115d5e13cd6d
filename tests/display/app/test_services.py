"""The guard's process starts before anything slow, and is ended where nobody needs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from operator_console.app import services as module
from operator_console.app.services import begin_services, open_services, our_windows
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
    starting = begin_services(desktop.name)
    begun = starting.launched.process.pid
    async with open_services(desktop.name, our_windows(), starting) as services:
        assert services.guard.liveness.live
        assert guards() == [begun]
    assert guards() == []


def test_a_guard_that_nobody_needs_is_ended(desktop: Desktop) -> None:
    starting = begin_services(desktop.name)
    assert starting.launched.process.poll() is None
    starting.launched.abandon()
    assert starting.launched.process.returncode is not None
    assert guards() == []


async def test_a_failure_at_the_opening_leaves_no_guard(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_own: object) -> None:
        raise ImportError("no such library")

    monkeypatch.setattr(module, "InjectorClient", fail)
    with pytest.raises(ImportError):
        async with open_services(desktop.name, our_windows()):
            pass
    assert guards() == []
