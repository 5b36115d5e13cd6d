"""What the console sees of a machine over VNC: its picture, its changes, and that it cannot be seen."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable

import pytest

from operator_console.computers.picture_settling import Shot
from operator_console.computers.vnc import computer as module
from operator_console.computers.vnc.computer import VncComputer
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, SettleReason
from operator_console.domain.geometry import NativePoint, Rect, Size
from tests.display.acceptance.event_window import EventWindow
from tests.display.rig import launch_xterm
from tests.display.rig.monitors import xrandr
from tests.display.vnc.machine import Machine

NEEDS = ImageNeeds()


@pytest.fixture
async def computer(machine: Machine) -> AsyncIterator[VncComputer]:
    made = await machine.look()
    yield made
    await made.close()


async def test_the_picture_is_that_of_the_machines_own_screen(machine: Machine, computer: VncComputer) -> None:
    await asyncio.to_thread(EventWindow, machine.desktop)
    await asyncio.to_thread(machine.desktop.xdo, "mousemove", "512", "760")
    frame = await computer.observe(NEEDS)
    shown = await asyncio.to_thread(machine.desktop.grab)
    # But for the pointer, which the server draws for a client that does not move it: it is at the lower edge.
    upper = Rect(0, 0, 1024, 700)
    assert frame.crop(upper)[::4] == shown.crop((0, 0, 1024, 700)).convert("RGB").tobytes()[2::3]
    assert (await computer.picture(frame, NEEDS)).size == Size(1024, 768)
    assert [each.info.window_id for each in frame.stack or ()] == [module.MACHINE_WINDOW]


async def test_the_wait_ends_when_what_changed_stands_still(machine: Machine, computer: VncComputer) -> None:
    await computer.observe(NEEDS)
    before = await computer.glimpse()
    await computer.prepare_input(NativePoint(300, 200), needs_focus=False)
    opening = asyncio.create_task(asyncio.to_thread(launch_xterm, machine.desktop))
    reason = await computer.settle(before, at=NativePoint(300, 200), lower_s=0.0, upper_s=10.0)
    await opening
    assert reason in (SettleReason.QUIET, SettleReason.BOUNDED)
    assert await computer.changed(before) or await computer.late_change(before)


async def test_the_time_of_a_change_is_when_the_machine_told_of_it(machine: Machine, computer: VncComputer) -> None:
    await computer.observe(NEEDS)
    began_s = time.monotonic()
    await asyncio.to_thread(launch_xterm, machine.desktop, "sleep", "99")
    async with asyncio.timeout(20):
        while not (shot := await computer._shoot()).still:
            pass
    assert began_s < shot.painted_s <= shot.taken_s


async def test_a_pointer_that_only_moves_is_no_effect(machine: Machine, computer: VncComputer) -> None:
    await asyncio.to_thread(launch_xterm, machine.desktop, "sleep", "99")
    changed = []
    for x in (700, 900):
        await computer.observe(NEEDS)
        before = await computer.glimpse()
        await computer.prepare_input(NativePoint(x, 600), needs_focus=False)
        await asyncio.to_thread(machine.desktop.xdo, "mousemove", str(x), "600")
        await computer.settle(before, at=NativePoint(x, 600), lower_s=0.0, upper_s=3.0)
        changed.append(await computer.changed(before))
    assert changed[-1] is False


async def test_a_machine_that_is_resized_has_a_picture_of_the_new_size(machine: Machine, computer: VncComputer) -> None:
    before = await computer.observe(NEEDS)
    await asyncio.to_thread(xrandr, machine.desktop, "-s", "800x600")
    now = await computer.glimpse()
    assert now.geometry.native == Size(800, 600)
    assert await computer.changed(before)


async def test_a_connection_that_is_lost_is_made_anew_with_a_fresh_picture(
    machine: Machine, computer: VncComputer
) -> None:
    await computer.observe(NEEDS)
    await asyncio.to_thread(machine.stop)
    await until(lambda: computer.lost)
    with pytest.raises(ComputerUnavailable, match="is lost") as lost:
        await computer.glimpse()
    assert lost.value.reason is UnavailableReason.HIDDEN, "it is waited for"
    assert "resume" in lost.value.remedy
    with pytest.raises(ComputerUnavailable, match="was not reached"):
        await computer.observe(NEEDS)
    machine.size = (800, 600)
    await asyncio.to_thread(machine.start)
    assert (await computer.observe(NEEDS)).geometry.native == Size(800, 600)


async def test_a_machine_that_hangs_is_told_and_looked_at_again(
    machine: Machine, computer: VncComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await computer.observe(NEEDS)
    monkeypatch.setattr(module, "PICTURE_WITHIN_S", 0.5)
    pid = machine.desktop.server.child.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(ComputerUnavailable, match="does not answer"):
            await computer.glimpse()
    finally:
        os.kill(pid, signal.SIGCONT)
    monkeypatch.setattr(module, "PICTURE_WITHIN_S", 6.0)
    assert (await computer.observe(NEEDS)).geometry.native == Size(1024, 768)


async def test_the_preview_shows_each_change_and_says_when_the_machine_is_lost(
    machine: Machine, computer: VncComputer
) -> None:
    frames: list[Frame] = []
    lost: list[ConsoleError] = []
    preview = computer.preview()
    preview.start(frames.append, lost.append)
    try:
        await until(lambda: frames)
        seen = len(frames)
        await asyncio.to_thread(launch_xterm, machine.desktop)
        await until(lambda: len(frames) > seen)
        await asyncio.to_thread(machine.stop)
        await until(lambda: lost)
        await asyncio.to_thread(machine.start)
        seen = len(frames)
        await computer.observe(NEEDS)
        await asyncio.to_thread(lambda: launch_xterm(machine.desktop, geometry="40x9+500+300"))
        await until(lambda: len(frames) > seen)
    finally:
        preview.stop()
        await asyncio.to_thread(preview.join, 5)


async def test_a_machine_that_stands_still_is_not_looked_at_again_and_again(
    computer: VncComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Frame] = []
    looks = 0
    shoot = computer._shoot

    async def counted() -> Shot:
        nonlocal looks
        looks += 1
        return await shoot()

    monkeypatch.setattr(computer, "_shoot", counted)
    preview = computer.preview()
    preview.start(told.append, lambda _: None, told.append)
    try:
        await until(lambda: len(told) >= 4)
    finally:
        preview.stop()
        await asyncio.to_thread(preview.join, 5)
    assert looks <= 3, "it is told as still the same without another look"


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110  the callbacks come on this loop
            await asyncio.sleep(0.01)
