"""The text at a target: as the computer knows it, else as the reader reads it off the frame, in bounded time.

Reading the whole frame starts while the model thinks, so the text is usually there when a call comes. Otherwise the
target counts as unread, which policy classes as C2.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.operator_channel import OperatorChannel, abandon
from operator_console.engine.ports import Clock, Reader

_log = logging.getLogger(__name__)

READ_WITHIN_S = 1.0
AROUND_PX = 160
REACH_PX = 8  # a click this close to a word refers to it
NEARBY = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The text at a point, and those around it, nearest first; `read` False: nothing is known."""

    label: str = ""
    nearby: tuple[str, ...] = ()
    read: bool = False


def label_at(boxes: Sequence[TextBox], point: NativePoint, box: Rect | None = None) -> Reading:
    """The text at `point`: the nearest of `boxes`, else one that the model's `box` contains."""
    ranked = sorted(boxes, key=lambda found: (_distance(found.box, point), found.box.width * found.box.height))
    at = [found for found in ranked if _distance(found.box, point) <= REACH_PX]
    if not at and box is not None:
        at = [found for found in ranked if box.contains(*found.box.centre)]
    label = at[0].text.strip() if at else ""
    near = [f.text.strip() for f in ranked if (not at or f is not at[0]) and _distance(f.box, point) <= AROUND_PX]
    return Reading(label=label, nearby=tuple(text for text in near if text)[:NEARBY], read=True)


class TargetReader:
    """Reads one frame at a time; `begin` cancels the reading of the one before."""

    def __init__(self, reader: Reader | None, clock: Clock, channel: OperatorChannel) -> None:
        self._reader = reader
        self._clock = clock
        self._channel = channel
        self._whole: asyncio.Task[Sequence[TextBox]] | None = None

    async def begin(self, frame: Frame) -> None:
        """Start reading the frame in the background."""
        await self.close()
        if self._reader is not None:
            self._whole = asyncio.create_task(self._read(frame, None), name="read-frame")

    async def at(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None) -> Reading:
        """The text at the first point; texts at the others count as nearby."""
        if not points:
            return Reading()
        known = list(frame.texts)
        told = label_at(known, points[0], box)
        if told.label and len(points) == 1:
            return told
        boxes = await self._boxes(frame, points)
        if boxes is None:
            return told if told.label else Reading(nearby=told.nearby)
        readings = [label_at([*known, *boxes], point, box) for point in points]
        others = tuple(r.label for r in readings[1:] if r.label)
        return Reading(label=readings[0].label, nearby=(*others, *readings[0].nearby), read=True)

    def at_hand(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None) -> Reading:
        """The text at the first point as far as it is known without waiting."""
        whole = self._read_whole()
        if not points or (whole is None and not frame.texts):
            return Reading()
        reading = label_at([*frame.texts, *(whole or ())], points[0], box)
        return reading if whole is not None or reading.label else Reading(nearby=reading.nearby)

    def _read_whole(self) -> Sequence[TextBox] | None:
        whole = self._whole
        return whole.result() if whole is not None and whole.done() and not whole.cancelled() else None

    async def close(self) -> None:
        """Cancel reading."""
        task, self._whole = self._whole, None
        if task is not None:
            await abandon(task)

    async def _boxes(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[TextBox] | None:
        if self._reader is None:
            return None
        if (whole := self._read_whole()) is not None:
            return whole
        reading = asyncio.ensure_future(self._around(frame, points))
        deadline = asyncio.ensure_future(self._clock.sleep(READ_WITHIN_S))
        try:
            first = asyncio.wait({reading, deadline}, return_when=asyncio.FIRST_COMPLETED)
            await self._channel.run(first)
            return reading.result() if reading.done() else None
        finally:
            await abandon(reading)
            await abandon(deadline)

    async def _around(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[TextBox]:
        found: list[TextBox] = []
        for point in points:
            found += await self._read(frame, Rect.around(point, AROUND_PX, frame.geometry.native))
        return found

    async def _read(self, frame: Frame, region: Rect | None) -> Sequence[TextBox]:
        assert self._reader is not None
        try:
            return await self._reader.read(frame, region)
        except (ConsoleError, OSError):
            _log.warning("the reader failed; the target stays unread", exc_info=True)
            return ()


def _distance(box: Rect, point: NativePoint) -> float:
    dx = max(box.x - point.x, 0, point.x - (box.right - 1))
    dy = max(box.y - point.y, 0, point.y - (box.bottom - 1))
    return math.hypot(dx, dy)
