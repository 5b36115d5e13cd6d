"""The injector's own checks of a grant: forged, used, stale, covered, no focus; and the pixel in a moved window."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.domain.actions import Button, Click, Drag, Move, Scroll, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import FocusRule, Grant, ScreenCheck
from operator_console.domain.notices import NoticeCode
from tests.display.guard.acting import Acting, armed
from tests.display.rig import Desktop, Witness, launch_galculator, launch_xterm, wait_until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

AT = NativePoint(500, 500)


FORGERIES: dict[str, Callable[[Acting, Grant], Grant]] = {
    "another action": lambda _, g: replace(g, action=Click(at=NativePoint(501, 500))),
    "another seal": lambda _, g: replace(g, seal="0" * 64),
    "no seal": lambda _, g: replace(g, seal=""),
    "another key": lambda _, g: g.sealed(b"k" * 32),
    "too late": lambda a, g: replace(g, expires_s=time.monotonic() - 0.1).sealed(a.guard.grant_key),
    "a coming epoch": lambda a, g: replace(g, epoch=g.epoch + 1).sealed(a.guard.grant_key),
    "an old epoch": lambda a, g: replace(g, epoch=g.epoch - 1).sealed(a.guard.grant_key),
}


async def test_a_forged_grant_sends_nothing(desktop: Desktop) -> None:
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            before = len(acts(desktop, witness))
            for name, forge in FORGERIES.items():
                outcome = await acting.injector.perform(forge(acting, acting.grant(Click(at=AT))))
                assert (outcome.result, outcome.reason) == (ActResult.FAILED, "bad_grant"), name
                assert len(acts(desktop, witness)) == before, name


async def test_a_grant_is_good_once_and_not_across_a_pause(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        grant = acting.grant(Move(at=AT))
        assert (await acting.injector.perform(grant)).result is ActResult.DONE
        assert (await acting.injector.perform(grant)).reason == "bad_grant"
        old = acting.grant(Move(at=NativePoint(1, 1)))
        await acting.guard.set_gate(open_=False)
        shut = await acting.do(Move(at=NativePoint(2, 2)))
        assert (shut.result, shut.reason) == (ActResult.STOPPED, "paused")
        await acting.guard.set_gate(open_=True)
        assert (await acting.injector.perform(old)).reason == "bad_grant"
        assert desktop.pointer() == (AT.x, AT.y)


def acts(desktop: Desktop, witness: Witness) -> list[object]:
    """The presses and motions, without the guard's probe (a key without a symbol)."""
    blank = {8 + i for i, row in enumerate(desktop.keyboard_mapping()) if not any(row)}
    return [e for e in witness.acts() if not (e.kind == "key_down" and e.detail in blank)]


async def test_a_moved_window_is_hit_at_the_right_pixel_and_a_resized_one_not_at_all(desktop: Desktop) -> None:
    window = launch_galculator(desktop).window
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(desktop.window(window.xid))
        moved = desktop.move_window(window.xid, 333, 222)
        outcome = await acting.do(Click(at=NativePoint(7, 9)), target=target, geometry=geometry)
        assert outcome.result is ActResult.DONE, outcome
        assert desktop.pointer() == (moved.x + 7, moved.y + 9)
        target, geometry = acting.window_target(moved)
        wider = replace(geometry, native=replace(geometry.native, width=geometry.native.width + 30))
        refused = await acting.do(Click(at=NativePoint(7, 9)), target=target, geometry=wider)
        assert (refused.result, refused.reason) == (ActResult.FAILED, "stale")


async def test_a_covered_point_is_refused_and_the_coverer_named(desktop: Desktop) -> None:
    window = launch_galculator(desktop).window
    desktop.move_window(window.xid, 100, 100)
    cover = launch_xterm(desktop, title="the cover", geometry="60x20+60+60").window
    desktop.activate(cover.xid)
    async with armed(desktop) as acting:
        target, geometry = acting.window_target(desktop.window(window.xid))
        at = desktop.pointer()
        refused = await acting.do(Click(at=NativePoint(20, 20)), target=target, geometry=geometry)
        assert (refused.result, refused.reason) == (ActResult.FAILED, "covered")
        assert "the cover" in refused.detail
        assert [each.code for each in refused.detail_notices] == [NoticeCode.COVERED_BY_WINDOW]
        assert desktop.pointer() == at
        typed = await acting.do(TypeText(text="x"), target=target, geometry=geometry, focus=FocusRule())
        assert (typed.result, typed.reason) == (ActResult.FAILED, "no_focus")
        assert "the cover" in typed.detail


