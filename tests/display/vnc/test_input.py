"""What a grant does on a machine over VNC, as a client of the machine's own X server was told."""

from __future__ import annotations

import asyncio
import string
from pathlib import Path

import pytest

from operator_console.domain.actions import Chord, Click, Drag, KeyDown, Press, Release, Scroll, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.keys import Key
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.rig import launch_mousepad, wait_until
from tests.display.rig.monitors import xrandr
from tests.display.vnc.machine import SECRET, Machine, acting_on, injector_of, nothing_is_held

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

CTRL, SHIFT = Key("ctrl"), Key("shift")
LOCK = 2


def keys(*names: str) -> Chord:
    return Chord(keys=tuple(map(Key, names)))


async def test_clicks_and_wheel_arrive_at_their_pixel(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()
    at = NativePoint(place.x + 123, place.y + 45)
    async with acting_on(machine) as acting:
        assert (await acting.do(Click(at=at))).pointer == (at.x, at.y)
        await acting.do(Click(at=NativePoint(place.x, place.y), count=2))
        await acting.do(Scroll(at=at, dy=2, dx=-1))
    told = [(each.kind, each.x, each.y, each.button) for each in await asyncio.to_thread(window.buttons)]
    assert told[:2] == [("Press", 123, 45, 1), ("Release", 123, 45, 1)]
    assert told[2:6] == [("Press", 0, 0, 1), ("Release", 0, 0, 1)] * 2
    assert [(kind, button) for kind, _, _, button in told[6:]] == [
        (kind, button) for button in (5, 5, 6) for kind in ("Press", "Release")
    ]


async def test_a_drag_moves_in_steps_and_ends_at_its_last_pixel(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()
    path = tuple(NativePoint(place.x + x, place.y + y) for x, y in ((20, 20), (220, 20), (220, 170)))
    async with acting_on(machine) as acting:
        outcome = await acting.do(Drag(path=path))
    assert outcome.result is ActResult.DONE, outcome.detail
    press, release = await asyncio.to_thread(window.buttons)
    assert press == ButtonEvent("Press", 20, 20, 1)
    assert release == ButtonEvent("Release", 220, 170, 1)
    motions = await asyncio.to_thread(window.motions)
    assert len(motions) >= 30
    assert all(x == 220 or y == 20 for x, y in motions), "it goes along the path"


async def test_all_of_ascii_arrives_as_it_was_asked_for(machine: Machine, tmp_path: Path) -> None:
    text = string.printable[:95] + "\tnext\nline"
    await arrives(machine, tmp_path / "note.txt", text)


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        pytest.param("pl", "Zażółć gęślą jaźń ĄĆĘŁŃÓŚŹŻ €", marks=pytest.mark.full),
        ("de", "Größe: 20 °C, äöüÄÖÜß§µ²³ @€ yz"),
        pytest.param("fr", "Ça? àéèùç £§µ² €".replace("Ç", "C"), marks=pytest.mark.full),
        pytest.param("gb", 'It costs £5 ¬ € "@', marks=pytest.mark.full),
        pytest.param("ru", "Съешь ещё этих мягких, французских булок", marks=pytest.mark.full),
        pytest.param("us(dvorak)", "Home row: aoeu, htns", marks=pytest.mark.full),
    ],
)
async def test_a_layouts_own_characters_arrive(machine: Machine, tmp_path: Path, layout: str, text: str) -> None:
    machine.layout = layout
    await asyncio.to_thread(machine.desktop.set_layout, *layout.removesuffix(")").split("("))
    await arrives(machine, tmp_path / "note.txt", text)


