"""The text at a target: as the computer knows it, else as the reader reads it off the frame, in bounded time.

When an action names points, what stands there is read before anything else. The whole frame is read in the background
while the model thinks, where something may need it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from operator_console.domain.elements import PointText, TextKnowledge
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
    """The text at a point, and those around it, nearest first.

    Attributes:
        label: the text nearest to the point.
        read: whether that is known; False: nothing is, or not all.
        knowledge: why; READ exactly where `read` is True.
        text: all text inside the control's extent, where one was given; else the texts at the point.
    """

    label: str = ""
    nearby: tuple[str, ...] = ()
    read: bool = False
    knowledge: TextKnowledge = TextKnowledge.NOT_YET
    text: str = ""


def label_at(boxes: Sequence[TextBox], point: NativePoint, box: Rect | None = None) -> Reading:
    """The text at `point`: the nearest of `boxes`, else one that the model's `box` contains."""
    ranked = sorted(boxes, key=lambda found: (_distance(found.box, point), found.box.width * found.box.height))
    at = [found for found in ranked if _distance(found.box, point) <= REACH_PX]
    if not at and box is not None:
        at = [found for found in ranked if box.contains(*found.box.centre)]
    label = at[0].text.strip() if at else ""
    near = [f.text.strip() for f in ranked if (not at or f is not at[0]) and _distance(f.box, point) <= AROUND_PX]
    return Reading(
        label=label,
        nearby=tuple(text for text in near if text)[:NEARBY],
        read=True,
        knowledge=TextKnowledge.READ,
        text=" ".join(found.text.strip() for found in at),
    )


class TargetReader:
    """Reads one frame at a time; `begin` cancels the reading of the one before."""

    def __init__(self, reader: Reader | None, clock: Clock, channel: OperatorChannel) -> None:
        self._reader = reader
        self._clock = clock
        self._channel = channel
        self._whole: asyncio.Task[Sequence[TextBox] | None] | None = None

    async def begin(self, frame: Frame, *, whole: bool = True) -> None:
        """A new frame. With `whole`, all of it is read in the background, so that the text at a point is often known
        before it is asked for."""
        await self.close()
        if self._reader is not None and whole:
            self._whole = asyncio.create_task(self._read_whole(self._reader, frame), name="read-frame")

    async def at(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None) -> Reading:
        """The text at the first point; texts at the others count as nearby."""
        if not points:
            return Reading()
        known = list(frame.texts)
        told = label_at(known, points[0], box)
        if told.label and len(points) == 1:
            return told
        found = await self.near(frame, points)
        readings = [self._joined(known, text, point, box) for text, point in zip(found, points, strict=True)]
        others = tuple(r.label for r in readings[1:] if r.label)
        return replace(readings[0], nearby=(*others, *readings[0].nearby))

    async def near(
        self, frame: Frame, points: Sequence[NativePoint], extents: Sequence[Rect | None] = ()
    ) -> Sequence[PointText]:
        """What stands at each point and near it, read now and waited for at most `READ_WITHIN_S`.

        Args:
            frame: the frame to read.
            points: native pixels.
            extents: the control at each point, where it is known; () for none.
        """
        extents = extents or [None] * len(points)
        if self._reader is None:
            return [PointText(knowledge=TextKnowledge.UNREADABLE, extent=extent) for extent in extents]
        reading = asyncio.gather(
            *(self._reader.around(frame, point, extent) for point, extent in zip(points, extents, strict=True))
        )
        deadline = asyncio.ensure_future(self._clock.sleep(READ_WITHIN_S))
        try:
            waiting: set[asyncio.Future[Any]] = {reading, deadline}
            first = asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            await self._channel.run(first)
            if reading.done():
                return reading.result()
            return [PointText(knowledge=TextKnowledge.NOT_YET, extent=extent) for extent in extents]
        finally:
            await abandon(reading)
            await abandon(deadline)

    def at_hand(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None) -> Reading:
        """The text at the first point as far as it is known without waiting."""
        whole = self._texts_of_whole()
        if not points or (whole is None and not frame.texts):
            return Reading()
        reading = label_at([*frame.texts, *(whole or ())], points[0], box)
        return reading if whole is not None or reading.label else Reading(nearby=reading.nearby)

    async def close(self) -> None:
        """Cancel reading."""
        task, self._whole = self._whole, None
        if task is not None:
            await abandon(task)

    def _texts_of_whole(self) -> Sequence[TextBox] | None:
        whole = self._whole
        return whole.result() if whole is not None and whole.done() and not whole.cancelled() else None

    def _joined(self, known: Sequence[TextBox], found: PointText, point: NativePoint, box: Rect | None) -> Reading:
        reading = label_at([*known, *found.inside, *found.nearby], point, box)
        if found.knowledge is TextKnowledge.READ or label_at(known, point, box).label:
            return reading
        return replace(reading, read=False, knowledge=found.knowledge)

    async def _read_whole(self, reader: Reader, frame: Frame) -> Sequence[TextBox] | None:
        try:
            return await reader.read(frame)
        except (ConsoleError, OSError):
            _log.warning("the frame could not be read", exc_info=True)
            return None


def _distance(box: Rect, point: NativePoint) -> float:
    dx = max(box.x - point.x, 0, point.x - (box.right - 1))
    dy = max(box.y - point.y, 0, point.y - (box.bottom - 1))
    return math.hypot(dx, dy)
