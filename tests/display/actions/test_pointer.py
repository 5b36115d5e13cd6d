"""A window receives every notch, button and motion, each at its very pixel."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from operator_console.domain.actions import Button, Chord, Click, Scroll
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.injector.action_limits import NOTCHES_APART_S
from tests.display.acceptance.event_window import EventWindow
from tests.display.actions.agent import agent_on
from tests.display.actions.waiting import until
from tests.display.guard.acting import armed
from tests.display.rig import Desktop, Witness
from tests.display.rig.witness import later_by_ms

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]


async def test_every_notch_and_button_reaches_the_window(desktop: Desktop) -> None:
    window = EventWindow(desktop, geometry="400x300+60+60")
    place = window.application.now()
    at = NativePoint(place.x + 33, place.y + 44)
    async with agent_on(desktop) as agent:
        await agent.do(Scroll(at=at, dy=7))
        await agent.do(Scroll(at=at, dy=-2))
        await agent.do(Scroll(at=at, dx=3))
        await agent.do(Scroll(at=at, dx=-1))
        for button in (Button.MIDDLE, Button.RIGHT, Button.BACK, Button.FORWARD):
            await agent.do(Click(at=at, button=button))
        wanted = [5] * 7 + [4] * 2 + [7] * 3 + [6] + [2, 3, 8, 9]
        await until(lambda: len(window.buttons()) >= 2 * len(wanted), "every press and release")
    assert [(e.kind, e.button) for e in window.buttons()] == [
        (kind, button) for button in wanted for kind in ("Press", "Release")
    ]
    assert {(e.x, e.y) for e in window.buttons()} == {(33, 44)}


async def test_notches_come_apart_so_that_a_page_takes_each_in_a_frame_of_its_own(desktop: Desktop) -> None:
    window = EventWindow(desktop, geometry="400x300+60+60").application.now()
    async with agent_on(desktop) as agent:
        with Witness(desktop) as witness:
            await agent.do(Scroll(at=NativePoint(window.x + 33, window.y + 44), dy=2, dx=1))
            events = await asyncio.to_thread(witness.wait_quiet)
    times = [each.time_ms for each in events if each.kind == "button_down"]
    assert len(times) == 3
    apart = [later_by_ms(later, earlier) for earlier, later in itertools.pairwise(times)]
    assert min(apart) >= 1000 * NOTCHES_APART_S - 2, apart


async def test_clicks_and_keys_last_as_long_as_a_program_needs_that_looks_once_a_frame(desktop: Desktop) -> None:
    window = EventWindow(desktop, geometry="400x300+60+60")
    place = window.application.now()
    at = NativePoint(place.x + 33, place.y + 44)
    async with armed(desktop) as acting:
        for action in (Click(at=at, count=2), Chord(keys=(Key("a"),), repeat=2), Chord(keys=(Key("shift"), Key("b")))):
            outcome = await acting.do(action, focus=FocusRule(), press_time_s=0.04)
            assert outcome.result is ActResult.DONE, outcome
    await until(lambda: len(window.press_times_ms()) >= 6, "every press and release")
    times = window.press_times_ms()
    assert len(times) == 6
    assert min(times) >= 20, times  # on a busy machine a press reaches the server later than it was sent


async def test_a_dragged_line_is_a_line_and_not_a_jump(desktop: Desktop) -> None:
    window = EventWindow(desktop, geometry="400x300+60+60")
    place = window.application.now()
    path = [(20, 20), (300, 40), (160, 180), (30, 120)]
    async with agent_on(desktop) as agent:
        await agent.drag(*((place.x + x, place.y + y) for x, y in path))
        await until(lambda: [event.kind for event in window.buttons()] == ["Press", "Release"], "the drag")
    press, release = window.buttons()
    assert [(press.x, press.y), (release.x, release.y)] == [path[0], path[-1]]
    line = window.motions()
    assert all(corner in line for corner in path), "each corner of the path is on the line"
    gaps = [max(abs(a - c), abs(b - d)) for (a, b), (c, d) in itertools.pairwise(line[line.index(path[0]) :])]
    assert max(gaps) <= 24, gaps