async def arrives(machine: Machine, file: Path, text: str) -> None:
    await asyncio.to_thread(launch_mousepad, machine.desktop, file)
    async with acting_on(machine) as acting:
        typed = await acting.do(TypeText(text=text))
        assert (typed.result, typed.delivered) == (ActResult.DONE, len(text)), typed.detail
        await acting.do(keys("ctrl", "s"))
    await asyncio.to_thread(wait_until, file.exists, "the note to be saved")
    await asyncio.to_thread(wait_until, lambda: file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == text


async def test_a_character_without_a_key_is_named_before_anything_is_typed(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    async with acting_on(machine) as acting:
        outcome = await acting.do(TypeText(text="Price: 5 Ω, 你"))
    assert (outcome.result, outcome.delivered) == (ActResult.FAILED, 0)
    assert "Ω (U+03A9)" in outcome.detail
    assert "你 (U+4F60)" in outcome.detail
    assert await asyncio.to_thread(window.plain_keys) == []


async def test_pasting_gives_what_no_key_types(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    text = "Zażółć 你好 😀 Ω"
    await asyncio.to_thread(launch_mousepad, machine.desktop, file)
    async with acting_on(machine) as acting:
        typed = await acting.do(TypeText(text=text), paste=True)
        assert (typed.result, typed.method) == (ActResult.DONE, "clipboard paste"), typed.detail
        await acting.do(keys("ctrl", "s"))
    await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == text


async def test_shift_with_a_letter_leaves_no_caps_lock_on(machine: Machine) -> None:
    await asyncio.to_thread(EventWindow, machine.desktop)
    async with acting_on(machine) as acting:
        await acting.do(keys("ctrl", "shift", "a"))
        await acting.do(KeyDown(key=SHIFT))
        await acting.do(TypeText(text="abc"))
    await nothing_is_held(machine)
    assert not machine.desktop.modifier_state() & LOCK


async def test_a_picture_of_another_size_or_look_is_not_clicked(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()
    at, region = NativePoint(place.x + 100, place.y + 100), Rect(place.x + 68, place.y + 68, 64, 64)
    computer = await machine.look()
    try:
        frame = await computer.observe(ImageNeeds())
    finally:
        await computer.close()
    seen = (ScreenCheck(region=region, pixels=frame.crop(region)),)
    async with acting_on(machine) as acting:
        assert (await acting.do(Click(at=at), checks=seen)).result is ActResult.DONE
        stripes = (b"\xff\xff\xff\xff" * 8 + b"\0\0\0\xff" * 8) * 256
        other = await acting.do(Click(at=at), checks=(ScreenCheck(region=region, pixels=stripes),))
        assert (other.result, other.reason) == (ActResult.FAILED, RejectedReason.STALE)
        await asyncio.to_thread(xrandr, machine.desktop, "-s", "800x600")
        resized = await acting.do(Click(at=at), checks=seen)
        assert (resized.result, resized.reason) == (ActResult.FAILED, RejectedReason.STALE)
        assert "size" in resized.detail
    assert len(await asyncio.to_thread(window.buttons)) == 2


async def test_what_is_held_is_released_at_an_orderly_end(machine: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, machine.desktop)
    place = window.application.now()
    async with acting_on(machine) as acting:
        await acting.do(KeyDown(key=SHIFT))
        await acting.do(Press(at=NativePoint(place.x + 9, place.y + 9)))
        await asyncio.to_thread(wait_until, machine.desktop.buttons_down, "the button to be down")
        await acting.do(Release())
        await acting.do(Press(at=NativePoint(place.x + 9, place.y + 9)))
    await nothing_is_held(machine)


async def test_the_password_reaches_guard_and_injector_by_no_argument_or_variable(
    locked: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPERATOR_CONSOLE_VNC_PASSWORD", SECRET)
    async with acting_on(locked) as acting:
        assert (await acting.do(TypeText(text="a"))).result is ActResult.DONE
        injector = Path(f"/proc/{injector_of(acting)}")
        guard = Path(f"/proc/{(injector / 'stat').read_text().rpartition(')')[2].split()[1]}")
        for process in (injector, guard):
            words = (process / "cmdline").read_bytes()
            assert b"operator_console" in words
            assert SECRET.encode() not in words + (process / "environ").read_bytes()
