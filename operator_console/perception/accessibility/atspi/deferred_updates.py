"""Makes Chromium tell the changes that it holds back.

After each `GetAccessibleAtPoint` Chromium holds back what changes on the page for 150 to 160 ms. Asked again meanwhile,
at any point of the window, it tells all within 12 to 25 ms. Medians after a click that replaced all texts of a page:
told after 37 ms; after 160 ms where it was asked 10 ms before the click; after 36 ms where it was asked again after it.
"""

from __future__ import annotations

import asyncio
import time

from operator_console.perception.accessibility.atspi.batched_reads import Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window

HELD_BACK_S = 0.2
"""How long after a question about a point changes may be held back."""
_TOLD_AFTER_S = 0.025


class DeferredUpdates:
    """Knows which applications were asked lately what lies at a point."""

    def __init__(self) -> None:
        self._asked_s: dict[str, float] = {}

    def asked(self, window: Window) -> None:
        """Note that a window was asked what lies at a point."""
        self._asked_s[window.app.ref.owner] = time.monotonic()

    async def tell(self, tree: Tree, window: Window, *, painted: bool) -> bool:
        """Return once a window has told its changes; whether it was asked for them.

        Args:
            tree: of the query.
            window: the window.
            painted: it may have changed just now, so that it is waited for even if nothing is held back.

        Raises:
            NoReply: the application did not reply in time.
        """
        asked_s = self._asked_s.get(window.app.ref.owner, 0.0)
        lately = time.monotonic() - asked_s < HELD_BACK_S
        if window.toolkit != "Chromium" or window.ref is None or not (lately or painted):
            return False
        x, y = window.info.rect.centre
        await tree.hit(window.ref, x - window.offset.dx, y - window.offset.dy)
        self.asked(window)
        await asyncio.sleep(_TOLD_AFTER_S)
        return True
