"""Changes during an action: the focus, a screen lock, the monitors, a person at the keyboard or the mouse."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import (
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from tests.display.guard.acting import Acting, armed, held_keycodes
from tests.display.injector.keyboard.test_typist import received
from tests.display.rig import Desktop, WindowInfo, Witness, launch_galculator, launch_mousepad, launch_xterm, wait_until
from tests.display.rig.monitors import monitors_of

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

_AT_MOST = 32  # characters between two checks of the focus


def typed_into(desktop: Desktop, path: Path, *, title: str, geometry: str = "60x12+40+40") -> WindowInfo:
    """An xterm that writes each byte it receives to `path`."""
    path.write_bytes(b"")
    command = f"stty raw -echo -ixon; exec dd bs=1 of='{path}' status=none"
    return launch_xterm(desktop, "sh", "-c", command, title=title, geometry=geometry).window


@pytest.mark.parametrize("delay_s", [0.0, pytest.param(0.003, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", ["monitor", "window"])
async def test_text_ends_where_the_focus_leaves(desktop: Desktop, tmp_path: Path, kind: str, delay_s: float) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    elsewhere = typed_into(desktop, other, title="elsewhere", geometry="60x12+500+400")
    window = typed_into(desktop, mine, title="mine")
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(window)
        where: dict[str, Any] = {"target": target, "geometry": geometry} if kind == "window" else {}
        grant = acting.grant(
            TypeText(text="x" * 40_000, submit=True),
            focus=FocusRule(window_id=window.xid),
            typing_delay_s=delay_s,
            **where,
        )
        work = asyncio.ensure_future(acting.injector.perform(grant))
        await acting.ears.wait(lambda: mine.stat().st_size > 60)
        await asyncio.to_thread(desktop.activate, elsewhere.xid)
        outcome = await work
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
        assert "elsewhere" in outcome.detail
        assert 60 < outcome.delivered < 40_000
        await acting.ears.wait(lambda: mine.stat().st_size + other.stat().st_size == outcome.delivered)
        assert other.stat().st_size <= _AT_MOST


async def test_text_for_the_bare_desktop_is_refused(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting:
        outcome = await acting.do(TypeText(text="to the wallpaper\n", at=NativePoint(1200, 700)), focus=FocusRule())
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
        assert (await acting.do(TypeText(text="y"), focus=FocusRule())).result is ActResult.DONE
        await acting.ears.wait(lambda: path.stat().st_size)
        assert received(path) == "y"


# Another monitor


@pytest.fixture
def halves(desktop: Desktop) -> Iterator[None]:
    width, height = desktop.server.size
    left, right = (0, 0, width // 2, height), (width // 2, 0, width // 2, height)
    with monitors_of(desktop, {"left": left, "right": right}):
        yield


def half(desktop: Desktop, *, right: bool) -> FrameGeometry:
    """One of two monitors side by side."""
    width, height = desktop.server.size
    size = Size(width // 2, height)
    return FrameGeometry(origin=ScreenPoint(width // 2 if right else 0, 0), native=size, sent=size)


@pytest.mark.usefixtures("halves")
async def test_keys_do_not_reach_a_window_of_another_monitor(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="on the left", geometry="40x12+40+40")
    assert window.x + window.width < desktop.server.size[0] // 2
    async with armed(desktop) as acting:
        there = half(desktop, right=True)
        for rule in (FocusRule(), FocusRule(window_id=window.xid)):
            outcome = await acting.do(TypeText(text="x"), geometry=there, focus=rule)
            assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus")
            assert "on the left" in outcome.detail
            assert (await acting.do(Chord(keys=(Key("x"),)), geometry=there, focus=rule)).reason == "no_focus"
        here = await acting.do(TypeText(text="y"), geometry=half(desktop, right=False), focus=FocusRule())
        assert here.result is ActResult.DONE
        await acting.ears.wait(lambda: path.stat().st_size)
        assert received(path) == "y"


@pytest.mark.usefixtures("halves")
async def test_a_press_at_the_pointer_stays_on_the_monitor(desktop: Desktop) -> None:
    there = half(desktop, right=True)
    desktop.xdo("mousemove", "100", "100")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            for changes in ({}, {"pointer": (101, 102)}):
                refused = await acting.do(Click(at=None), geometry=there, **changes)
                assert (refused.result, refused.reason) == (ActResult.FAILED, "out_of_range")
            assert not [e for e in await asyncio.to_thread(witness.events) if e.kind == "button_down"]
            done = await acting.do(Scroll(at=None, dx=0, dy=1), geometry=there, pointer=(900, 300))
            assert done.result is ActResult.DONE


async def test_the_end_of_a_drag_must_be_the_targets(desktop: Desktop) -> None:
    window = launch_galculator(desktop).window
    desktop.move_window(window.xid, 60, 60)
    ours = launch_xterm(desktop, title="ours", geometry="30x10+700+500", active=False).window
    desktop.activate(window.xid)
    now = desktop.window(window.xid)
    cover = desktop.move_window(ours.xid, now.x + 40, now.y + 40)
    desktop.activate(ours.xid)
    under = NativePoint(cover.x + 20 - now.x, cover.y + 20 - now.y)
    path = (NativePoint(10, 10), under)
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            target, geometry = acting.window_target(now)
            covered = await acting.do(Drag(path=path), target=target, geometry=geometry)
            assert (covered.result, covered.reason) == (ActResult.FAILED, "covered")
            assert "ours" in covered.detail
            acting.injector._own.add(window_ids=[ours.xid])
            own = await acting.do(Drag(path=(NativePoint(1200, 700), NativePoint(cover.x + 20, cover.y + 20))))
            assert (own.result, own.reason) == (ActResult.FAILED, "own_window")
            assert not [e for e in await asyncio.to_thread(witness.events) if e.kind == "button_down"]
            assert (await acting.do(Press(at=NativePoint(1200, 700)))).result is ActResult.DONE
            let_go = await acting.do(Release(at=NativePoint(cover.x + 20, cover.y + 20)))
            assert (let_go.result, let_go.reason) == (ActResult.FAILED, "own_window")
            assert (await acting.do(Release(at=None))).result is ActResult.DONE


# A screen lock, a launcher


@dataclass(kw_only=True)
class Taker:
    """Another program's override-redirect window that grabs the keyboard."""

    file: Path

    def count(self) -> int:
        """How many keys it has received."""
        return int(self.file.read_text() or 0)


