"""What Chromium must be asked for before it describes its pages, and before it tells that they have changed.

It builds the tree of a page at the first GetAttributes or GetRelationSet (Chromium 156; whether org.a11y.Status says
that a screen reader is in use makes no difference), and the page follows some time later.

After each `GetAccessibleAtPoint` it holds back what changes on the page for 150 to 160 ms. Asked again meanwhile, at
any point of the window, it tells all within 12 to 25 ms. Medians after a click that replaced all texts of a page: told
after 37 ms; after 160 ms where it was asked 10 ms before the click; after 36 ms where it was asked again after it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.connection import Bus
from operator_console.perception.accessibility.atspi.vocabulary import DOCUMENT_WEB, SHOWING

_PATIENCE_S = 3.0
_PAUSE_S = 0.02


class Sleepers:
    """Which browsers were seen awake."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._awake: set[str] = set()
        self._first_asked_s: dict[str, float] = {}

    async def wake(self, window: Window, deadline_s: float) -> None:
        """Ask a browser for the content of a window until there is a page; returns at once where it is awake.

        Raises NoReply where there is none at the deadline. One that has none after 3 s (an empty page) counts as awake.
        """
        if window.toolkit != "Chromium" or window.ref is None or window.app.ref.owner in self._awake:
            return
        first_s = self._first_asked_s.setdefault(window.app.ref.owner, time.monotonic())
        while time.monotonic() < first_s + _PATIENCE_S:
            tree = Tree(self._bus)
            tree.deadline_s = deadline_s
            await tree.read([window.ref], Field.ATTRIBUTES)
            pages = await tree.matches(window.ref, states=[SHOWING], roles=[DOCUMENT_WEB], limit=1)
            if pages and await tree.one(pages[0], Field.CHILD_COUNT):
                break
            if time.monotonic() + _PAUSE_S >= deadline_s:
                raise NoReply
            await asyncio.sleep(_PAUSE_S)
        self._awake.add(window.app.ref.owner)


HELD_BACK_S = 0.2
"""How long after a question about a point changes may be held back."""
_TOLD_AFTER_S = 0.025
_TOLD_AFTER_REPLIES = 10
"""The same in times that the question took: on a busy machine, the page's process too takes as much longer."""


@dataclass(frozen=True, slots=True)
class _LastPoint:
    """The point that a browser was asked about last, in the application's coordinates."""

    at_s: float
    window: Ref | None
    x: int
    y: int


class DeferredUpdates:
    """Makes Chromium tell changes that it holds back. Knows which browsers were asked lately what lies at a point.

    Chromium answers such a question from what it has found last, if its box contains the point. A browser is therefore
    asked at the point that it is being asked about already: at another it would find what holds both points, and answer
    that for either.
    """

    def __init__(self) -> None:
        self._asked: dict[str, _LastPoint] = {}

    def asked(self, window: Window, x: int, y: int) -> None:
        """Note that a window is asked, or was just asked, what lies at a point of the application's coordinates."""
        self._asked[window.app.ref.owner] = _LastPoint(time.monotonic(), window.ref, x, y)

    async def tell(self, tree: Tree, window: Window, *, painted: bool) -> bool:
        """Return once a window has told its changes; whether it was asked for them.

        Args:
            tree: of the query.
            window: the window.
            painted: it may have changed just now, so that it is waited for even if nothing is held back.

        Raises:
            NoReply: the application did not reply in time.
        """
        last = self._asked.get(window.app.ref.owner)
        if last is not None and time.monotonic() - last.at_s >= HELD_BACK_S:
            last = None
        if window.toolkit != "Chromium" or window.ref is None or not (last or painted):
            return False
        if last is not None and last.window == window.ref:
            x, y = last.x, last.y
        else:
            middle_x, middle_y = window.info.rect.centre
            x, y = middle_x - window.offset.dx, middle_y - window.offset.dy
        began_s = time.monotonic()
        await tree.hit(window.ref, x, y)
        self.asked(window, x, y)
        now_s = time.monotonic()
        told_after_s = max(_TOLD_AFTER_S, _TOLD_AFTER_REPLIES * (now_s - began_s))
        await asyncio.sleep(min(told_after_s, max(_TOLD_AFTER_S, (tree.deadline_s - now_s) / 2)))
        return True
