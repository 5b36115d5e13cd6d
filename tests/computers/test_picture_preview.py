"""The live preview of a browser: pictures come when something changes, and hardly any while nothing does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from operator_console.computers import picture_preview as live
from operator_console.computers.browser.computer import browser_gone
from operator_console.computers.frame_building import make_frame
from operator_console.computers.picture_preview import PicturePreview
from operator_console.domain.errors import ComputerTimedOut, ConsoleError
from operator_console.domain.frames import BrowserTarget, Frame, ImageNeeds
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.pages import Page

SIZE = Size(40, 30)


def picture(x: int = -1) -> Frame:
    """A black page with one white pixel in its first row."""
    pixels = bytearray(SIZE.width * SIZE.height * 4)
    if x >= 0:
        pixels[4 * x : 4 * x + 4] = b"\xff" * 4
    target = BrowserTarget(spec="browser", title="Browser")
    made = make_frame(pixels=pixels, native=SIZE, origin=ScreenPoint(0, 0), target=target, needs=ImageNeeds())
    return replace(made, page=Page(document="1", url="https://example.org/"))


class Watched:
    """A page in the test's hands, its preview, and what that delivered."""

    def __init__(self) -> None:
        self.page: Frame | ConsoleError = picture()
        self.taken = 0
        self.tried = asyncio.Event()
        self.frames: asyncio.Queue[Frame] = asyncio.Queue()
        self.same: asyncio.Queue[Frame] = asyncio.Queue()
        self.lost: asyncio.Queue[ConsoleError] = asyncio.Queue()
        self.preview = PicturePreview(lambda: False, self.shown, lambda: False)
        self.preview.start(self.frames.put_nowait, self.lost.put_nowait, self.same.put_nowait)

    async def shown(self) -> Frame:
        self.taken += 1
        if self.taken >= 3:
            self.tried.set()
        if isinstance(self.page, ConsoleError):
            raise self.page
        return self.page

    async def end(self) -> None:
        self.preview.stop()
        await asyncio.to_thread(self.preview.join, 5.0)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOVING_GAP_S", 0.0)
    monkeypatch.setattr(live, "SMALL_GAP_S", 0.0)
    monkeypatch.setattr(live, "_RETRY_S", 0.0)


async def test_a_page_that_stands_still_is_left_alone_until_it_paints() -> None:
    watched = Watched()
    async with asyncio.timeout(5):
        first = await watched.frames.get()
        same = await watched.same.get()  # the second picture: it stands still
        assert (same.frame_id, watched.taken) == (first.frame_id, 2)
        watched.page = picture(3)
        watched.preview.news()
        assert (await watched.frames.get()).frame_id != first.frame_id
    await watched.end()


async def test_a_frame_says_where_it_differs_from_the_one_before() -> None:
    watched = Watched()
    async with asyncio.timeout(5):
        first = await watched.frames.get()
        await watched.same.get()
        watched.page = picture(7)
        watched.preview.news()
        second = await watched.frames.get()
    await watched.end()
    assert second.change is not None
    assert (second.change.since, second.change.box) == (first.frame_id, Rect(7, 0, 1, 1))


async def test_another_title_is_told_though_the_picture_is_the_same() -> None:
    watched = Watched()
    async with asyncio.timeout(5):
        await watched.frames.get()
        await watched.same.get()
        watched.page = replace(picture(), page=Page(document="1", url="https://example.org/", title="Read"))
        watched.preview.news()
        frame = await watched.frames.get()
    await watched.end()
    assert frame.page is not None
    assert frame.page.title == "Read"


async def test_a_page_that_is_busy_is_said_once_and_seen_again() -> None:
    watched = Watched()
    watched.page = ComputerTimedOut("The page does not answer.")
    async with asyncio.timeout(5):
        await watched.lost.get()
        await watched.tried.wait()
        watched.page = picture()
        await watched.frames.get()
    assert watched.lost.empty()
    await watched.end()


async def test_it_ends_with_the_browser() -> None:
    watched = Watched()
    async with asyncio.timeout(5):
        await watched.frames.get()
        watched.page = browser_gone()
        watched.preview.news()
        await watched.lost.get()
        await asyncio.to_thread(watched.preview.join, 5.0)
    assert not watched.preview.running
