"""Hold-to-run: input is sent while a person holds the key or the button, and ends at the next event after that."""

from __future__ import annotations

import asyncio
from pathlib import Path

from operator_console.domain.actions import Move, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint
from operator_console.domain.stopping import PauseCause
from tests.display.guard.acting import guarded
from tests.display.guard.test_stop import LONG, in_flight, nothing_is_down, sink
from tests.display.rig import Desktop, Witness

MOVE = Move(at=NativePoint(50, 60))


async def test_it_acts_while_a_person_holds_the_key_and_stops_when_it_is_let_go(
    xephyr_desktop: Desktop, tmp_path: Path
) -> None:
    desktop = xephyr_desktop
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with guarded(desktop) as acting:
            ears, guard = acting.ears, acting.guard
            guard.hold_key = "scroll_lock"
            await guard.arm(session="test", target=acting.target)
            await ears.wait(lambda: PauseCause.HOLD in ears.pauses)
            assert (await acting.injector.perform(acting.grant(MOVE))).result is not ActResult.DONE
            await asyncio.to_thread(desktop.xdo, "keydown", "Scroll_Lock")  # a program
            await guard.prove()
            assert ears.resumes == []
            await asyncio.to_thread(desktop.xdo, "keyup", "Scroll_Lock")
            await asyncio.to_thread(desktop.human_xdo, "keydown", "Scroll_Lock")
            await ears.wait(lambda: PauseCause.HOLD in ears.resumes)
            task = await in_flight(acting, TypeText(text=LONG), witness)
            await asyncio.to_thread(desktop.human_xdo, "keyup", "Scroll_Lock")
            outcome = await task
            assert (outcome.result, outcome.reason) == (ActResult.STOPPED, "paused")
            assert 0 < outcome.delivered < outcome.total
            assert PauseCause.HAND not in ears.pauses
            nothing_is_down(desktop)
            await guard.disarm()


async def test_the_button_of_the_console_counts_as_the_key(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        acting.guard.hold_key = "pause"
        await acting.guard.arm(session="test", target=acting.target)
        await acting.ears.wait(lambda: PauseCause.HOLD in acting.ears.pauses)
        await acting.guard.set_held(True)
        await acting.ears.wait(lambda: PauseCause.HOLD in acting.ears.resumes)
        assert (await acting.do(MOVE)).result is ActResult.DONE
        await acting.guard.set_held(False)
        assert (await acting.injector.perform(acting.grant(MOVE))).result is not ActResult.DONE
        await acting.guard.disarm()
