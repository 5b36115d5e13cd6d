"""What the computer in memory does beyond the contract that tests/display/computers/test_contract.py holds it to."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import ComputerRejected, RejectedReason
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import NativePoint
from operator_console.engine.ports import Computer
from tests.fakes.computer import FakeComputer, InputPrepared

NEEDS = ImageNeeds()


def fits_the_port(computer: FakeComputer) -> Computer:
    return computer


async def test_settling_waits_by_the_clock_it_was_given() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    computer = FakeComputer(sleep=sleep)
    frame = await computer.observe(NEEDS)
    assert await computer.settle(frame, at=None, lower_s=0.2, upper_s=3.0) is computer.settle_reason
    assert waited == [0.2]


async def test_it_notes_preparations_and_raises_what_it_was_told() -> None:
    computer = FakeComputer()
    computer.refuse_next_input(ComputerRejected("Another window has it.", reason=RejectedReason.NO_FOCUS))
    with pytest.raises(ComputerRejected):
        await computer.prepare_input(NativePoint(3, 4), needs_focus=False)
    await computer.prepare_input(None, needs_focus=True)
    await computer.after_input()
    assert computer.prepared == [
        InputPrepared(at=NativePoint(3, 4), needs_focus=False),
        InputPrepared(at=None, needs_focus=True),
    ]
    assert computer.released == 1
