"""The last picture of a page counts as the current one exactly as long as nothing has painted over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from operator_console.browser.devtools import Connection
from operator_console.browser.start import connect
from operator_console.computers import picture_settling
from operator_console.computers.browser import computer as module
from operator_console.computers.browser.computer import BrowserComputer, take_shot
from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.computers.picture_settling import Shot
from operator_console.domain.frames import BrowserTarget, Frame, ImageNeeds, SettleReason
from operator_console.domain.geometry import Size

pytestmark = pytest.mark.asyncio(loop_scope="module")
PAGE = """data:text/html,<style>body{margin:0;background:white}</style><body onmousemove="
document.body.style.background='rgb(0,'+event.clientX+',0)'" onclick="setTimeout(()=>{
document.body.style.background='rgb(0,0,200)'},40)">"""
OTHER = "data:text/html,<body style='background:rgb(0,99,0)'>"
NEEDS = ImageNeeds()


class Watched:
    """A browser on the page, who acts in it, and how many pictures were taken."""

    def __init__(self, computer: BrowserComputer, act: Connection) -> None:
        self.computer = computer
        self.act = act
        self.taken = 0

    async def mouse(self, kind: str, x: int) -> None:
        await self.act.send_raw("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": 20, "button": "none" if kind == "mouseMoved" else "left",
            "clickCount": int(kind != "mouseMoved"),
        })  # fmt: skip

    async def until(self, condition: Callable[[Frame], bool]) -> Frame:
        """Glimpses until one is as wanted."""
        async with asyncio.timeout(20):
            while not condition(frame := await self.computer.glimpse()):  # noqa: ASYNC110  it is on the page
                await asyncio.sleep(0.01)
        return frame


def green(frame: Frame) -> int:
    """Of the upper left pixel."""
    return frame.pixels[1]


def blue(frame: Frame) -> int:
    return frame.pixels[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Watched]:
    target = BrowserTarget(spec="browser", title="Browser", url=PAGE)
    computer = await open_browser(
        target, BrowserStart(viewport=Size(400, 300), headless=True, allowed=("127.0.0.1", "localhost")), ""
    )
    act = await connect(computer.target.address)
    watched = Watched(computer, act)

    async def counted(look: Connection) -> Shot:
        watched.taken += 1
        return await take_shot(look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "take_shot", counted)
        try:
            await computer.observe(NEEDS)  # starts its threads before a test looks which there are
            yield watched
        finally:
            await act.close()
            await computer.close()


@pytest_asyncio.fixture(loop_scope="module")
async def watched(shared: Watched) -> Watched:
    """A browser with the page as it was loaded, in its only tab."""
    await shared.act.send_raw("Operator.navigate", {"url": PAGE})
    await shared.until(lambda frame: green(frame) == 255)
    await rested(shared)  # a page that was opened a moment ago loses input
    return shared


async def rested(watched: Watched) -> Frame:
    """A frame after which nothing is painted."""
    await watched.computer.settle(await watched.computer.observe(NEEDS), at=None, lower_s=0.0, upper_s=5.0)
    return await watched.computer.observe(NEEDS)


async def test_a_page_that_rests_is_not_taken_again(watched: Watched) -> None:
    frame = await rested(watched)
    taken = watched.taken
    for _ in range(5):
        assert (await watched.computer.glimpse()).frame_id == frame.frame_id
    assert watched.taken == taken


async def test_whatever_paints_is_seen_in_the_next_picture(watched: Watched) -> None:
    for x in range(20, 220, 20):
        await watched.mouse("mouseMoved", x)
        await watched.until(lambda frame, x=x: green(frame) == x)  # type: ignore[misc]


async def test_a_page_that_changes_a_moment_after_the_input_is_waited_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watched.mouse("mouseMoved", 30)
    await watched.until(lambda frame: green(frame) == 30)  # it takes input
    before = await rested(watched)
    await watched.computer.glimpse()  # as right before any input: what has changed so far is no effect of it
    monkeypatch.setattr(picture_settling, "STILL_FOR_S", 0.6)  # longer than a busy machine keeps a page's timer
    await watched.mouse("mousePressed", 30)
    await watched.mouse("mouseReleased", 30)
    reason = await watched.computer.settle(before, at=None, lower_s=0.0, upper_s=5.0)
    assert reason is SettleReason.QUIET
    assert blue(await watched.computer.observe(NEEDS)) == 200
    assert await watched.computer.changed(before)


async def test_another_tab_is_seen_and_so_is_the_first_one_again(watched: Watched) -> None:
    await watched.mouse("mouseMoved", 50)
    await watched.until(lambda frame: green(frame) == 50)
    await watched.act.send_raw("Operator.openTab", {"url": OTHER})
    await watched.until(lambda frame: green(frame) == 99)
    await watched.act.send_raw("Operator.showTab", {"number": 1})
    await watched.until(lambda frame: green(frame) == 50)
    await watched.act.send_raw("Operator.showTab", {"number": 2})
    await watched.act.send_raw("Operator.closeTab")


async def test_a_page_of_another_site_is_watched_too(watched: Watched) -> None:
    await watched.act.send_raw("Operator.navigate", {"url": OTHER})
    await watched.until(lambda frame: green(frame) == 99)
    await watched.act.send_raw("Operator.navigate", {"url": PAGE})
    await watched.until(lambda frame: green(frame) == 255)
    await rested(watched)
    await watched.mouse("mouseMoved", 70)
    await watched.until(lambda frame: green(frame) == 70)
