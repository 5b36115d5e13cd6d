"""Arming and disarming."""

from __future__ import annotations

from operator_console.domain.actions import Click, Move
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.guard.acting import armed
from tests.display.rig import Desktop


async def test_an_armed_session_moves_the_pointer_and_disarms(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        assert acting.guard.liveness.live, acting.guard.liveness.detail
        assert latch.read_status(desktop.name).state is LatchState.RUNNING
        outcome = await acting.do(Move(at=NativePoint(200, 300)))
        assert outcome.result is ActResult.DONE, outcome
        assert desktop.pointer() == (200, 300) == outcome.pointer
        outcome = await acting.do(Click(at=NativePoint(210, 310), count=2))
        assert outcome.result is ActResult.DONE, outcome
    assert latch.read_file(desktop.name).state is LatchState.IDLE
