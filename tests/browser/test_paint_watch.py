"""What the host says of whether a picture is still what the page shows."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

import pytest

from operator_console.browser.devtools import Connection, ProtocolError
from operator_console.browser.host.paint_watch import PaintWatch

SESSION = "tab"


class FakeBrowser:
    """Keeps captures back until `answer`."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.refuses = False
        self.waiting: list[asyncio.Future[dict[str, Any]]] = []

    async def send_raw(self, method: str, params: object = None, session_id: str = "") -> dict[str, Any]:
        self.sent.append((method, session_id))
        if self.refuses:
            raise ProtocolError("Not attached to an active page")
        if method != "Page.captureScreenshot":
            return {}
        self.waiting.append(asyncio.get_running_loop().create_future())
        return await self.waiting[-1]

    def answer(self) -> None:
        self.waiting.pop(0).set_result({"data": "picture"})


class Watched:
    """A watch on one tab."""

    def __init__(self) -> None:
        self.browser = FakeBrowser()
        self.told = 0
        self.watch = PaintWatch(cast("Connection", self.browser), self._painted)

    def _painted(self) -> None:
        self.told += 1

    async def paint(self, session: str = SESSION) -> None:
        """A frame of the page."""
        await self.watch.frame({"sessionId": 1}, session)

    async def capture(self, *, tell: bool = True) -> asyncio.Task[dict[str, Any]]:
        """One that is under way."""
        task = asyncio.ensure_future(self.watch.capture({}, SESSION, tell=tell))
        await asyncio.sleep(0)
        return task

    async def picture(self) -> dict[str, Any]:
        """Taken while the page rests."""
        task = await self.capture()
        await self.paint()
        self.browser.answer()
        return await task


@pytest.fixture
async def watched() -> Watched:
    watched = Watched()
    await watched.watch.follow(SESSION)
    return watched


async def test_a_picture_of_a_page_that_rests_is_still_and_the_next_frame_is_told_once(watched: Watched) -> None:
    assert (await watched.picture())["still"]
    assert watched.told == 0
    await watched.paint()
    await watched.paint()
    assert watched.told == 1


async def test_every_frame_is_acknowledged(watched: Watched) -> None:
    await watched.picture()
    await watched.paint()
    assert [method for method, _ in watched.browser.sent].count("Page.screencastFrameAck") == 2


async def test_a_picture_during_which_the_page_was_painted_is_not_still(watched: Watched) -> None:
    task = await watched.capture()
    await watched.paint()
    await watched.paint()
    watched.browser.answer()
    assert not (await task)["still"]
    assert watched.told == 1


async def test_nothing_is_known_of_a_picture_whose_own_frame_was_not_reported(watched: Watched) -> None:
    task = await watched.capture()
    watched.browser.answer()
    assert not (await task)["still"]


async def test_a_picture_of_the_injector_may_show_what_the_consoles_does_not(watched: Watched) -> None:
    await watched.picture()
    task = await watched.capture(tell=False)
    await watched.paint()
    watched.browser.answer()
    await task
    assert watched.told == 1


async def test_two_pictures_at_once_are_not_still_because_their_frames_cannot_be_told_apart(watched: Watched) -> None:
    first, second = await watched.capture(), await watched.capture(tell=False)
    await watched.paint()
    watched.browser.answer()
    watched.browser.answer()
    assert [(await each)["still"] for each in (first, second)] == [False, False]


async def test_another_tab_is_watched_instead_and_the_picture_is_outdated(watched: Watched) -> None:
    await watched.picture()
    await watched.watch.follow("other")
    assert watched.told == 1
    assert watched.browser.sent[-2:] == [("Page.stopScreencast", SESSION), ("Page.startScreencast", "other")]
    await watched.watch.follow("other")
    assert len([each for each in watched.browser.sent if each[0] == "Page.startScreencast"]) == 2


async def test_frames_of_a_tab_that_is_no_longer_shown_do_not_count(watched: Watched) -> None:
    await watched.picture()
    await watched.paint("former")
    assert watched.told == 0


async def test_a_watch_that_was_refused_is_begun_with_the_next_picture() -> None:
    watched = Watched()
    watched.browser.refuses = True
    await watched.watch.follow(SESSION)
    watched.browser.refuses = False
    assert (await watched.picture())["still"]
    assert [method for method, _ in watched.browser.sent].count("Page.startScreencast") == 2


async def test_a_watch_that_reports_nothing_any_more_is_begun_again(watched: Watched) -> None:
    task = await watched.capture()
    watched.browser.answer()
    await task
    assert (await watched.picture())["still"]
    assert [method for method, _ in watched.browser.sent].count("Page.startScreencast") == 2


async def test_a_picture_says_when_the_page_was_last_painted_before_it(watched: Watched) -> None:
    assert (await watched.picture())["painted"] == 0.0
    began_s = time.monotonic()
    await watched.paint()
    painted_s = watched.watch.last_s
    assert began_s <= painted_s <= time.monotonic()
    assert (await watched.picture())["painted"] == painted_s
    assert watched.watch.last_s == painted_s  # its own frame is none of the page's
    await watched.watch.follow("other")
    assert watched.watch.last_s == 0.0


async def test_the_time_of_a_frame_is_the_one_that_the_browser_gives_for_it(watched: Watched) -> None:
    before_s = time.monotonic()
    await watched.watch.frame({"sessionId": 1, "metadata": {"timestamp": time.time() - 5.0}}, SESSION)
    # A report is never that late: the clock was set.
    assert before_s - 0.1 <= watched.watch.last_s <= time.monotonic() - 0.1


async def test_a_frame_that_comes_beside_that_of_a_picture_is_the_pages(watched: Watched) -> None:
    task = await watched.capture()
    await watched.paint()
    assert watched.watch.last_s == 0.0
    await watched.paint()
    assert watched.watch.last_s > 0.0
    watched.browser.answer()
    await task
