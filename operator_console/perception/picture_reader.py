"""`OcrReader`: reads text from frames. Implements `engine.ports.Reader`.

OCR runs in its own process, started at the first read, so that it never blocks the event loop or the window. What is
asked of a point or a region is read at once. A whole frame is read in small parts of low priority, and only where it
has changed since it was read last.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from operator_console.domain.elements import AROUND_PX, REACH_PX, PointText, TextKnowledge
from operator_console.domain.environment import BLAS_ALONE, without_keys
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.perception import fields, icons
from operator_console.perception.boxes import box_around
from operator_console.perception.carets import caret_between
from operator_console.perception.child_process import ChildDied, ChildProcess
from operator_console.perception.known_texts import KnownTexts
from operator_console.perception.ocr.messages import CancelRequest, ReadReply, ReadRequest
from operator_console.perception.text_lines import Pixels, mostly_inside, reading_order

WORKER_MODULE = "operator_console.perception.ocr.worker"
_log = logging.getLogger(__name__)

_CACHED_READS = 32
_CACHED_SIZES = 2
_MARGINS_X, _MARGIN_Y = (32, 128, 512), 12
_AT_EDGE = 4
_ATTEMPTS = 2
_GRACE_S = 2.0
_WARM_UP_SIZE = Size(64, 32)

_BAND_ROWS = 128
_BAND_MARGIN = 32

_NEAREST = 4
_POINT_CROP = Size(640, 192)
_LARGEST_CROP = Size(1280, 384)
_CONTROL_MARGIN = 24

_Key = tuple[str, Size, Rect | None]


class OcrReader:
    """Reads text, with its OCR process and a cache of results. Use from one event loop; `close` it at the end."""

    def __init__(self) -> None:
        environment = {**without_keys(os.environ), **BLAS_ALONE}
        self._process = ChildProcess("OCR", ReadReply, lambda: ["-m", WORKER_MODULE], environment, grace_s=_GRACE_S)
        self._known: OrderedDict[_Key, tuple[TextBox, ...]] = OrderedDict()
        self._screens: OrderedDict[Size, KnownTexts] = OrderedDict()
        self._points: OrderedDict[tuple[str, NativePoint, Rect | None], PointText] = OrderedDict()
        self._running: dict[_Key, asyncio.Task[tuple[TextBox, ...]]] = {}
        self._waiters: dict[_Key, int] = {}
        self._one_whole = asyncio.Lock()

    async def warm_up(self) -> None:
        """Start the process and load its networks (1 to 2 s), so that the first read is fast.

        Raises OperatorError if OCR does not work.
        """
        await self._ask(bytes(4 * _WARM_UP_SIZE.width * _WARM_UP_SIZE.height), _WARM_UP_SIZE, urgent=True)

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """Read the texts of a frame, in reading order.

        Args:
            frame: the frame to read.
            region: native pixels, read at once; None for the whole frame, which gives way to other reads. What has
                been read of it stays known where reading is cancelled.

        Returns:
            Texts that overlap the region, each complete, with boxes in native pixels of the frame.

        Raises:
            OperatorError: OCR does not work.
        """
        native = frame.geometry.native
        whole = (frame.frame_id, native, None)
        if region is None:
            return await self._shared(whole, frame, Rect(0, 0, native.width, native.height))
        region = region.intersect(Rect(0, 0, native.width, native.height))
        if region.empty:
            return ()
        if whole in self._known:
            return _within(self._known[whole], region)
        return await self._shared((frame.frame_id, native, region), frame, region)

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        """What stands at a point and near it, read before anything else. See `engine.ports.Reader`."""
        key = (frame.frame_id, point, extent)
        if key in self._points:
            return self._points[key]
        found = self._known_around(frame, point, extent)
        if found is None:
            try:
                found = await self._read_around(frame, point, extent)
            except (OperatorError, OSError):
                _log.warning("the text at a point could not be read", exc_info=True)
                return PointText(knowledge=TextKnowledge.UNREADABLE, extent=extent)
        self._points[key] = found
        while len(self._points) > _CACHED_READS:
            self._points.popitem(last=False)
        return found

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field beside, below or around a label, native pixels; None if there is none."""
        return fields.field_of(frame, label)

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        """What a drawn icon in an extent or at a point (native pixels) stands for, as of `Control.icon`; takes
        milliseconds."""
        return icons.icon_at(frame, place)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        """The box that the picture shows around a point. See `engine.ports.Reader`."""
        return box_around(frame, point)

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        """The caret that blinks between two pictures. See `engine.ports.Reader`."""
        return caret_between(before, now)

    async def close(self) -> None:
        """Cancel pending reads and end the process."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self._process.close()

    async def _shared(self, key: _Key, frame: Frame, area: Rect) -> tuple[TextBox, ...]:
        """Read an area once for all callers that wait for it; cancelled when the last of them is."""
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        task = self._running.get(key)
        if task is None:
            reading = self._read_whole(frame) if key[2] is None else self._read_region(frame, area)
            task = asyncio.create_task(reading, name="ocr read")
            self._running[key] = task
            task.add_done_callback(lambda done: self._finished(key, done))
        self._waiters[key] = self._waiters.get(key, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiters[key] -= 1
            if not self._waiters[key]:
                del self._waiters[key]
                task.cancel()  # no effect if it is done
                if self._running.get(key) is task:
                    del self._running[key]

    def _finished(self, key: _Key, task: asyncio.Task[tuple[TextBox, ...]]) -> None:
        if self._running.get(key) is task:
            del self._running[key]
        if not task.cancelled() and task.exception() is None:
            self._known[key] = task.result()
            while len(self._known) > _CACHED_READS:
                self._known.popitem(last=False)

    async def _read_whole(self, frame: Frame) -> tuple[TextBox, ...]:
        async with self._one_whole:
            image, native = _image(frame), frame.geometry.native
            texts = self._texts_of(native)
            for area in await asyncio.to_thread(texts.unread, image):
                for core in _bands(area):
                    band = _grown(core, _BAND_MARGIN, _BAND_MARGIN, native)
                    reply = await self._ask(frame.crop(band), band.size, urgent=False)
                    boxes, unreadable = _in_frame(reply, band)
                    texts.add(image, core, _within(boxes, core), [p for p in unreadable if not p.intersect(core).empty])
            return reading_order(texts.boxes)

    def _texts_of(self, size: Size) -> KnownTexts:
        if size not in self._screens:
            self._screens[size] = KnownTexts(size)
            while len(self._screens) > _CACHED_SIZES:
                self._screens.popitem(last=False)
        self._screens.move_to_end(size)
        return self._screens[size]

    async def _read_region(self, frame: Frame, region: Rect) -> tuple[TextBox, ...]:
        """The complete texts that overlap a region: the crop grows until its edge cuts none."""
        boxes: tuple[TextBox, ...] = ()
        for margin_x in _MARGINS_X:
            area = _grown(region, margin_x, _MARGIN_Y, frame.geometry.native)
            found, _ = _in_frame(await self._ask(frame.crop(area), area.size, urgent=True), area)
            boxes = _within(found, region)
            if not any(_touches_edge(box.box, area, frame.geometry.native) for box in boxes):
                break
        return boxes

    def _known_around(self, frame: Frame, point: NativePoint, extent: Rect | None) -> PointText | None:
        """The same from what was read before; None where something is missing."""
        native = frame.geometry.native
        area = _crop_for(point, extent, native)
        texts = self._screens.get(native)
        if texts is None or not texts.covers(_image(frame), area):
            return None
        return _point_text(_within(texts.boxes, area), texts.unreadable, point, extent)

    async def _read_around(self, frame: Frame, point: NativePoint, extent: Rect | None) -> PointText:
        native = frame.geometry.native
        wanted = _wanted(point, extent)
        area = _crop_for(point, extent, native)
        while True:
            local = wanted.moved(-area.x, -area.y)
            reply = await self._ask(frame.crop(area), area.size, urgent=True, wanted=local, nearest=_NEAREST)
            found = _point_text(*_in_frame(reply, area), point, extent)
            larger = _grown(area, area.width // 2, 0, native)
            # A line that only touches the control, as one above it does, is read no further.
            cut = any(_touches_edge(box.box, area, native) for box in found.inside)
            if not cut or larger.width > 2 * _LARGEST_CROP.width or larger == area:
                break
            area = larger
        visible = wanted.intersect(Rect(0, 0, native.width, native.height))
        if visible.intersect(area) != visible and found.knowledge is TextKnowledge.READ:
            return replace(found, knowledge=TextKnowledge.NOT_YET)  # the control is larger than what was looked at
        return found

    async def _ask(
        self, pixels: bytes, size: Size, *, urgent: bool, wanted: Rect | None = None, nearest: int = 0
    ) -> ReadReply:
        """Have a picture (BGRX rows) read; arguments as of `ReadRequest`. Cancelling also cancels the job."""
        for _ in range(_ATTEMPTS):
            job = self._process.new_job()
            request = ReadRequest(
                job=job, width=size.width, height=size.height, urgent=urgent, wanted=wanted, nearest=nearest,
                payload=len(pixels),
            )  # fmt: skip
            with contextlib.suppress(ChildDied):  # the next attempt starts a new process
                try:
                    reply = await self._process.ask(job, request, pixels)
                except asyncio.CancelledError:
                    self._process.tell(CancelRequest(job=job))
                    raise
                if not reply.error:
                    return reply
                self._process.last_words = reply.error
        raise OperatorError(
            notice(NoticeCode.SCREEN_TEXT_UNREADABLE),
            detail=joined(notice(NoticeCode.OCR_FAILED, count=_ATTEMPTS), self._process.last_words),
            remedy=notice(NoticeCode.OCR_REMEDY),
        )


def _image(frame: Frame) -> Pixels:
    """The frame's pixels as rows of BGRX, not copied."""
    native = frame.geometry.native
    return np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)


