"""Pointer actions reach a web page as the right events, in order, at the given pixel."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pytest

from operator_console.domain.actions import Button, Drag, KeyDown, KeyUp, Press, Release, Scroll, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from tests.display.actions.agent import Place, agent_on
from tests.display.actions.page import ActionPage
from tests.display.actions.waiting import until
from tests.display.rig import Desktop, Witness

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]


def here(page: ActionPage, event: dict[str, Any]) -> Place:
    """Where an event was, in screen pixels computed from page pixels; the event's own screen pixels must agree."""
    place = (event["x"] + page.origin[0], event["y"] + page.origin[1])
    assert place == (event["sx"], event["sy"])
    return place


async def test_every_button_count_and_modifier(desktop: Desktop, page: ActionPage) -> None:
    left, top, right, bottom = await page.rect("#press")
    corners = [(left, top), (right - 1, top), (left, bottom - 1), (right - 1, bottom - 1)]
    async with agent_on(desktop) as agent:
        for corner in corners:
            await agent.click(corner)
        assert [here(page, e) for e in await page.wait("press:click", 4)] == corners

        page.events.clear()
        middle = await page.centre("#press")
        with Witness(desktop) as witness:
            await agent.click(middle, Button.LEFT, 2)
            presses = [event.time_ms for event in witness.events() if event.kind == "button_down"]
        await page.wait("press:dblclick")
        assert len(set(presses)) == 2  # Chromium takes two presses in one millisecond for one
        once = ["press:mousedown", "press:mouseup", "press:click"]
        assert page.named("press") == [*once, *once, "press:dblclick"]
        assert [e["detail"] for e in page.logged("press:mousedown")] == [1, 2]

        page.events.clear()
        await agent.move((middle[0] + 30, middle[1]))  # a click elsewhere starts a new click count
        await agent.click((middle[0] + 30, middle[1]), Button.LEFT, 3)
        await page.wait("press:click", 3)
        assert [e["detail"] for e in page.logged("press:click")] == [1, 2, 3]

        page.events.clear()
        await agent.click(middle, Button.MIDDLE)
        assert (await page.wait("press:auxclick"))[0]["button"] == 1
        await agent.click(middle, Button.RIGHT)
        assert (await page.wait("press:contextmenu"))[0]["button"] == 2
        assert all(here(page, e) == middle and e["trusted"] for e in page.events)

        page.events.clear()
        for held in (("ctrl",), ("shift",), ("alt",), ("ctrl", "shift")):
            await agent.click(middle, Button.LEFT, 1, *held)
        clicks = await page.wait("press:click", 4)
        assert [e["keys"] for e in clicks] == [["ctrl"], ["shift"], ["alt"], ["ctrl", "shift"]]


async def test_back_and_forward_buttons_walk_through_the_history(desktop: Desktop, page: ActionPage) -> None:
    await page.ask("history.pushState('first', ''), history.pushState('second', ''), 0")
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#press"))  # Chromium skips pages without a user gesture when going back
        await agent.click(await page.centre("#press"), Button.BACK)
        assert (await page.wait("popstate"))[0]["state"] == "first"
        await agent.click(await page.centre("#press"), Button.FORWARD)
        assert (await page.wait("popstate", 2))[1]["state"] == "second"
    assert [e["button"] for e in page.logged("side")] == [3, 4]