async def test_a_point_of_our_own_window_is_refused(desktop: Desktop) -> None:
    window = launch_xterm(desktop).window
    async with armed(desktop) as acting:
        acting.injector._own.add(window_ids=[window.xid])
        refused = await acting.do(Click(at=NativePoint(window.x + 20, window.y + 20)))
        assert (refused.result, refused.reason) == (ActResult.FAILED, "own_window")
        typed = await acting.do(TypeText(text="x"), focus=FocusRule())
        assert (typed.result, typed.reason) == (ActResult.FAILED, "no_focus")


def painted(desktop: Desktop, xid: int) -> None:
    """Wait until an application has finished drawing its window."""
    looks: list[bytes] = []

    def still() -> bool:
        picture = desktop.grab(xid)
        looks.append(picture.tobytes())
        return len(picture.getcolors(1 << 24) or ()) > 8 and len(looks) > 5 and len(set(looks[-5:])) == 1

    wait_until(still, "the window to be drawn")


async def test_a_changed_screen_is_refused_and_an_unchanged_one_is_not(desktop: Desktop) -> None:
    window = desktop.window(launch_galculator(desktop).window.xid)
    painted(desktop, window.xid)
    region = Rect(window.x + 10, window.y + 60, 96, 96)
    view = Display(desktop.name)
    capture = Capture(view, OwnWindows())
    pixels = bytes(capture.screen(region).pixels)
    capture.close()
    view.close()
    at = NativePoint(region.x + 48, region.y + 48)
    check = ScreenCheck(region=region, pixels=pixels)
    async with armed(desktop) as acting:
        assert (await acting.do(Move(at=at), checks=(check,))).result is ActResult.DONE
        desktop.move_window(window.xid, window.x + 300, window.y + 200)
        refused = await acting.do(Click(at=at), checks=(check,))
        assert (refused.result, refused.reason) == (ActResult.FAILED, "stale")


async def test_every_button_and_the_wheel_arrive_where_they_were_meant(desktop: Desktop) -> None:
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            for number, button in ((1, Button.LEFT), (2, Button.MIDDLE), (3, Button.RIGHT), (8, Button.BACK),
                                   (9, Button.FORWARD)):  # fmt: skip
                before = len(witness.events())
                assert (await acting.do(Click(at=AT, button=button, count=2))).result is ActResult.DONE
                seen = [(e.kind, e.detail) for e in witness.events()[before:] if e.kind.startswith("button")]
                assert seen == [("button_down", number), ("button_up", number)] * 2
            desktop.xdo("key", "Escape")
            before = len(witness.events())
            assert (await acting.do(Scroll(at=AT, dx=-1, dy=2))).result is ActResult.DONE
            seen = [(e.kind, e.detail) for e in witness.events()[before:] if e.kind == "button_down"]
            assert seen == [("button_down", 5), ("button_down", 5), ("button_down", 6)]
            assert desktop.pointer() == (AT.x, AT.y)
            path = (NativePoint(300, 300), NativePoint(420, 380), NativePoint(100, 500))
            assert (await acting.do(Drag(path=path))).result is ActResult.DONE
            assert desktop.pointer() == (100, 500)
            assert desktop.buttons_down() == []


async def test_the_agents_pointer_is_restored_before_an_action_at_the_pointer(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        desktop.xdo("mousemove", "900", "100")
        outcome = await acting.do(Click(at=None), pointer=(321, 432))
        assert outcome.result is ActResult.DONE
        assert desktop.pointer() == (321, 432) == outcome.pointer


async def test_what_is_held_is_released_on_request(desktop: Desktop) -> None:
    from operator_console.domain.actions import KeyDown, Press
    from operator_console.domain.keys import Key

    async with armed(desktop) as acting:
        await acting.do(Press(at=AT))
        await acting.do(KeyDown(key=Key("ctrl")), focus=FocusRule())
        assert (desktop.buttons_down(), len(desktop.keys_down())) == ([1], 1)
        await acting.guard.set_gate(open_=False)
        assert await acting.injector.release_all() == 2
        assert (desktop.buttons_down(), desktop.keys_down()) == ([], [])