def _bands(area: Rect) -> Iterator[Rect]:
    """Horizontal strips of an area: small jobs, so that what has been read is known soon and memory use is low."""
    for top in range(area.y, area.bottom, _BAND_ROWS):
        yield Rect(area.x, top, area.width, min(_BAND_ROWS, area.bottom - top))


def _wanted(point: NativePoint, extent: Rect | None) -> Rect:
    """What belongs to the point: its control, or what it touches."""
    return extent or Rect(point.x - REACH_PX, point.y - REACH_PX, 2 * REACH_PX + 1, 2 * REACH_PX + 1)


def _crop_for(point: NativePoint, extent: Rect | None, native: Size) -> Rect:
    """The area to look at for a point: around it, and around its control unless that is very large."""
    centred = Rect(
        point.x - _POINT_CROP.width // 2, point.y - _POINT_CROP.height // 2, _POINT_CROP.width, _POINT_CROP.height
    )
    if extent is not None:
        largest = Rect(
            point.x - _LARGEST_CROP.width // 2,
            point.y - _LARGEST_CROP.height // 2,
            _LARGEST_CROP.width,
            _LARGEST_CROP.height,
        )
        control = _grown(extent, _CONTROL_MARGIN, _CONTROL_MARGIN, native)
        centred = centred.union(control.intersect(largest))
    return centred.intersect(Rect(0, 0, native.width, native.height))


