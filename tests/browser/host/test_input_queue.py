"""One command of input is on its way at a time, and the end of a side releases what it holds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from operator_console.browser.devtools import ProtocolError
from operator_console.browser.host.input_queue import InputQueue

KEY = {"key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "location": 0}


class Page:
    """Answers when it is told to."""

    def __init__(self, *, busy: bool = False) -> None:
        self.sent: list[tuple[str, str]] = []
        self.params: list[dict[str, Any]] = []
        self.free = asyncio.Event()
        self.failure: Exception | None = None
        if not busy:
            self.free.set()

    async def send(self, method: str, params: dict[str, Any], session: str) -> dict[str, Any]:
        self.sent.append((method.removeprefix("Input."), str(params.get("type", params.get("enabled", "")))))
        self.params.append({"session": session, **params})
        await self.free.wait()
        if self.failure is not None:
            raise self.failure
        return {"number": len(self.sent)}


async def key(queue: InputQueue, kind: str, **more: Any) -> dict[str, Any]:
    return await queue.put("Input.dispatchKeyEvent", {"type": kind, **KEY, **more}, "s")


async def mouse(queue: InputQueue, kind: str, **more: Any) -> dict[str, Any]:
    return await queue.put("Input.dispatchMouseEvent", {"type": kind, "x": 5, "y": 6, **more}, "s")


async def until_sent(page: Page, number: int) -> None:
    async with asyncio.timeout(5):
        while len(page.sent) < number:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_the_next_command_is_sent_when_the_last_one_is_answered() -> None:
    page = Page(busy=True)
    queue = InputQueue(page.send, lambda: False)
    both = [asyncio.ensure_future(key(queue, kind)) for kind in ("keyDown", "keyUp")]
    await until_sent(page, 1)
    for _ in range(5):
        await asyncio.sleep(0)
    assert page.sent == [("dispatchKeyEvent", "keyDown")]
    page.free.set()
    assert [each["number"] for each in await asyncio.gather(*both)] == [1, 2]
    await queue.end()
    assert len(page.sent) == 2


async def test_a_refusal_goes_to_who_asked_and_the_queue_goes_on() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    page.failure = ProtocolError("no")
    with pytest.raises(ProtocolError):
        await mouse(queue, "mouseMoved")
    page.failure = None
    assert await mouse(queue, "mouseMoved") == {"number": 2}
    assert queue.pointer == (5.0, 6.0)


async def test_the_end_drops_what_waits_and_releases_behind_what_is_on_its_way() -> None:
    page = Page(busy=True)
    queue = InputQueue(page.send, lambda: False)
    going = [asyncio.ensure_future(key(queue, "keyDown", code=f"Key{each}")) for each in "ABC"]
    await until_sent(page, 1)
    ending = asyncio.ensure_future(queue.end())
    await until_sent(page, 2)
    assert page.sent == [("dispatchKeyEvent", "keyDown"), ("dispatchKeyEvent", "keyUp")]
    page.free.set()
    await ending
    assert len(page.sent) == 2
    assert page.params[1] == {"session": "s", "type": "keyUp", **KEY}
    for each in going:
        each.cancel()
    await asyncio.gather(*going, return_exceptions=True)


async def test_a_button_is_released_outside_the_page_and_keys_after_it_in_reverse() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    for code in ("ShiftLeft", "KeyA"):
        await key(queue, "rawKeyDown", code=code)
    await mouse(queue, "mousePressed", button="left")
    page.params.clear()
    await queue.end()
    button, *keys = page.params
    assert (button["type"], button["button"], button["clickCount"]) == ("mouseReleased", "left", 0)
    assert button["x"] < 0 and button["y"] < 0
    assert [each["code"] for each in keys] == ["KeyA", "ShiftLeft"]


async def test_what_was_released_already_is_not_released_again() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    await key(queue, "keyDown")
    await key(queue, "keyUp")
    await mouse(queue, "mousePressed", button="left")
    await queue.release()
    page.sent.clear()
    await queue.end()
    assert page.sent == []


async def test_a_drag_of_the_page_s_own_is_cancelled_and_the_next_one_is_the_person_s() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    await queue.put("Input.setInterceptDrags", {"enabled": True}, "s")
    await mouse(queue, "mousePressed", button="left")
    queue.drag_begun({"items": []}, "s")
    page.sent.clear()
    await queue.end()
    assert page.sent == [("dispatchDragEvent", "dragCancel"), ("setInterceptDrags", "False")]


async def test_keys_are_released_again_when_a_drag_has_ended_during_which_the_page_hears_of_none() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    await key(queue, "keyDown")
    queue.drag_begun({"items": []}, "s")
    page.sent.clear()
    await queue.end()
    assert page.sent == [("dispatchDragEvent", "dragCancel"), *[("dispatchKeyEvent", "keyUp")] * 2]


async def test_a_drag_that_begins_after_the_end_is_cancelled_too() -> None:
    page = Page(busy=True)
    queue = InputQueue(page.send, lambda: False)
    moving = asyncio.ensure_future(mouse(queue, "mouseMoved"))
    await until_sent(page, 1)
    ending = asyncio.ensure_future(queue.end())
    await asyncio.sleep(0)
    queue.drag_begun({"items": []}, "s")
    page.free.set()
    await asyncio.gather(moving, ending)
    assert page.sent[-1] == ("dispatchDragEvent", "dragCancel")


async def test_a_drag_that_was_dropped_is_over() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    queue.drag_begun({"items": []}, "s")
    await queue.put("Input.dispatchDragEvent", {"type": "drop"}, "s")
    await queue.end()
    assert page.sent == [("dispatchDragEvent", "drop")]


async def test_nothing_is_taken_after_the_end() -> None:
    page = Page()
    queue = InputQueue(page.send, lambda: False)
    await queue.end()
    with pytest.raises(asyncio.CancelledError):
        await key(queue, "keyDown")
    assert page.sent == []
