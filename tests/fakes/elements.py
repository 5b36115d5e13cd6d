"""Accessible elements in memory: the test says what applications tell and which element has the focus."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from operator_console.domain.elements import FIELDS, Element, Exposure, Role
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hidden_areas import HiddenArea


class FakeElements:
    """Fits the engine's `Elements`.

    Attributes:
        shown: the elements, bottom first; the last one that holds a point is the one there.
        focus: the element with the keyboard focus.
        focus_values: what it becomes, one for each question, before the last of them stays.
        told: what every application is said to tell.
        silent: no question is answered.
        asked: the points and frames that were asked about; focus_asked: the frames of the questions for the focus.
        closed: whether close() was called.
    """

    def __init__(self, *shown: Element, focus: Element | None = None, silent: bool = False) -> None:
        self.shown = list(shown)
        self.focus = focus
        self.focus_values: list[Element] = []
        self.told = Exposure.FULL
        self.silent = silent
        self.asked: list[tuple[Frame, tuple[NativePoint, ...]]] = []
        self.focus_asked: list[Frame] = []
        self.closed = False

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The top-most of `shown` at each point."""
        self.asked.append((frame, tuple(points)))
        await self._answer()
        return [self._at(point) for point in points]

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """`focus`."""
        self.focus_asked.append(frame)
        await self._answer()
        if self.focus_values:
            self.focus = self.focus_values.pop(0)
        return self.focus

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """Those of `shown` that can be typed into."""
        await self._answer()
        return [each for each in self.shown if each.role in FIELDS][:limit]

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """All of `shown`."""
        await self._answer()
        return self.shown[:limit]

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        """Those of `shown` for passwords."""
        if self.silent:
            return None
        await self._answer()
        return [HiddenArea(box=each.box) for each in self.shown if each.role is Role.PASSWORD_FIELD]

    async def exposure(self, frame: Frame) -> Exposure:
        """`told`."""
        await self._answer()
        return self.told

    async def close(self) -> None:
        """Notes it."""
        self.closed = True

    async def _answer(self) -> None:
        if self.silent:
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(0)

    def _at(self, point: NativePoint) -> Element | None:
        return next((each for each in reversed(self.shown) if each.box.contains(point.x, point.y)), None)