def _point_text(
    boxes: Sequence[TextBox], unreadable: Sequence[Rect], point: NativePoint, extent: Rect | None
) -> PointText:
    at = Rect(point.x, point.y, 1, 1)
    boxes = [box for box in boxes if not any(mostly_inside(place, box.box) for place in unreadable)]
    if extent is None:
        inside = [box for box in boxes if box.box.distance(at) <= REACH_PX]
        blind = any(place.distance(at) <= REACH_PX for place in unreadable)
    else:
        inside = [box for box in boxes if extent.contains(*box.box.centre) or mostly_inside(box.box, extent)]
        blind = any(extent.contains(*place.centre) for place in unreadable)
    # The label of a wide field may be far from the point.
    around = extent or at
    others = sorted((box for box in boxes if box not in inside), key=lambda box: box.box.distance(around))
    return PointText(
        knowledge=TextKnowledge.UNREADABLE if blind else TextKnowledge.READ,
        extent=extent,
        inside=reading_order(inside),
        nearby=tuple(box for box in others if box.box.distance(around) <= AROUND_PX)[:_NEAREST],
    )


def _grown(region: Rect, margin_x: int, margin_y: int, native: Size) -> Rect:
    """Add a margin, so that a word at the edge is complete."""
    wide = Rect(region.x - margin_x, region.y - margin_y, region.width + 2 * margin_x, region.height + 2 * margin_y)
    return wide.intersect(Rect(0, 0, native.width, native.height))


def _touches_edge(box: Rect, area: Rect, native: Size) -> bool:
    """Whether the box touches the left or right edge of the area and the picture goes on beyond it."""
    left = box.x - area.x < _AT_EDGE and area.x > 0
    right = area.right - box.right < _AT_EDGE and area.right < native.width
    return left or right


def _within(boxes: Iterable[TextBox], region: Rect) -> tuple[TextBox, ...]:
    return tuple(box for box in boxes if not box.box.intersect(region).empty)


def _in_frame(reply: ReadReply, area: Rect) -> tuple[tuple[TextBox, ...], tuple[Rect, ...]]:
    """Texts and unreadable places of a crop, in pixels of the frame."""
    boxes = tuple(_moved(box, area.x, area.y) for box in reply.boxes)
    return boxes, tuple(place.moved(area.x, area.y) for place in reply.unreadable)


def _moved(box: TextBox, dx: int, dy: int) -> TextBox:
    parts = tuple(_moved(part, dx, dy) for part in box.parts)
    return TextBox(text=box.text, box=box.box.moved(dx, dy), confidence=box.confidence, source=box.source, parts=parts)
