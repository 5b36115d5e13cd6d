"""The live preview of a browser or a machine elsewhere: a picture whenever it has changed.

What stands still is not captured: the browser or machine says when it changes. What moves is captured at a modest rate,
because each picture costs tens of milliseconds, until two pictures are the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from operator_console.computers.live_preview import FINAL, OnFrame, OnLost
from operator_console.desktop.picture_changes import differing_box
from operator_console.domain.errors import ComputerError, ComputerUnavailable, ConsoleError
from operator_console.domain.frames import Change, Frame
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

MOVING_GAP_S = 0.25
"""Least time between two pictures of a page that moves by itself, in seconds."""

SMALL_GAP_S, SMALL_PX = 1.0, 32 * 32
"""The same where only so many pixels change, as with a caret that blinks."""

USED_GAP_S = 0.03
"""The same while a person works in the page through the preview."""

REST = 4
"""How many times as long as a picture took nothing is captured after it."""

LOOK_AGAIN_S = 3.0
"""Without any news, a picture is taken so often, in seconds: a change right after one may not have been told."""

_SEEN_S = 1.0  # without any news, the last picture counts as that of now

_RETRY_S = 0.5
_NOTHING = Rect(0, 0, 0, 0)
_numbers = itertools.count(1)
_log = logging.getLogger(__name__)


class PicturePreview:
    """Frames of a browser, or of a machine that tells of what it paints, as `computers.live_preview.LiveSource` has
    them of a desktop. It runs on the event loop.

    Args:
        lost: whether the connection has ended.
        shown: takes the picture that a person is to see now. Raises ComputerError.
        in_use: whether a person works in the page through the preview now.
    """

    def __init__(
        self, lost: Callable[[], bool], shown: Callable[[], Awaitable[Frame]], in_use: Callable[[], bool]
    ) -> None:
        self._lost = lost
        self._shown = shown
        self._in_use = in_use
        self._news = asyncio.Event()
        self._ended = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._last: Frame | None = None

    def start(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame | None = None) -> None:
        """Start. The callbacks must be quick and must not raise; they come on the event loop."""
        assert self._task is None, "a source starts once"
        self._task = asyncio.get_running_loop().create_task(
            self._run(on_frame, on_lost, on_same or (lambda _: None)), name="live preview of the browser"
        )
        self._task.add_done_callback(lambda _: self._ended.set())

    def stop(self) -> None:
        """Stop; no callback follows."""
        if self._task is not None:
            self._task.cancel()

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._task is not None and not self._task.done()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until a stopped source has ended, at most `timeout_s`. Blocking: not on the event loop."""
        self._ended.wait(timeout_s)

    def news(self) -> None:
        """The page has painted, or another document, tab or dialog is shown."""
        self._news.set()

    async def _run(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame) -> None:
        lost = False
        while True:
            try:
                await self._follow(on_frame, on_same)
            except ComputerError as error:
                final = isinstance(error, ComputerUnavailable) and error.reason in FINAL
                if final or not lost:
                    on_lost(error)
                if final:
                    return
                lost = True
            except Exception:  # noqa: BLE001  the preview may fail; the session must not
                _log.exception("the live preview stopped")
                stopped = notice(NoticeCode.PREVIEW_STOPPED)
                on_lost(ConsoleError(stopped, remedy=notice(NoticeCode.CHOOSE_TARGET_AGAIN)))
                return
            await asyncio.sleep(_RETRY_S)

    async def _follow(self, on_frame: OnFrame, on_same: OnFrame) -> None:
        """Frames until the page cannot be seen."""
        while True:
            self._news.clear()
            began_s = time.monotonic()
            if await self._take(on_frame, on_same):
                await self._rest(time.monotonic() - began_s)
            else:
                await self._until_news(on_same)

    async def _take(self, on_frame: OnFrame, on_same: OnFrame) -> bool:
        """Take a picture; whether it is another one."""
        before, now = self._last, await self._shown()
        box: Rect | None = None
        if before is not None and before.geometry.native == now.geometry.native:
            box = await asyncio.to_thread(differing_box, before.pixels, now.pixels, now.geometry.native) or _NOTHING
        if before is not None and box is not None and box.empty and before.page == now.page:
            self._last = replace(now, frame_id=before.frame_id)
            on_same(self._last)
            return False
        change = None if before is None or box is None else Change(since=before.frame_id, box=box)
        self._last = replace(now, frame_id=f"page-{next(_numbers)}", change=change)
        on_frame(self._last)
        return True

    async def _rest(self, took_s: float) -> None:
        """Leave the browser alone after a picture that took so long."""
        if self._in_use():
            await asyncio.sleep(USED_GAP_S)
            return
        gap_s = max(MOVING_GAP_S, REST * took_s)
        await asyncio.sleep(gap_s)
        change = self._last.change if self._last is not None else None
        if change is not None and change.box.width * change.box.height <= SMALL_PX:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SMALL_GAP_S - gap_s):
                    await self._news.wait()

    async def _until_news(self, on_same: OnFrame) -> None:
        until_s = time.monotonic() + LOOK_AGAIN_S
        while not self._news.is_set() and time.monotonic() < until_s:
            try:
                async with asyncio.timeout(_SEEN_S):
                    await self._news.wait()
            except TimeoutError:
                if self._last is not None and not self._lost():
                    on_same(replace(self._last, taken_s=time.monotonic()))
