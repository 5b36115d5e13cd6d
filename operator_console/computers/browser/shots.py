"""Pictures of the page that a browser shows, as native pixels.

A page that is busy, or shows a dialog, gives no picture: every wait is bounded.
"""

from __future__ import annotations

import asyncio
import time

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.screenshots import decoded
from operator_console.computers.picture_settling import Shot
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

SHOT_WITHIN_S = 8.0
"""How long a page may keep its picture back, in seconds."""

_ATTEMPTS = 20
_AGAIN_S = 0.1


async def take_shot(look: Connection) -> Shot:
    """A picture of the tab that is shown; a page that is busy keeps it back.

    Raises:
        ComputerUnavailable: the browser is gone, or has no picture.
    """
    taken_s = time.monotonic()
    for attempt in range(_ATTEMPTS):
        try:
            told = await look.send_raw("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        except ConnectionLost as error:
            raise browser_gone() from error
        except ProtocolError as error:
            # A tab that was opened a moment ago has nothing to show yet.
            if attempt == _ATTEMPTS - 1:
                raise ComputerUnavailable(
                    notice(NoticeCode.PAGE_HAS_NO_PICTURE), detail=str(error), reason=UnavailableReason.BLANK,
                    remedy=notice(NoticeCode.WAIT_OR_RELOAD_PAGE),
                ) from error  # fmt: skip
            await asyncio.sleep(_AGAIN_S)
        else:
            pixels, size = await asyncio.to_thread(decoded, told["data"])
            return Shot(
                pixels=pixels, size=size, taken_s=taken_s, still=bool(told.get("still")),
                painted_s=float(told.get("painted", 0.0)),
            )  # fmt: skip
    raise AssertionError("unreachable")


def browser_gone() -> ComputerUnavailable:
    """The browser has ended."""
    return ComputerUnavailable(
        notice(NoticeCode.BROWSER_HAS_ENDED), reason=UnavailableReason.GONE,
        remedy=notice(NoticeCode.START_NEW_SESSION_FOR_BROWSER),
    )  # fmt: skip