async def test_hover_opens_menus_that_a_click_then_uses(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.move(await page.centre("#menu"))
        await page.becomes("getComputedStyle(document.querySelector('#menu ul')).display", "block")
        await agent.move(await page.centre("#export"))
        await page.becomes("document.querySelector('#sub').style.display", "block")
        await agent.click(await page.centre("#sub"))
        assert here(page, (await page.wait("sub:click"))[0]) == await page.centre("#sub")


async def test_a_slider_and_a_resize_handle_are_dragged(desktop: Desktop, page: ActionPage) -> None:
    left, top, right, bottom = await page.rect("#slider")
    y = (top + bottom) // 2
    async with agent_on(desktop) as agent:
        # The thumb is 16 pixels wide: its centre moves over 200 pixels, one per unit.
        await agent.drag((left + 8, y), (left + 8 + 60, y), (left + 8 + 120, y))
        assert (await page.wait("slider:change"))[-1]["value"] == 120

        _, _, right, bottom = await page.rect("#resize")
        await agent.drag((right - 4, bottom - 4), (right + 36, bottom + 16))
        await page.becomes("[byId('resize').offsetWidth, byId('resize').offsetHeight]", [160, 100])


async def test_drag_and_drop_by_html_and_by_pointer_events(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.drag(await page.centre("#card"), await page.centre("#bin"))
        dropped = (await page.wait("bin:drop"))[0]
        assert dropped["data"] == "the card"
        assert here(page, dropped) == await page.centre("#bin")
        await page.wait("card:dragend")
        assert page.named("card", "bin") == ["card:dragstart", "bin:dragenter", "bin:drop", "card:dragend"]

        start = await page.centre("#puck")
        there = (start[0] + 100, start[1] + 40)
        path = [start, *[there, start] * 5, there, (start[0] + 60, start[1] + 90)]  # many frames long
        await agent.drag(*path)
        await page.wait("puck:up")
        moves = [here(page, e) for e in page.logged("puck:move")]
        assert here(page, page.logged("puck:down")[0]) == start
        assert here(page, page.logged("puck:up")[0]) == path[-1]
        assert len(moves) >= 6, moves
        assert await page.centre("#puck") == path[-1]


async def test_press_move_and_release_in_calls_of_their_own(desktop: Desktop, page: ActionPage) -> None:
    start = await page.centre("#puck")
    end = (start[0] + 80, start[1] + 60)
    async with agent_on(desktop) as agent:
        await agent.do(Press(at=NativePoint(*start)))
        assert desktop.buttons_down() == [1]
        await agent.move((start[0] + 20, start[1] + 10))
        await page.wait("puck:move")  # a browser reports only the last of several motions within a frame
        await agent.move(end)
        await agent.do(Release(at=NativePoint(*end)))
        assert here(page, (await page.wait("puck:up"))[0]) == end
    assert [e["buttons"] for e in page.logged("puck:move")].count(1) == len(page.logged("puck:move")) >= 2


async def test_text_is_selected_by_dragging_and_by_clicks(desktop: Desktop, page: ActionPage) -> None:
    left, top, right, bottom = await page.rect("#para")
    y, width = (top + bottom) // 2, (right - left) / len("Drag over these words now")
    async with agent_on(desktop) as agent:
        await agent.drag((round(left + 5 * width), y), (round(left + 15 * width), y))
        await page.becomes("String(getSelection())", "over these")
        left, top, _, bottom = await page.rect("#words")
        await agent.click((round(left + 7.5 * width), (top + bottom) // 2), Button.LEFT, 2)
        await page.becomes("String(getSelection()).trim()", "beta")
        await agent.click((round(left + 1.5 * width), (top + bottom) // 2), Button.LEFT, 3)
        await page.becomes("String(getSelection()).trim()", "alpha beta gamma")


async def test_selects_dates_and_a_late_autocomplete(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#native"))
        await agent.chord("down", repeat=2)
        await agent.chord("enter")
        assert (await page.wait("native:change"))[-1]["value"] == "three"

        await agent.click(await page.centre("#custom"))
        await page.becomes("byId('custom').classList.contains('open')")
        await agent.click(await page.centre("#green"))
        assert here(page, (await page.wait("green:click"))[0]) == await page.centre("#green")

        left, top, _, bottom = await page.rect("#date")
        await agent.click((left + 16, (top + bottom) // 2))
        await agent.do(TypeText(text="05172027"))
        await page.becomes("document.querySelector('#date').value", "2027-05-17")

        await agent.do(TypeText(text="W", at=NativePoint(*await page.centre("#auto"))))
        await page.wait("auto:offered")
        await page.becomes("document.querySelectorAll('#hints div').length", 2)
        await agent.click(await page.centre("#hints div:nth-child(2)"))
        assert (await page.wait("auto:chosen"))[0]["value"] == "Wrocław"


async def test_a_native_select_and_a_date_picker_take_clicks(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        left, top, right, bottom = await page.rect("#native")
        before = desktop.grab()
        await agent.click(await page.centre("#native"))
        await until(lambda: desktop.grab().crop((left, bottom, right, bottom + 60)).tobytes()
                   != before.crop((left, bottom, right, bottom + 60)).tobytes(), "the list to open")  # fmt: skip
        await agent.click((left + 20, bottom + 36))
        assert (await page.wait("native:change"))[-1]["value"] in {"two", "three"}

        left, top, right, bottom = await page.rect("#date")
        before = desktop.grab()
        await agent.click((right - 14, (top + bottom) // 2))
        below = (left, bottom + 30, left + 150, bottom + 150)
        await until(lambda: desktop.grab().crop(below).tobytes() != before.crop(below).tobytes(), "the picker to open")
        await agent.chord("enter")
        today = await page.ask("new Date().toLocaleDateString('sv')")
        await page.becomes("document.querySelector('#date').value", today)


def turned(page: ActionPage, name: str) -> tuple[float, float]:
    """The total wheel distance over an element. Chromium merges notches within one of its frames."""
    return sum(e["dx"] for e in page.logged(name)), sum(e["dy"] for e in page.logged(name))


def has_turned(page: ActionPage, name: str, distance: tuple[float, float]) -> bool:
    return turned(page, name) == distance


# Each test loads the page anew, because in Chromium a continuing scroll stays with the scroller that it began on.
async def test_notches_scroll_the_inner_of_nested_scrollers_in_both_axes(desktop: Desktop, page: ActionPage) -> None:
    inner = await page.centre("#inner")
    async with agent_on(desktop) as agent:
        await agent.do(Scroll(at=NativePoint(*inner), dy=1))
        notch = await until(lambda: turned(page, "inner:wheel")[1], "one notch")
        assert notch > 0
        await page.becomes("inner.scrollTop > 0")
        await agent.do(Scroll(at=NativePoint(*inner), dx=2))
        await until(lambda: turned(page, "inner:wheel") == (2 * notch, notch), "two notches to the right")
        await page.becomes("inner.scrollLeft > 0")
        await agent.do(Scroll(at=NativePoint(*inner), dx=-1))
        await until(lambda: turned(page, "inner:wheel") == (notch, notch), "one notch to the left")
    assert await page.ask("[outer.scrollLeft, outer.scrollTop]") == [0, 0]


async def test_notches_beside_the_inner_one_scroll_the_outer(desktop: Desktop, page: ActionPage) -> None:
    _, _, right, bottom = await page.rect("#outer")
    outer = (right - 60, bottom - 20)
    async with agent_on(desktop) as agent:
        await agent.do(Scroll(at=NativePoint(*outer), dy=1))
        notch = await until(lambda: turned(page, "outer:wheel")[1], "one notch")
        await agent.do(Scroll(at=NativePoint(*outer), dy=2))
        await until(lambda: turned(page, "outer:wheel") == (0, 3 * notch), "three notches down")
        await page.becomes("outer.scrollTop > 0")
        for left in (2, 1, 0):  # in a frame each: for those of one frame it moves by its height at most
            await agent.do(Scroll(at=NativePoint(*outer), dy=-1))
            await until(partial(has_turned, page, "outer:wheel", (0, left * notch)), "a notch up")
        await page.becomes("outer.scrollTop", 0)
        await agent.do(Scroll(at=NativePoint(*outer), dx=2))
        await until(lambda: turned(page, "outer:wheel") == (2 * notch, 0), "two notches to the right")
        await page.becomes("outer.scrollLeft > 0")
        for left in (1, 0):
            await agent.do(Scroll(at=NativePoint(*outer), dx=-1))
            await until(partial(has_turned, page, "outer:wheel", (left * notch, 0)), "a notch to the left")
        await page.becomes("outer.scrollLeft", 0)
    assert all(here(page, e) == outer for e in page.logged("outer:wheel"))
    assert await page.ask("[inner.scrollLeft, inner.scrollTop]") == [0, 0]


async def test_modifiers_are_held_during_scrolls_and_drags(desktop: Desktop, page: ActionPage) -> None:
    inner, start = await page.centre("#inner"), await page.centre("#puck")
    ctrl, shift, alt = Key("ctrl"), Key("shift"), Key("alt")
    async with agent_on(desktop) as agent:
        await agent.do(Scroll(at=NativePoint(*inner), dy=2, modifiers=(shift,)))
        await page.becomes("inner.scrollLeft > 0")  # Shift makes the wheel scroll sideways
        assert await page.ask("inner.scrollTop") == 0
        assert all(e["keys"] == ["shift"] for e in page.logged("inner:wheel"))
        assert desktop.keys_down() == []

        path = tuple(NativePoint(start[0] + x, start[1] + y) for x, y in ((0, 0), (90, 30), (60, 80)))
        await agent.do(Drag(path=path, modifiers=(ctrl, alt)))
        await page.wait("puck:up")
        told = [e["keys"] for e in page.events if e["name"].startswith("puck")]
        assert told == [["ctrl", "alt"]] * len(told)
        assert len(told) >= 4

        # The same with separate calls.
        page.events.clear()
        await agent.do(KeyDown(key=shift))
        await agent.drag((path[-1].x, path[-1].y), start)
        await agent.do(KeyUp(key=shift))
        await page.wait("puck:up")
        assert {tuple(e["keys"]) for e in page.events if e["name"].startswith("puck")} == {("shift",)}


async def test_a_freehand_line_stays_on_its_path(desktop: Desktop, page: ActionPage) -> None:
    """A busy Chromium drops motions that wait; `test_pointer` shows that a window receives each of them."""
    left, top, _, _ = await page.rect("#canvas")
    path = [(left + 20, top + 20), (left + 300, top + 40), (left + 160, top + 180), (left + 30, top + 120)]
    async with agent_on(desktop) as agent:
        await agent.drag(*path)
        (line,) = await page.wait("canvas:line")
    drawn = [(round(x) + page.origin[0], round(y) + page.origin[1]) for x, y in line["points"]]
    assert drawn[0] == path[0]
    assert drawn[-1] == path[-1]
    assert len(drawn) > len(path)
    assert all(min(distance(at, *leg) for leg in itertools.pairwise(path)) <= 1 for at in drawn), drawn


def distance(at: Place, start: Place, end: Place) -> float:
    """From a point to the segment between two others."""
    point, a, b = complex(*at), complex(*start), complex(*end)
    along = ((point - a) * (b - a).conjugate()).real / abs(b - a) ** 2
    return abs(point - a - min(1, max(0, along)) * (b - a))
