"""Says when the page that is shown has painted, while somebody watches.

Chromium tells that with a screencast only. Its pictures are asked for as small as they come and thrown away: what
watches takes its own, whole and exact. On a page that stands still a screencast costs nothing; on one that moves it
costs a third of a processor at any size and rate, so it is for waiting until something changes, and not for longer. Its
first picture is of the page as it stands, and tells nothing. A screenshot paints, too.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from operator_console.browser.connection import Connection, ConnectionLost, ProtocolError

_SMALL: Any = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16}


class Painting:
    """Watches one tab at a time.

    Args:
        browser: the browser's connection.
        painted: called when the page has painted.
    """

    def __init__(self, browser: Connection, painted: Callable[[], None]) -> None:
        self._browser = browser
        self._painted = painted
        self._wanted = ""
        self._cast = ""
        self._first = False
        self._order = asyncio.Lock()

    async def watch(self, session: str) -> None:
        """Watch the tab of this session from now on, and no other; "": none."""
        self._wanted = session
        async with self._order:
            while self._cast != self._wanted:
                before, self._cast = self._cast, self._wanted
                with contextlib.suppress(ProtocolError):  # the tab is closed
                    if before:
                        await self._browser.send.Page.stopScreencast(None, before)
                with contextlib.suppress(ProtocolError):
                    if self._cast:
                        self._first = True
                        await self._browser.send.Page.startScreencast(_SMALL, self._cast)

    async def came(self, number: int, session: str) -> None:
        """A picture of the screencast came."""
        first, self._first = self._first, False
        if not first:
            self._painted()
        with contextlib.suppress(ProtocolError, ConnectionLost):
            await self._browser.send.Page.screencastFrameAck({"sessionId": number}, session)
