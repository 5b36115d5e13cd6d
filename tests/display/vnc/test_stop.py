"""A machine over VNC is stopped: little more is typed there, and nothing stays held, whoever was killed."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from operator_console.domain.actions import Drag, KeyDown, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.guard.acting import Acting
from tests.display.rig import Desktop, Witness, launch_xterm, wait_until
from tests.display.vnc.machine import Machine, acting_on, injector_of, nothing_is_held

LONG = TypeText(text="for ever " * 10_000)
ROUND = Drag(path=(NativePoint(100, 100), *(NativePoint(100 + n % 2 * 800, 690 - n) for n in range(400))))
SHIFT = Key("shift")


def typed(witness: Witness) -> int:
    return len([each for each in witness.events() if each.kind == "key_down"])


async def typing_on(machine: Machine, acting: Acting, witness: Witness) -> asyncio.Task[Outcome]:
    """Return when it is well under way."""
    task = asyncio.ensure_future(acting.do(LONG))
    await asyncio.to_thread(wait_until, lambda: typed(witness) > 60, "the typing to begin")
    return task


async def test_at_most_one_character_follows_a_stop_and_nothing_is_held(machine: Machine) -> None:
    await asyncio.to_thread(launch_xterm, machine.desktop)
    with Witness(machine.desktop) as witness:
        async with acting_on(machine) as acting:
            typing = await typing_on(machine, acting, witness)
            await acting.guard.stop(StopCause.BUTTON)
            confirmed = (await typing).delivered
            await asyncio.to_thread(witness.wait_quiet)
            assert confirmed <= typed(witness) <= confirmed + 1
            await nothing_is_held(machine)


@pytest.mark.parametrize("hand", ["shift", "nothing"])
async def test_a_killed_injector_leaves_neither_key_nor_button_down(machine: Machine, hand: str) -> None:
    async with acting_on(machine) as acting:
        if hand == "shift":
            await acting.do(KeyDown(key=SHIFT))
        dragging = asyncio.ensure_future(acting.do(ROUND))
        await asyncio.to_thread(wait_until, machine.desktop.buttons_down, "the drag to begin")
        os.kill(injector_of(acting), signal.SIGKILL)
        assert (await dragging).result is ActResult.UNKNOWN
        await nothing_is_held(machine)
        await acting.ears.wait(lambda: acting.ears.pauses)
        assert acting.ears.pauses == [PauseCause.TARGET]
        await acting.ears.wait(lambda: acting.injector.attached)
        await acting.guard.set_gate(open_=True)
        assert (await acting.do(TypeText(text="on"))).result is ActResult.DONE


async def test_a_stop_in_a_drag_releases_what_it_held(machine: Machine) -> None:
    async with acting_on(machine) as acting:
        await acting.do(KeyDown(key=SHIFT))
        dragging = asyncio.ensure_future(acting.do(ROUND))
        await asyncio.to_thread(wait_until, machine.desktop.buttons_down, "the drag to begin")
        await acting.guard.stop(StopCause.BUTTON)
        report = acting.ears.stops[0]
        assert (report.released_keys, report.released_buttons) == (1, 1)
        assert (await dragging).result is ActResult.STOPPED
        await nothing_is_held(machine)


async def test_the_chord_on_the_persons_display_stops_it_and_nothing_there_is_touched(
    desktop: Desktop, machine: Machine
) -> None:
    await asyncio.to_thread(launch_xterm, desktop)
    focus, pointer = await asyncio.to_thread(lambda: (desktop.active_window(), desktop.pointer()))
    with Witness(desktop) as here, Witness(machine.desktop) as there:
        async with acting_on(machine, desktop.name) as acting:
            typing = await typing_on(machine, acting, there)
            assert await asyncio.to_thread(_touched, here) == []
            await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
            assert (await acting.ears.stopped()).reason is StopCause.HOTKEY
            await typing
            await nothing_is_held(machine)
    assert await asyncio.to_thread(lambda: (desktop.active_window(), desktop.pointer())) == (focus, pointer)
    assert latch.read_file(desktop.name).state is LatchState.STOPPED
    await asyncio.to_thread(latch.reset, desktop.name)


def _touched(witness: Witness) -> list[object]:
    """Presses and motions, except for those of the guard's test of the stop."""
    return [each for each in witness.events() if each.kind in ("button_down", "motion")]


async def test_a_machine_that_ends_pauses_and_is_connected_to_again(machine: Machine) -> None:
    async with acting_on(machine) as acting:
        await acting.do(KeyDown(key=SHIFT))
        await asyncio.to_thread(machine.stop)
        await acting.ears.wait(lambda: acting.ears.pauses)
        assert acting.ears.pauses == [PauseCause.TARGET]
        assert "The connection to the machine is lost" in acting.ears.reasons[0]
        await acting.guard.set_gate(open_=True)
        await acting.ears.wait(lambda: len(acting.ears.pauses) == 2)
        assert "was not reached" in acting.ears.reasons[1]
        await asyncio.to_thread(machine.start)
        acting.desktop = machine.desktop
        await acting.guard.set_gate(open_=True)
        await asyncio.to_thread(launch_xterm, machine.desktop)
        with Witness(machine.desktop) as witness:
            await acting.do(TypeText(text="on"))  # what arrives counts: a busy machine may pause it at its end
            await asyncio.to_thread(wait_until, lambda: typed(witness) == 2, "two characters")