@asynccontextmanager
async def taker(
    desktop: Desktop, folder: Path, rect: tuple[int, int, int, int], *, grab: bool, shows: bool = True
) -> AsyncIterator[Taker]:
    """Start the program in a thread, so that this event loop answers the lease meanwhile."""
    file = folder / "taker"
    command = [sys.executable, str(Path(__file__).with_name("taker.py")), str(file), *map(str, rect)]
    command += ["show" if shows else "hide", "grab" if grab else "leave"]
    process = subprocess.Popen(command, env=desktop.env)  # noqa: ASYNC220  it only forks
    try:
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.read_text(), "the taker to be there")
        yield Taker(file=file)
    finally:
        process.kill()
        process.wait()
        file.unlink(missing_ok=True)


@pytest.mark.parametrize("grab", [True, False])
async def test_nothing_is_typed_under_a_lock_screen(desktop: Desktop, tmp_path: Path, *, grab: bool) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(window)
        async with taker(desktop, tmp_path, (0, 0, *desktop.server.size), grab=grab) as lock:
            for where in ({}, {"target": target, "geometry": geometry}):
                rule = FocusRule(window_id=window.xid)
                outcome = await acting.do(TypeText(text="secret\n"), focus=rule, **where)
                assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
                assert "the taker" in outcome.detail
                assert (await acting.do(Chord(keys=(Key("enter"),)), focus=rule, **where)).reason == "no_focus"
            assert lock.count() == 0
        assert path.stat().st_size == 0
        assert (await acting.do(TypeText(text="y"), focus=FocusRule())).result is ActResult.DONE


