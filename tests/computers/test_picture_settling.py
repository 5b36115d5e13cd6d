"""When a page counts as quiet, and how many pictures that takes."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from operator_console.browser.page_state import PageState
from operator_console.computers.frame_building import make_frame
from operator_console.computers.picture_settling import Settling, Shot
from operator_console.domain.frames import BrowserTarget, Frame, ImageNeeds, SettleReason
from operator_console.domain.geometry import Rect, ScreenPoint, Size

SIZE = Size(200, 200)
TARGET = BrowserTarget(spec="browser", title="Browser")


class FakePage:
    """A page whose picture is of one grey, and which may wait for answers."""

    def __init__(self) -> None:
        self.grey, self.pictures = 200, 0
        self.looked = asyncio.Event()
        self.painted_s = 0.0
        self.state = PageState()
        self.settling = Settling(self.shoot, lambda: self.state, asyncio.Event(), last_paint=self.last_paint)

    async def last_paint(self) -> float:
        return self.painted_s

    async def shoot(self) -> Shot:
        self.pictures += 1
        self.looked.set()
        taken_s = time.monotonic()
        return Shot(pixels=bytes([self.grey]) * (SIZE.width * SIZE.height * 4), size=SIZE, taken_s=taken_s)

    def becomes(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self.settling.told(self.state)

    def frame(self) -> Frame:
        return make_frame(
            pixels=bytes([200]) * (SIZE.width * SIZE.height * 4), native=SIZE, origin=ScreenPoint(0, 0), target=TARGET,
            needs=ImageNeeds(), taken_s=time.monotonic(), stack=(), focus=None, pointer=None, title="",
        )  # fmt: skip

    async def settled(self, upper_s: float = 3.0) -> SettleReason:
        return await self.settling.wait(self.frame(), None, 0.0, upper_s)


async def test_a_page_that_nothing_happens_to_takes_one_picture_which_is_kept() -> None:
    page = FakePage()
    assert await page.settled() is SettleReason.QUIET
    assert page.pictures == 1
    assert page.settling.take_last() is not None
    assert page.settling.take_last() is None


async def test_a_page_that_was_painted_and_is_calm_again_is_looked_at_before_it_counts_as_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("operator_console.computers.picture_settling.STILL_FOR_S", 60.0)
    page = FakePage()
    page.painted_s = time.monotonic()  # before the input
    settling = asyncio.create_task(page.settled(upper_s=60.0))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(page.looked.wait(), 0.1)
    page.painted_s = time.monotonic()
    async with asyncio.timeout(20):
        await page.looked.wait()
    settling.cancel()
    await asyncio.gather(settling, return_exceptions=True)


async def test_what_comes_of_an_answer_is_waited_for() -> None:
    page = FakePage()

    async def answers() -> None:
        page.becomes(requests=1, requested=1)
        await asyncio.sleep(0.3)
        page.becomes(requests=0)
        await asyncio.sleep(0.12)
        page.grey = 10

    answering = asyncio.create_task(answers())
    assert await page.settled() is SettleReason.QUIET
    assert answering.done()
    last = page.settling.last
    assert last is not None
    assert last.pixels[0] == 10
    assert page.pictures <= 4


async def test_a_request_that_was_made_before_the_input_is_not_waited_for() -> None:
    page = FakePage()
    page.becomes(requests=1, requested=1)
    page.settling.requested = 1
    assert await page.settled() is SettleReason.QUIET
    assert page.pictures == 1


async def test_a_page_that_never_rests_is_waited_for_no_longer_than_the_bound() -> None:
    page = FakePage()
    shoot = page.shoot

    async def another() -> Shot:
        page.grey = (page.grey + 50) % 250
        return await shoot()

    page.settling = Settling(another, lambda: page.state, asyncio.Event())
    assert await page.settled(upper_s=0.4) is SettleReason.BOUNDED


async def test_a_pointer_that_has_moved_is_not_taken_for_the_answer_of_the_application() -> None:
    page, changed = FakePage(), asyncio.Event()
    page.grey = moved = 190

    async def shoot() -> Shot:
        return replace(await page.shoot(), still=True)

    def pointer_only(before: bytes | memoryview, after: bytes | memoryview, size: Size) -> tuple[Rect, ...]:
        return (Rect(0, 0, size.width, size.height),) if (before[0], after[0]) == (200, moved) else ()

    page.settling = Settling(shoot, lambda: page.state, changed, reacts_s=60.0, pointer_only=pointer_only)
    settling = asyncio.create_task(page.settled(upper_s=60.0))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(settling), 0.3)
    page.grey = 10
    changed.set()
    async with asyncio.timeout(20):
        assert await settling is SettleReason.QUIET
    last = page.settling.last
    assert last is not None
    assert last.pixels[0] == 10
