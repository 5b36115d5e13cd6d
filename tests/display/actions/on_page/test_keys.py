"""Chords, lone modifiers, keypad, media and held keys reach applications with their meaning.

The clipboard is left as it was.
"""

from __future__ import annotations

import asyncio
import time

import pytest

from operator_console.desktop.x11.clipboard import read
from operator_console.domain.actions import HoldKeys, KeyDown, KeyUp, Press, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from tests.display.acceptance.event_window import EventWindow
from tests.display.actions.agent import agent_on
from tests.display.actions.page import ActionPage
from tests.display.actions.waiting import until
from tests.display.rig import Desktop

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]


def pressed(page: ActionPage) -> list[tuple[str, list[str]]]:
    """Each key press with the modifiers held at that time, without the presses of modifiers."""
    alone = {"Control", "Shift", "Alt", "Meta", "AltGraph"}
    return [(e["key"], e["keys"]) for e in page.logged("key:down") if e["key"] not in alone]


async def test_chords_arrive_as_what_they_are_called(desktop: Desktop, page: ActionPage) -> None:
    field = await page.centre("#field")
    wanted: list[tuple[str, list[str]]] = []
    async with agent_on(desktop) as agent:
        await agent.click(field)
        for keys, key, held in (
            (("a",), "a", []),
            (("+",), "+", ["shift"]),
            (("shift", "b"), "B", ["shift"]),
            (("ctrl", "shift", "home"), "Home", ["ctrl", "shift"]),
            (("ctrl", "z"), "z", ["ctrl"]),
            (("alt", "y"), "y", ["alt"]),
            (("end",), "End", []),
            (("page_up",), "PageUp", []),
            (("f2",), "F2", []),
            (("backspace",), "Backspace", []),
        ):
            await agent.chord(*keys)
            wanted.append((key, held))
        await until(lambda: len(pressed(page)) >= len(wanted), f"{len(wanted)} keys")
    assert pressed(page) == wanted


async def test_shortcuts_are_taken_where_the_layout_has_no_latin_letter(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#field"))
        await agent.chord("x")  # Chromium reads the keyboard map at its first key
        await asyncio.to_thread(desktop.set_layout, "ru")
        await agent.do(TypeText(text="привет hello", clear=True))
        await page.becomes("byId('field').value", "привет hello")
        await agent.chord("ctrl", "a")
        await agent.chord("ctrl", "x")
        await page.becomes("byId('field').value", "")
        await agent.chord("ctrl", "v")
        await page.becomes("byId('field').value", "привет hello")
    assert ("x", ["ctrl"]) in pressed(page)


async def test_a_lone_modifier_and_a_repeated_key(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#field"))
        page.events.clear()
        await agent.chord("shift")
        await page.wait("key:up")
        assert [(e["name"], e["key"]) for e in page.events] == [("key:down", "Shift"), ("key:up", "Shift")]
        await agent.chord("x", repeat=4)
        await page.becomes("byId('field').value", "xxxx")


async def test_keypad_keys_are_the_keypads(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#field"))
        page.events.clear()
        for name in ("kp_5", "kp_add", "kp_enter", "kp_decimal"):
            await agent.chord(name)
        codes = [e["code"] for e in await page.wait("key:down", 4) if e["key"] not in {"Shift", "NumLock"}]
        assert codes == ["Numpad5", "NumpadAdd", "NumpadEnter", "NumpadDecimal"]
        await page.becomes("byId('field').value", "+")  # without Num Lock the other keys move the caret


async def test_media_keys_arrive(desktop: Desktop) -> None:
    window = EventWindow(desktop)
    async with agent_on(desktop) as agent:
        for name, symbol in (
            ("media_play_pause", "XF86AudioPlay"),
            ("media_next", "XF86AudioNext"),
            ("volume_up", "XF86AudioRaiseVolume"),
            ("volume_mute", "XF86AudioMute"),
            ("browser_back", "XF86Back"),
        ):
            await agent.chord(name)
            await until(lambda symbol=symbol: symbol in window.application.child.log_text(), symbol)  # type: ignore[misc]


async def test_keys_and_buttons_held_between_calls(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await agent.do(KeyDown(key=Key("ctrl")))
        assert desktop.keys_down() == [desktop.keycode("Control_L")]
        await agent.click(await page.centre("#press"))
        assert (await page.wait("press:click"))[0]["keys"] == ["ctrl"]
        await agent.do(KeyUp(key=Key("ctrl")))
        assert desktop.keys_down() == []

        await agent.click(await page.centre("#field"))
        page.events.clear()
        await agent.do(HoldKeys(keys=(Key("h"),), duration_s=1.2))
        ups = await page.wait("key:up")
        downs = page.logged("key:down")
        assert [e["key"] for e in ups] == ["h"]
        assert len(downs) > 3 and downs[1]["repeat"], "a key that is held repeats"

        await agent.do(KeyDown(key=Key("shift")))
        await agent.do(Press(at=NativePoint(*(await page.centre("#press")))))
        assert desktop.buttons_down() == [1]
    # agent_on has checked that both were released when the run ended.
    assert (await page.wait("press:mouseup"))[-1]["button"] == 0


async def test_clear_replaces_and_submit_enters(desktop: Desktop, page: ActionPage) -> None:
    async with agent_on(desktop) as agent:
        await page.ask("byId('field').value = 'what was there before', 0")
        at = NativePoint(*(await page.centre("#field")))
        await agent.do(TypeText(text="new żółw", at=at, clear=True, submit=True))
        await until(lambda: [e["key"] for e in page.logged("key:down")][-1:] == ["Enter"], "Enter")
        assert await page.ask("byId('field').value") == "new żółw"


async def copied(desktop: Desktop, text: str) -> None:
    for _ in range(200):
        if (await asyncio.to_thread(read, desktop.name)).text == text:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the text was not copied")


async def test_the_clipboard_is_read_and_left_as_it_was(desktop: Desktop, page: ActionPage) -> None:
    long = "Ünïcode 你好 " * 40_000

    async with agent_on(desktop) as agent:
        assert (await asyncio.to_thread(read, desktop.name)).text is None
        await agent.click(await page.centre("#field"))
        for text in ("Short żółw 你好", long):
            await page.ask(f"byId('field').value = {text!r}, 0")
            await agent.chord("ctrl", "a")
            await agent.chord("ctrl", "c")
            await copied(desktop, text)
            await agent.do(TypeText(text="typed 日本語 👍🏽", clear=True))
            await page.becomes("byId('field').value", "typed 日本語 👍🏽")
            assert (await asyncio.to_thread(read, desktop.name)).text == text


_SLOW_INPUT = """byId('field').addEventListener('input', () => {
  const end = performance.now() + 3;
  while (performance.now() < end);
  window.lastInput = Date.now();
})"""


async def test_text_is_typed_when_a_slow_page_has_taken_all_of_it(desktop: Desktop, page: ActionPage) -> None:
    text = "abcdefgh" * 50
    async with agent_on(desktop) as agent:
        await agent.click(await page.centre("#field"))
        await page.ask(_SLOW_INPUT)
        await agent.do(TypeText(text=text))
        done_ms = time.time() * 1000
        await page.becomes("byId('field').value", text)
        assert await page.ask("window.lastInput") <= done_ms + 1