async def test_a_lock_that_comes_while_typing_gets_no_more_than_a_chunk(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting:
        rule = FocusRule(window_id=window.xid)
        work = asyncio.ensure_future(acting.do(TypeText(text="x" * 4000), focus=rule, typing_delay_s=0.003))
        await acting.ears.wait(lambda: path.stat().st_size > 60)
        async with taker(desktop, tmp_path, (0, 0, *desktop.server.size), grab=True) as lock:
            outcome = await work
            assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
            assert lock.count() <= _AT_MOST


async def test_a_launcher_that_took_the_keyboard_is_not_typed_into_unasked(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting, taker(desktop, tmp_path, (300, 600, 500, 30), grab=True) as launcher:
        outcome = await acting.do(TypeText(text="x"), focus=FocusRule(window_id=window.xid))
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
        meant = await acting.do(TypeText(text="abc", at=NativePoint(400, 610)))
        assert meant.result is ActResult.DONE, meant
        await acting.ears.wait(lambda: launcher.count() == 3)


async def test_the_windows_own_grab_and_a_notification_refuse_nothing(desktop: Desktop, tmp_path: Path) -> None:
    window = typed_into(desktop, tmp_path / "typed", title="mine")
    rule = FocusRule(window_id=window.xid)
    async with armed(desktop) as acting:
        async with taker(
            desktop, tmp_path, (0, 0, 1, 1), grab=True, shows=False
        ):  # as the viewer of a virtual machine does
            assert (await acting.do(Chord(keys=(Key("x"),)), focus=rule)).result is ActResult.DONE
        async with taker(desktop, tmp_path, (900, 10, 300, 80), grab=False):
            assert (await acting.do(TypeText(text="x"), focus=rule)).result is ActResult.DONE


# A person at the keyboard or the mouse


async def test_a_held_modifier_of_a_person_is_waited_for(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting:
        desktop.xdo("keydown", "Control_L")
        for action in (Chord(keys=(Key("a"),)), Click(at=NativePoint(window.x + 20, window.y + 20))):
            refused = await acting.do(action, focus=FocusRule())
            assert refused.result is ActResult.FAILED, refused
            assert "modifier" in refused.detail
        work = asyncio.ensure_future(acting.do(Chord(keys=(Key("a"),)), focus=FocusRule()))
        await asyncio.wait([work], timeout=0.2)
        assert not work.done()
        await asyncio.to_thread(desktop.xdo, "keyup", "Control_L")
        assert (await work).result is ActResult.DONE
        await acting.ears.wait(lambda: path.stat().st_size)
        assert path.read_bytes() == b"a"
        # A modifier that the agent holds is not taken for a person's.
        assert (await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())).result is ActResult.DONE
        assert (await acting.do(Chord(keys=(Key("b"),)), focus=FocusRule())).result is ActResult.DONE
        await acting.do(KeyUp(key=Key("shift")), focus=FocusRule())
        await acting.ears.wait(lambda: path.read_bytes() == b"aB")


async def jerked(acting: Acting) -> None:
    """Move the mouse continuously, as a person would."""
    desktop = acting.desktop
    screen = desktop._display.screen()
    turn = 0
    while True:
        turn += 1
        screen.root.warp_pointer(600 + turn % 50, 200)
        desktop._display.flush()
        await asyncio.sleep(0)


async def test_nothing_is_pressed_where_the_mouse_was_moved_to(desktop: Desktop) -> None:
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            shaking = asyncio.ensure_future(jerked(acting))
            try:
                outcome = await acting.do(Scroll(at=NativePoint(300, 500), dx=0, dy=2000))
            finally:
                shaking.cancel()
            assert (outcome.result, outcome.reason) == (ActResult.FAILED, "stale"), outcome
            assert outcome.delivered < 2000
            presses = [e for e in witness.events() if e.kind == "button_down"]
            assert len(presses) == outcome.delivered


async def test_a_click_on_a_picture_with_two_input_units_a_pixel_lands_in_input_units(desktop: Desktop) -> None:
    window = desktop.resize_window(launch_mousepad(desktop).window.xid, 600, 400)
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(window)
        geometry = replace(geometry, native=Size(300, 200), sent=Size(300, 200), input_scale=2.0)
        outcome = await acting.do(Click(at=NativePoint(150, 150)), target=target, geometry=geometry)
        assert outcome.result is ActResult.DONE, outcome
        assert desktop.pointer() == (window.x + 301, window.y + 301)


# Keys that are held repeat into whatever has the focus


@pytest.mark.parametrize("kind", ["monitor", "window"])
async def test_held_keys_are_released_when_the_focus_moves(desktop: Desktop, tmp_path: Path, kind: str) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    elsewhere = typed_into(desktop, other, title="elsewhere", geometry="60x12+500+400")
    window = typed_into(desktop, mine, title="mine")
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(window)
        where: dict[str, Any] = {"target": target, "geometry": geometry} if kind == "window" else {}
        hold = acting.grant(HoldKeys(keys=(Key("x"),), duration_s=20.0), focus=FocusRule(window_id=window.xid), **where)
        work = asyncio.ensure_future(acting.injector.perform(hold))
        await acting.ears.wait(lambda: mine.stat().st_size > 1)
        await asyncio.to_thread(desktop.activate, elsewhere.xid)
        outcome = await work
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
        assert "released" in outcome.detail
        assert not held_keycodes(desktop)
        assert other.stat().st_size <= 3  # what repeats between two looks, at 25 to 30 a second


async def test_a_key_held_between_actions_is_released_when_the_focus_moves(desktop: Desktop, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    elsewhere = typed_into(desktop, other, title="elsewhere", geometry="60x12+500+400")
    window = typed_into(desktop, mine, title="mine")
    async with armed(desktop) as acting:
        assert (await acting.do(KeyDown(key=Key("x")), focus=FocusRule(window_id=window.xid))).result is ActResult.DONE
        await acting.ears.wait(lambda: mine.stat().st_size > 1)
        await asyncio.to_thread(desktop.activate, elsewhere.xid)
        await acting.ears.wait(lambda: not held_keycodes(desktop))
        outcome = await acting.do(KeyUp(key=Key("x")))
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "no_focus"), outcome
        assert other.stat().st_size <= 3
        assert (await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())).result is ActResult.DONE
        assert (await acting.do(KeyUp(key=Key("shift")))).result is ActResult.DONE


async def test_a_hold_that_keeps_its_focus_lasts(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "typed"
    window = typed_into(desktop, path, title="mine")
    async with armed(desktop) as acting:
        hold = HoldKeys(keys=(Key("x"),), duration_s=1.2)
        outcome = await acting.do(hold, focus=FocusRule(window_id=window.xid))
        assert outcome.result is ActResult.DONE, outcome
        assert outcome.duration_s >= 1.2
        await acting.ears.wait(lambda: path.stat().st_size > 5)
