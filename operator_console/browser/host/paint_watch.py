"""Tells when the page that is shown is painted, so that a picture that is still the newest need not be taken again.

The browser reports each painted frame as a tiny picture (`Page.startScreencast`), 10 to 20 ms later, whatever painted
it: scripts, scrolling, videos, frames of other sites. Of two frames within a sixtieth of a second it may report one:
that is good enough to see that a page has come to rest, and not for the last look before an input, which is always a
picture.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError

_LATEST_REPORT_S = 0.1  # the clock may be set meanwhile
_TINY = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16}


@dataclass(slots=True, kw_only=True)
class _Taking:
    """One that is under way.

    Attributes:
        alone: no other one is.
        tell: its picture is the one that `painted` is about.
        frames: how many were painted meanwhile.
    """

    alone: bool
    tell: bool
    frames: int = 0


class PaintWatch:
    """Watches one tab at a time.

    Args:
        browser: the connection.
        painted: called once the picture of the last `capture` with `tell` is no longer what is shown.

    Attributes:
        last_s: when the page was last painted, `time.monotonic()`, as far as it was reported; 0: not since it is shown.
    """

    def __init__(self, browser: Connection, painted: Callable[[], None]) -> None:
        self._browser = browser
        self._painted = painted
        self._session = ""
        self._captures: list[_Taking] = []
        self._told = True
        self._reports = False
        self.last_s = 0.0

    async def follow(self, session: str) -> None:
        """Watch the tab of this session from now on."""
        if session == self._session:
            return
        former, self._session, self._reports = self._session, session, False
        self.last_s = 0.0
        self._changed()
        with contextlib.suppress(ProtocolError, ConnectionLost):
            if former:
                await self._browser.send_raw("Page.stopScreencast", None, former)
        await self._begin()

    async def _begin(self) -> None:
        """Refused for a tab that was opened a moment ago."""
        with contextlib.suppress(ProtocolError, ConnectionLost):
            await self._browser.send_raw("Page.startScreencast", _TINY, self._session)
            self._reports = True

    def frame(self, params: dict[str, Any], session: str) -> Awaitable[dict[str, Any]]:
        """`Page.screencastFrame`; what is returned acknowledges it: only then does the next one come."""
        if session == self._session:
            for capture in self._captures:
                capture.frames += 1
            match self._captures:
                case [_Taking(alone=True, tell=True, frames=1)]:
                    pass  # each capture has one frame painted, the one that it shows
                case captures:
                    if not captures or captures[0].frames > 1:
                        self.last_s = _painted_at(params)
                    self._changed()
        return self._browser.send_raw("Page.screencastFrameAck", {"sessionId": params["sessionId"]}, session)

    def _changed(self) -> None:
        if not self._told:
            self._told = True
            self._painted()

    def left(self) -> None:
        """Another document is shown: a picture that was asked for may never come."""
        for capture in self._captures:
            capture.alone = False
        self._captures = []

    async def capture(self, params: dict[str, Any], session: str, *, tell: bool) -> dict[str, Any]:
        """`Page.captureScreenshot`, with `still` in its result: nothing but what the picture shows was painted since.

        False where that is not known. Afterwards `painted` tells, if `tell`. Its result has `painted`, too: `last_s` as
        it was before.
        """
        if not self._reports and session == self._session:
            await self._begin()
        capture = _Taking(alone=not self._captures, tell=tell)
        for other in self._captures:
            other.alone = False
        self._captures.append(capture)
        self._told = self._told and not tell
        painted_s = self.last_s
        try:
            result = await self._browser.send_raw("Page.captureScreenshot", params, session)
        finally:
            self._captures = [each for each in self._captures if each is not capture]
        self._reports = self._reports and (capture.frames > 0 or not capture.alone)
        still = capture.alone and capture.frames == 1 and session == self._session
        return {**result, "still": still, "painted": painted_s}


def _painted_at(params: dict[str, Any]) -> float:
    """`time.monotonic()` of a frame that is reported now."""
    now_s = time.monotonic()
    painted_s = params.get("metadata", {}).get("timestamp")  # seconds since the epoch
    return now_s if painted_s is None else now_s - min(max(0.0, time.time() - painted_s), _LATEST_REPORT_S)
