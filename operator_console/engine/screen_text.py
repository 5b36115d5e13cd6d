"""The texts around a target: as the computer knows them, else as the reader reads them off the frame, in bounded time.

When an action names points, what stands there is read before anything else. The whole frame is read in the background
while the model thinks, where something may need it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.elements import REACH_PX, PointText, TextKnowledge
from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.operator_channel import abandon, done_within
from operator_console.engine.ports import Clock, Reader

_log = logging.getLogger(__name__)

READ_WITHIN_S = 2.0
"""Enough on a busy machine; an idle one needs a tenth of it. What is not read by then is judged as unknown."""
READ_AGAIN_S = 20.0
"""For what would be asked about because it was not read in time: on a machine that is fifteen times overloaded, 8 s
were mostly too short. A person takes longer."""


def label_at(boxes: Sequence[TextBox], point: NativePoint, box: Rect | None = None) -> str:
    """The text at `point`: the nearest of `boxes`, else one that the model's `box` contains."""
    here = Rect(point.x, point.y, 1, 1)
    ranked = sorted(boxes, key=lambda found: (found.box.distance(here), found.box.width * found.box.height))
    at = [found for found in ranked if found.box.distance(here) <= REACH_PX]
    if not at and box is not None:
        at = [found for found in ranked if box.contains(*found.box.centre)]
    return at[0].text.strip() if at else ""


class TargetReader:
    """Reads one frame at a time; `begin` cancels the reading of the one before. `within_s` is how long it is waited
    for."""

    def __init__(self, reader: Reader | None, clock: Clock) -> None:
        self.within_s = READ_WITHIN_S
        self._reader = reader
        self._clock = clock
        self._whole: asyncio.Task[Sequence[TextBox] | None] | None = None

    async def begin(self, frame: Frame, *, whole: bool = True) -> None:
        """A new frame. With `whole`, all of it is read in the background, so that the text at a point is often known
        before it is asked for."""
        await self.close()
        if self._reader is not None and whole:
            self._whole = asyncio.create_task(self._read_whole(self._reader, frame), name="read-frame")

    async def near(
        self, frame: Frame, points: Sequence[NativePoint], extents: Sequence[Rect | None] = ()
    ) -> Sequence[PointText]:
        """What stands at each point and near it, read now and waited for at most `within_s`.

        Args:
            frame: the frame to read.
            points: native pixels.
            extents: the control at each point, where it is known; () for none.
        """
        extents = extents or [None] * len(points)
        if self._reader is None:
            return self.at_hand(frame, points, extents)
        reading = asyncio.gather(
            *(self._reader.around(frame, point, extent) for point, extent in zip(points, extents, strict=True))
        )
        try:
            if not await done_within(reading, self._clock, self.within_s):
                return self.at_hand(frame, points, extents)
            return [_with_known(frame, point, found) for point, found in zip(points, reading.result(), strict=True)]
        finally:
            await abandon(reading)

    def at_hand(
        self, frame: Frame, points: Sequence[NativePoint], extents: Sequence[Rect | None] = ()
    ) -> Sequence[PointText]:
        """What is known without waiting of what stands at each point and near it."""
        whole = self._texts_of_whole()
        if whole is not None:
            knowledge = TextKnowledge.READ
        else:
            knowledge = TextKnowledge.UNREADABLE if self._unreadable() else TextKnowledge.NOT_YET
        extents = extents or [None] * len(points)
        return [
            _with_known(frame, point, PointText.of(whole or (), point, area, knowledge))
            for point, area in zip(points, extents, strict=True)
        ]

    async def close(self) -> None:
        """Cancel reading."""
        task, self._whole = self._whole, None
        if task is not None:
            await abandon(task)

    def _texts_of_whole(self) -> Sequence[TextBox] | None:
        """The texts of the whole frame; None where it is not read, or the reader failed."""
        whole = self._whole
        return whole.result() if whole is not None and whole.done() and not whole.cancelled() else None

    def _unreadable(self) -> bool:
        whole = self._whole
        failed = whole is not None and whole.done() and not whole.cancelled() and whole.result() is None
        return self._reader is None or failed

    async def _read_whole(self, reader: Reader, frame: Frame) -> Sequence[TextBox] | None:
        try:
            return await reader.read(frame)
        except (ConsoleError, OSError):
            _log.warning("the frame could not be read", exc_info=True)
            return None


def _with_known(frame: Frame, point: NativePoint, found: PointText) -> PointText:
    """The texts that were read, and those that the computer knows; one at the point is what is there."""
    if not frame.texts:
        return found
    here = Rect(point.x, point.y, 1, 1)
    told = any(box.box.distance(here) <= REACH_PX for box in frame.texts)
    known = PointText.of(frame.texts, point, found.extent, found.knowledge)
    return replace(
        found, knowledge=TextKnowledge.READ if told else found.knowledge, inside=(*known.inside, *found.inside),
        nearby=(*known.nearby, *found.nearby),
    )  # fmt: skip
