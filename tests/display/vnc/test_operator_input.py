"""What the operator's hand does on a machine over VNC, as a client of the machine's own X server was told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from operator_console.app.session_handles import hand_may
from operator_console.computers.far_input import MachineHand
from operator_console.domain import states
from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import (
    HandButton,
    HandClipboard,
    HandKey,
    HandMay,
    HandMove,
    HandText,
    HandWheel,
)
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.by_hand import chord, keys, point, use
from tests.display.rig import launch_mousepad, wait_until
from tests.display.vnc.machine import Machine, nothing_is_held

LOCK = 2


@asynccontextmanager
async def hand_on(machine: Machine) -> AsyncIterator[MachineHand]:
    """Handed over."""
    hand = MachineHand(machine.login(), machine.layout)
    hand.permit(hand_may(states.HandedOver()))
    try:
        yield hand
    finally:
        await hand.close()


async def test_clicks_drags_and_the_wheel_arrive_at_their_pixel(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()

    def at(x: int, y: int) -> NativePoint:
        return NativePoint(place.x + x, place.y + y)

    async with hand_on(machine) as hand:
        told = await point(hand, window, [
            HandMove(at=at(123, 45)), HandButton(button=Button.LEFT, down=True, at=at(123, 45)),
            HandButton(button=Button.LEFT, down=False, at=at(123, 45)),
            HandButton(button=Button.RIGHT, down=True, at=at(0, 0)), HandMove(at=at(50, 60)),
            HandMove(at=at(200, 150)), HandButton(button=Button.RIGHT, down=False, at=at(200, 150)),
            HandWheel(at=at(200, 150), dx=0, dy=100),
        ])  # fmt: skip
    assert told[:4] == [
        ButtonEvent("Press", 123, 45, 1), ButtonEvent("Release", 123, 45, 1), ButtonEvent("Press", 0, 0, 3),
        ButtonEvent("Release", 200, 150, 3),
    ]  # fmt: skip
    assert [(each.kind, each.button) for each in told[4:]] == [("Press", 5), ("Release", 5)]
    assert (50, 60) in await asyncio.to_thread(window.motions)


TYPED = {
    "us": ("Az /?:\"'\\|@#[]{}", 'A?:"|@#{}'),
    "de": ("Yz /?\"'@{}ß", 'Y/?"'),
    "fr": ("Qaw 159.?;:!", "Q159.?"),
}
"""What is typed on a keyboard with the layout, and what of it with Shift."""


@pytest.mark.parametrize("there", ["fr", *(pytest.param(each, marks=pytest.mark.full) for each in ("us", "de"))])
async def test_text_of_the_operators_keyboard_arrives_on_each_layout(
    machine: Machine, tmp_path: Path, there: str
) -> None:
    typed = [each for text, shifted in TYPED.values() for each in keys(text, shifted=shifted)]
    machine.layout = there
    await asyncio.to_thread(machine.desktop.set_layout, there)
    file = tmp_path / "note.txt"
    await asyncio.to_thread(launch_mousepad, machine.desktop, file)
    async with hand_on(machine) as hand:
        await use(hand, [*typed, *chord("ctrl", "s")])
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == "".join(text for text, _ in TYPED.values())
    assert not machine.desktop.modifier_state() & LOCK


async def test_what_is_committed_and_pasted_arrives(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    await asyncio.to_thread(launch_mousepad, machine.desktop, file)
    async with hand_on(machine) as hand:
        await use(hand, [HandText(text="Zażółć 你好 😀"), HandClipboard(text=" pasted Ω"), *chord("ctrl", "v")])
        await use(hand, chord("ctrl", "s"))
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == "Zażółć 你好 😀 pasted Ω"


@pytest.mark.parametrize(
    "after", [states.Observing(), states.Stopped(reason=StopCause.HOTKEY)], ids=["hand back", "stop"]
)
async def test_held_keys_and_buttons_are_released_and_nothing_passes_then(
    machine: Machine, after: states.State
) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()
    at = NativePoint(place.x + 10, place.y + 10)
    async with hand_on(machine) as hand:
        await use(hand, [
            HandKey(key=Key("shift"), down=True), HandKey(key=Key("a"), down=True, text="A"),
            HandButton(button=Button.LEFT, down=True, at=at),
        ])  # fmt: skip
        await asyncio.to_thread(wait_until, machine.desktop.keys_down, "the keys")
        hand.permit(hand_may(after))
        assert not hand.give(HandKey(key=Key("b"), down=True, text="b"))
        await nothing_is_held(machine)
        hand.permit(HandMay.EVERYTHING)
        await use(hand, keys("c"))
    told = await asyncio.to_thread(window.plain_keys)
    assert {name for _, name in told} == {"c"}
