"""Wakes browsers that describe their content only after they were asked: Chromium builds its pages' trees on demand.

It does so at the first GetAttributes or GetRelationSet (Chromium 156; whether org.a11y.Status says that a screen reader
is in use makes no difference), and the page follows some time later.
"""

from __future__ import annotations

import asyncio
import time

from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Tree
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
