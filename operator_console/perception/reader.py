"""`OcrReader`: reads text from frames. Implements `engine.ports.Reader`.

OCR runs in its own process, started at the first read, so that it never blocks the event loop or the window. Results
are cached by picture.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Sequence

from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.perception import fields, icons
from operator_console.perception.ocr.client import OcrProcess, WorkerDied

_CACHED_READS = 32
_MARGINS_X, _MARGIN_Y = (32, 128, 512), 12
_AT_EDGE = 4
_AROUND = 160
_ATTEMPTS = 2
_WARM_UP_SIZE = Size(64, 32)

_Key = tuple[str, Size, Rect | None]


class OcrReader:
    """Reads text, with its OCR process and a cache of results. Use from one event loop; `close` it at the end."""

    def __init__(self) -> None:
        self._process = OcrProcess()
        self._known: OrderedDict[_Key, tuple[TextBox, ...]] = OrderedDict()
        self._running: dict[_Key, asyncio.Task[tuple[TextBox, ...]]] = {}
        self._waiters: dict[_Key, int] = {}

    async def warm_up(self) -> None:
        """Start the process and load its networks (1 to 2 s), so that the first read is fast.

        Raises OperatorError if OCR does not work.
        """
        await self._read_pixels(bytes(4 * _WARM_UP_SIZE.width * _WARM_UP_SIZE.height), _WARM_UP_SIZE, whole=False)

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """Read the texts of a frame, in reading order.

        Args:
            frame: the frame to read.
            region: native pixels; None for the whole frame.

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

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """The input field beside, below or around a label, native pixels; None if there is none."""
        return fields.field_of(frame, label)

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        """What a drawn icon in an extent or at a point (native pixels) stands for, as of `Control.icon`; takes
        milliseconds."""
        return icons.icon_at(frame, place)

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        """What stands at a point of the frame and near it; UNREADABLE where reading fails."""
        square = Rect.around(point, _AROUND, frame.geometry.native)
        try:
            boxes = await self.read(frame, square if extent is None else square.union(extent))
        except OperatorError:
            return PointText(knowledge=TextKnowledge.UNREADABLE, extent=extent)
        return PointText.of(boxes, point, extent, TextKnowledge.READ)

    def box(self, frame: Frame, point: NativePoint) -> Rect | None:
        """The control that the picture shows around a point, native pixels; None where it shows none."""
        return fields.box_around(frame, point)

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
            reading = self._read_area(frame, area, whole=True) if key[2] is None else self._read_region(frame, area)
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

    async def _read_region(self, frame: Frame, region: Rect) -> tuple[TextBox, ...]:
        """The complete texts that overlap a region: the crop grows until its edge cuts none."""
        boxes: tuple[TextBox, ...] = ()
        for margin_x in _MARGINS_X:
            area = _grown(region, margin_x, frame.geometry.native)
            boxes = _within(await self._read_area(frame, area, whole=False), region)
            if not any(_touches_edge(box.box, area, frame.geometry.native) for box in boxes):
                break
        return boxes

    async def _read_area(self, frame: Frame, area: Rect, *, whole: bool) -> tuple[TextBox, ...]:
        pixels = bytes(frame.pixels) if whole else frame.crop(area)
        boxes = await self._read_pixels(pixels, area.size, whole=whole)
        return boxes if whole else tuple(_moved(box, area.x, area.y) for box in boxes)

    async def _read_pixels(self, pixels: bytes, size: Size, *, whole: bool) -> tuple[TextBox, ...]:
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(WorkerDied):  # the next attempt starts a new process
                return await self._process.read(pixels, size, whole=whole)
        raise OperatorError(
            "Text on the screen cannot be read.",
            detail=f"The OCR process failed {_ATTEMPTS} times. {self._process.last_words}".strip(),
            remedy="Check that the rapidocr and onnxruntime packages are installed and that memory is free.",
        )


def _grown(region: Rect, margin_x: int, native: Size) -> Rect:
    """Add a margin, so that a word at the edge is complete."""
    wide = Rect(region.x - margin_x, region.y - _MARGIN_Y, region.width + 2 * margin_x, region.height + 2 * _MARGIN_Y)
    return wide.intersect(Rect(0, 0, native.width, native.height))


def _touches_edge(box: Rect, area: Rect, native: Size) -> bool:
    """Whether the box touches the left or right edge of the area and the picture goes on beyond it."""
    left = box.x - area.x < _AT_EDGE and area.x > 0
    right = area.right - box.right < _AT_EDGE and area.right < native.width
    return left or right


def _within(boxes: Sequence[TextBox], region: Rect) -> tuple[TextBox, ...]:
    return tuple(box for box in boxes if not box.box.intersect(region).empty)


def _moved(box: TextBox, dx: int, dy: int) -> TextBox:
    parts = tuple(_moved(part, dx, dy) for part in box.parts)
    return TextBox(text=box.text, box=box.box.moved(dx, dy), confidence=box.confidence, source=box.source, parts=parts)
