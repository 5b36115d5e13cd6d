"""`PageReader`: the texts of a page as the page itself tells them. Implements `engine.ports.Reader`.

Only a picture in the page is read by text recognition, and the page where it does not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from operator_console.domain.elements import REACH_PX, PointText, TextKnowledge
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect

_LEAST_PX = 12
"""A smaller picture holds no text."""


class TellsTexts(Protocol):
    """A page that tells its texts."""

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text that can be seen, and the pictures; None where the page does not answer in time."""
        ...


class PictureReader(Protocol):
    """Reads the pixels of frames."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """The texts in a region. Raises OperatorError."""
        ...

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        """What stands at a point and near it."""
        ...

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field of a label."""
        ...

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        """What a drawn icon stands for."""
        ...

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        """The box around a point."""
        ...

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        """The caret that blinks between two pictures."""
        ...


class PageReader:
    """Reads one browser's pages.

    Args:
        page: tells its texts.
        pictures: reads what is only drawn; it outlives this.
    """

    def __init__(self, page: TellsTexts, pictures: PictureReader) -> None:
        self._page = page
        self._pictures = pictures

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """The texts in a region (None: everywhere), native pixels, reading order. Raises OperatorError."""
        told = await self._page.texts(frame)
        if told is None:
            return await self._pictures.read(frame, region)
        boxes, drawn = told
        found = [each for each in boxes if region is None or not each.box.intersect(region).empty]
        for picture in drawn if region is not None else ():
            part = picture.intersect(region or picture)
            if _may_hold_text(part) and not any(part.contains(*each.box.centre) for each in found):
                found += await self._pictures.read(frame, part)
        return sorted(found, key=lambda each: (each.box.centre[1] // max(1, each.box.height), each.box.x))

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        """What stands at a point of the frame and near it. Never raises."""
        told = await self._page.texts(frame)
        if told is None:
            return await self._pictures.around(frame, point, extent)
        boxes, drawn = told
        found = PointText.of(boxes, point, extent, TextKnowledge.READ)
        here = extent or Rect(point.x - REACH_PX, point.y - REACH_PX, 2 * REACH_PX, 2 * REACH_PX)
        if not found.inside and any(_may_hold_text(each) and not each.intersect(here).empty for each in drawn):
            return await self._pictures.around(frame, point, extent)
        return found

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field of a label, native pixels; None if there is none."""
        return self._pictures.field(frame, label)

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        """What a drawn icon in an extent or at a point stands for, as of `Control.icon`."""
        return self._pictures.icon(frame, place)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        """The box that the picture shows around a point. See `engine.ports.Reader`."""
        return self._pictures.box_around(frame, point)

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        """The caret that blinks between two pictures. See `engine.ports.Reader`."""
        return self._pictures.caret(before, now)

    async def close(self) -> None:
        """Nothing: what reads pictures outlives it."""


def _may_hold_text(picture: Rect) -> bool:
    return picture.width >= _LEAST_PX and picture.height >= _LEAST_PX
