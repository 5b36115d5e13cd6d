"""A hand on mouse or keyboard while the agent acts: it ends at the next event, and goes on once the hand has left."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from operator_console.domain.actions import Move, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.guard.server.lease import HAND_QUIET_S
from tests.display.guard.acting import armed
from tests.display.guard.test_stop import LONG, in_flight, nothing_is_down, sink
from tests.display.rig import Desktop, Witness


@pytest.mark.parametrize("hand", [("key", "F7"), ("mousemove", "700", "20", "mousemove", "760", "40"), ("click", "1")])
async def test_a_hand_ends_what_is_typed_and_it_goes_on_after_a_second_of_quiet(
    xephyr_desktop: Desktop, tmp_path: Path, hand: tuple[str, ...]
) -> None:
    desktop = xephyr_desktop
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            task = await in_flight(acting, TypeText(text=LONG), witness)
            await asyncio.to_thread(desktop.human_xdo, "sleep", "1.1", *hand)
            outcome = await task
            assert (outcome.result, outcome.reason) == (ActResult.STOPPED, "paused"), outcome
            assert 0 < outcome.delivered < outcome.total
            await acting.ears.wait(lambda: acting.ears.pauses)  # the injector's answer may come first
            assert acting.ears.pauses == [PauseCause.HAND]
            nothing_is_down(desktop)
            begun_s = time.monotonic()
            await acting.guard.set_gate(open_=True)
            assert acting.guard.human_input_s is not None
            assert time.monotonic() - acting.guard.human_input_s >= HAND_QUIET_S - 0.15
            assert time.monotonic() - begun_s < HAND_QUIET_S + 2
            assert (await acting.do(Move(at=NativePoint(5, 6)))).result is ActResult.DONE


@pytest.mark.parametrize(
    ("way", "stops"),
    [
        (("mousemove", "300", "60", "sleep", "0.6"), 1),
        (("click", "1", "mousemove", "300", "60"), 0),
    ],
)
async def test_a_hand_that_moves_on_into_a_corner_stops_unless_it_pressed_on_the_way(
    xephyr_desktop: Desktop, tmp_path: Path, way: tuple[str, ...], stops: int
) -> None:
    desktop = xephyr_desktop
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            task = await in_flight(acting, TypeText(text=LONG), witness)
            begun = ("sleep", "1.1", "mousemove", "700", "20", "mousemove", "760", "40", "sleep", "0.6")
            await asyncio.to_thread(desktop.human_xdo, *begun, *way, "mousemove", "0", "0")
            await task
            await acting.guard.prove()
            assert [each.reason for each in acting.ears.stops] == [StopCause.CORNER] * stops


async def test_it_goes_on_by_itself_where_that_is_set(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    desktop = xephyr_desktop
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            await acting.guard.disarm()
            acting.guard.resume_after_hand = True
            await acting.guard.arm(session="test", target=acting.target)
            task = await in_flight(acting, TypeText(text=LONG), witness)
            await asyncio.to_thread(desktop.human_xdo, "key", "F7")
            await task
            await acting.ears.wait(lambda: PauseCause.HAND in acting.ears.resumes)


async def test_a_hand_that_moves_while_nothing_is_done_pauses_nothing(xephyr_desktop: Desktop) -> None:
    desktop = xephyr_desktop
    async with armed(desktop) as acting:
        assert (await acting.do(Move(at=NativePoint(300, 300)))).result is ActResult.DONE
        await asyncio.sleep(0.5)
        await asyncio.to_thread(desktop.human_xdo, "mousemove", "700", "20", "mousemove", "760", "40", "key", "F7")
        await acting.guard.prove()
        assert acting.ears.pauses == []
