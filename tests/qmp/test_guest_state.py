"""A virtual machine that does not run, or whose pointer moves by steps, is told with the remedy."""

from __future__ import annotations

import logging

import pytest

from operator_console.domain.errors import ComputerUnavailable, OperatorError
from operator_console.qmp.monitor import MonitoredGuest, MonitorUnusable
from tests.servers.qmp_server import QmpServer


def guest(qemu: QmpServer) -> MonitoredGuest:
    return MonitoredGuest(qemu.path, "The guest")


async def test_a_machine_that_runs_is_fine(qemu: QmpServer) -> None:
    await guest(qemu).check(pointer=True)
    await guest(qemu).require_running()
    assert qemu.clients == 2
    assert qemu.commands == []


@pytest.mark.parametrize(
    ("status", "said", "remedy"),
    [
        ("paused", "The guest is paused.", "Let it run"),
        ("prelaunch", "The guest is paused.", "Let it run"),
        ("shutdown", "shut down", "Start it again"),
        ("suspended", "asleep", "Wake it"),
        ("inmigrate", "standing still", "Wait"),
        ("guest-panicked", "crashed (QEMU: guest-panicked)", "Reset it"),
        ("io-error", "crashed (QEMU: io-error)", "Reset it"),
        ("of-tomorrow", "does not run (QEMU: of-tomorrow)", "Let it run"),
    ],
)
async def test_one_that_does_not_run_is_told_with_the_remedy(
    qemu: QmpServer, status: str, said: str, remedy: str
) -> None:
    qemu.status = status
    for asked in (guest(qemu).check(pointer=False), guest(qemu).require_running()):
        with pytest.raises(ComputerUnavailable) as told:
            await asked
        assert said in told.value.title
        assert remedy in told.value.remedy


async def test_a_pointer_that_moves_by_steps_is_refused_where_that_is_asked(qemu: QmpServer) -> None:
    qemu.mice = [
        {"name": "Tablet", "index": 3, "current": False, "absolute": True},
        {"name": "Mouse", "index": 2, "current": True, "absolute": False},
    ]
    await guest(qemu).check(pointer=False)
    with pytest.raises(OperatorError, match="steps of the pointer") as told:
        await guest(qemu).check(pointer=True)
    assert "usb-tablet" in told.value.remedy


async def test_where_it_cannot_be_asked_later_nothing_is_known(
    qemu: QmpServer, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(MonitorUnusable):
        await MonitoredGuest(f"{qemu.path}.not", "The guest").check(pointer=False)
    with caplog.at_level(logging.WARNING):
        await MonitoredGuest(f"{qemu.path}.not", "The guest").require_running()
    assert "the state of The guest is not known" in caplog.text
