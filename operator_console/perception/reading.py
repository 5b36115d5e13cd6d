"""Reads pictures in small steps, so that a crop does not have to wait for a whole frame. Runs in the OCR process.

`PictureReader.steps` is a generator that yields between two steps (detecting one band, recognising one segment), so
that the worker can switch to a more urgent job or drop a cancelled one. A whole frame is compared with earlier ones
and only the changed areas are read again; segments with equal pixels are recognised once. The caches are bounded.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Generator, Iterator
from typing import Protocol

import numpy as np

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.increments import areas_to_read, changed_tiles, overlaps_changed
from operator_console.perception.lines import (
    Pixels,
    Segment,
    mostly_inside,
    reading_order,
    split_area,
    without_duplicates,
    word_boxes,
)

MIN_CONFIDENCE = 0.6
_CACHED_SEGMENTS = 8192
_CACHED_FRAMES = 3
_BAND_ROWS = 256
_OVERLAP_ROWS = 32
_MAX_CHANGED_SHARE = 0.6

Steps = Generator[None, None, tuple[TextBox, ...]]


class Engine(Protocol):
    """The detection and recognition networks."""

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas of a BGR picture that contain text."""
        ...

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one segment (BGR pixels) and the confidence, 0..1."""
        ...


class PictureReader:
    """An engine with caches of the frames and segments it has read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._texts: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._frames: OrderedDict[bytes, tuple[Pixels, tuple[TextBox, ...]]] = OrderedDict()

    def steps(self, image: Pixels, *, whole: bool) -> Steps:
        """Read a BGRX picture. Yields between steps and returns the texts in reading order.

        Only whole frames (`whole`) are compared with earlier ones and cached.
        """
        if not whole:
            found = yield from self._read_area(image, Rect(0, 0, image.shape[1], image.shape[0]))
            return reading_order(found)
        key = hashlib.blake2b(image.tobytes(), digest_size=16).digest()
        if key in self._frames:
            self._frames.move_to_end(key)
            return self._frames[key][1]
        kept, areas = self._to_read(image)
        new: list[TextBox] = []
        for area in areas:
            new += yield from self._read_area(image, area)
        fresh = [box for box in new if not any(mostly_inside(box.box, old.box) for old in kept)]
        result = reading_order([*kept, *fresh])
        self._remember(key, image, result)
        return result

    def _to_read(self, image: Pixels) -> tuple[list[TextBox], list[Rect]]:
        """The texts of the most similar earlier frame that are still valid, and the areas left to read."""
        height, width = image.shape[:2]
        best = None
        for pixels, boxes in self._frames.values():
            if pixels.shape == image.shape:
                tiles = changed_tiles(pixels, image)
                if best is None or tiles.sum() < best[0].sum():
                    best = tiles, boxes
        if best is None or best[0].mean() > _MAX_CHANGED_SHARE:
            return [], [Rect(0, 0, width, height)]
        tiles, boxes = best
        kept = [box for box in boxes if not overlaps_changed(box.box, tiles)]
        return kept, areas_to_read(tiles, boxes, width, height)

    def _remember(self, key: bytes, image: Pixels, result: tuple[TextBox, ...]) -> None:
        self._frames[key] = (image, result)
        while len(self._frames) > _CACHED_FRAMES:
            self._frames.popitem(last=False)

    def _read_area(self, image: Pixels, area: Rect) -> Generator[None, None, list[TextBox]]:
        found: list[Segment] = []
        for band, core in _bands(area):
            colours = np.ascontiguousarray(image[band.y : band.bottom, band.x : band.right, :3])
            for text_area in self._engine.detect(colours):
                moved = text_area.moved(band.x, band.y)
                if core.contains(*moved.centre):
                    found += split_area(image, moved)
            yield
        boxes: list[TextBox] = []
        for segment in without_duplicates(found):
            box = self._read_segment(image, segment)
            if box is not None:
                boxes.append(box)
            yield
        return boxes

    def _read_segment(self, image: Pixels, segment: Segment) -> TextBox | None:
        crop = segment.crop.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
        colours = np.ascontiguousarray(image[crop.y : crop.bottom, crop.x : crop.right, :3])
        key = hashlib.blake2b(colours.tobytes(), digest_size=16, key=str(colours.shape).encode()).digest()
        known = self._texts.get(key)
        if known is None:
            known = self._engine.recognise(colours)
        self._texts[key] = known
        self._texts.move_to_end(key)
        while len(self._texts) > _CACHED_SEGMENTS:
            self._texts.popitem(last=False)
        text, confidence = known
        if not text or confidence < MIN_CONFIDENCE:
            return None
        parts = word_boxes(text, segment, confidence)
        return TextBox(text=text, box=segment.box, confidence=round(confidence, 3), parts=parts)


def _bands(area: Rect) -> Iterator[tuple[Rect, Rect]]:
    """Split an area into horizontal bands, as pairs of the band to detect in and its core.

    Small bands keep memory use low and steps short. Neighbouring bands overlap, so that a line cut by one is complete
    in the other; the band whose core contains the centre of a line reports it.
    """
    if area.height <= _BAND_ROWS + 2 * _OVERLAP_ROWS:
        yield area, area
        return
    for top in range(area.y, area.bottom, _BAND_ROWS):
        core = Rect(area.x, top, area.width, min(_BAND_ROWS, area.bottom - top))
        grown = Rect(area.x, top - _OVERLAP_ROWS, area.width, core.height + 2 * _OVERLAP_ROWS)
        yield grown.intersect(area), core
