"""What the operator's hand does on an isolated desktop, as a client of that display was told."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.app.session_handles import hand_may
from operator_console.computers.operator_hand import ThreadedHand
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11.started_desktop_input import NotTheStartedServer, OperatorInput
from operator_console.domain import states
from operator_console.domain.actions import Button
from operator_console.domain.frames import VirtualTarget
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
from operator_console.domain.stopping import PauseCause, StopCause
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.by_hand import chord, keys, point, use
from tests.display.rig import Desktop, launch_mousepad, wait_until
from tests.display.rig.server import server_of_another


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolated:
    """A started one; `desktop` is what judges on it, as an X client there."""

    hand: ThreadedHand
    desktop: Desktop
    troubles: list[str]


@asynccontextmanager
async def isolated(folder: Path, state: states.State = states.HandedOver()) -> AsyncIterator[Isolated]:  # noqa: B008
    computer = await open_computer("virtual:1024x700", OwnWindows(), "")
    try:
        assert isinstance(computer.target, VirtualTarget)
        assert computer.hand is not None
        server = server_of_another(computer.target.display, (1024, 700), folder)
        desktop = await asyncio.to_thread(Desktop, server, folder, wm=False)
        computer.hand.permit(hand_may(state))
        troubles: list[str] = []
        computer.hand.told = troubles.append
        try:
            yield Isolated(hand=computer.hand, desktop=desktop, troubles=troubles)
            assert troubles == []
        finally:
            await asyncio.to_thread(desktop.close)
    finally:
        await computer.close()


async def test_clicks_drags_and_the_wheel_arrive_at_their_pixel(tmp_path: Path) -> None:
    async with isolated(tmp_path) as there:
        window = await asyncio.to_thread(EventWindow, there.desktop)
        place = window.application.now()

        def at(x: int, y: int) -> NativePoint:
            return NativePoint(place.x + x, place.y + y)

        told = await point(there.hand, window, [
            HandMove(at=at(123, 45)), HandButton(button=Button.LEFT, down=True, at=at(123, 45)),
            HandButton(button=Button.LEFT, down=False, at=at(123, 45)),
            HandButton(button=Button.RIGHT, down=True, at=at(0, 0)), HandMove(at=at(50, 60)),
            HandMove(at=at(200, 150)), HandButton(button=Button.RIGHT, down=False, at=at(200, 150)),
            HandWheel(at=at(200, 150), dx=0, dy=100), HandButton(button=Button.FORWARD, down=True, at=at(1, 1)),
            HandButton(button=Button.FORWARD, down=False, at=at(1, 1)),
        ])  # fmt: skip
        assert told == [
            ButtonEvent("Press", 123, 45, 1), ButtonEvent("Release", 123, 45, 1), ButtonEvent("Press", 0, 0, 3),
            ButtonEvent("Release", 200, 150, 3), ButtonEvent("Press", 200, 150, 5), ButtonEvent("Release", 200, 150, 5),
            ButtonEvent("Press", 1, 1, 9), ButtonEvent("Release", 1, 1, 9),
        ]  # fmt: skip
        assert (50, 60) in await asyncio.to_thread(window.motions)


TYPED = {
    "us": ("Az /?:\"'\\|@#[]{}", 'A?:"|@#{}'),
    "de": ("Yz /?\"'@{}ß äÖ", 'Y/?"Ö'),
    "fr": ("Qaw 159.?;:! éà", "Q159.?"),
}
"""What is typed on a keyboard with the layout, and what of it with Shift."""


@pytest.mark.parametrize("there", ["fr", *(pytest.param(each, marks=pytest.mark.full) for each in ("us", "de", "ru"))])
async def test_text_of_the_operators_keyboard_arrives_on_each_layout(tmp_path: Path, there: str) -> None:
    file = tmp_path / "note.txt"
    typed = [each for text, shifted in TYPED.values() for each in keys(text, shifted=shifted)]
    async with isolated(tmp_path) as place:
        await asyncio.to_thread(place.desktop.set_layout, there)
        await asyncio.to_thread(launch_mousepad, place.desktop, file)
        await use(place.hand, [*typed, *chord("ctrl", "s")])
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == "".join(text for text, _ in TYPED.values())


async def test_what_is_committed_and_pasted_arrives(tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    committed = "Zażółć gęślą jaźń, 你好世界, Ωμέγα, Привет"
    async with isolated(tmp_path) as there:
        await asyncio.to_thread(launch_mousepad, there.desktop, file)
        await use(there.hand, [HandText(text=committed), HandClipboard(text=" pasted 😀"), *chord("ctrl", "v")])
        written = ""
        async with asyncio.timeout(20):
            # The editor takes in what is pasted when it comes, which may be after the keys that save.
            while not written.endswith("😀"):
                await use(there.hand, chord("ctrl", "s"))
                written = file.read_text("utf-8").removesuffix("\n") if file.exists() else ""
    assert written == committed + " pasted 😀"


@pytest.mark.parametrize(
    "after", [states.Observing(), states.Stopped(reason=StopCause.HOTKEY)], ids=["hand back", "stop"]
)
async def test_held_keys_and_buttons_are_released_and_the_keyboard_is_as_before(
    tmp_path: Path, after: states.State
) -> None:
    async with isolated(tmp_path) as there:
        window = await asyncio.to_thread(EventWindow, there.desktop)
        place = window.application.now()
        before = there.desktop.keyboard_mapping()
        await use(there.hand, [
            HandText(text="Ω"), HandKey(key=Key("shift"), down=True), HandKey(key=Key("a"), down=True, text="A"),
            HandButton(button=Button.LEFT, down=True, at=NativePoint(place.x + 10, place.y + 10)),
        ])  # fmt: skip
        assert len(there.desktop.keys_down()) == 2
        assert there.desktop.buttons_down() == [1]
        there.hand.permit(hand_may(after))
        assert not there.hand.give(HandKey(key=Key("b"), down=True, text="b"))
        await there.hand._worker.run(lambda: None)
        assert (there.desktop.keys_down(), there.desktop.buttons_down()) == ([], [])
        assert there.desktop.keyboard_mapping() == before
        there.hand.permit(HandMay.EVERYTHING)
        await use(there.hand, keys("c"))
        assert {name for _, name in await asyncio.to_thread(window.plain_keys)} >= {"c"}
        assert "b" not in {name for _, name in await asyncio.to_thread(window.plain_keys)}


async def test_nothing_passes_that_is_not_handed_over(tmp_path: Path) -> None:
    async with isolated(tmp_path, states.Observing()) as there:
        before = there.desktop.pointer()
        for state in (states.Observing(), states.Paused(by=PauseCause.HUMAN)):
            there.hand.permit(hand_may(state))
            assert not there.hand.give(HandMove(at=NativePoint(5, 5)))
            assert not there.hand.give(HandKey(key=Key("a"), down=True, text="a"))
            assert there.desktop.pointer() == before
            assert there.hand._working is None


def test_it_is_refused_on_a_display_that_was_not_started(desktop: Desktop) -> None:
    """Here the person's own display stands for it: another process has it than the one that was started."""
    with pytest.raises(NotTheStartedServer):
        OperatorInput(desktop.name, os.getpid())
    OperatorInput(desktop.name, desktop.server.child.pid).close()
