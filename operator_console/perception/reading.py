"""Reads pictures in small steps, so that a crop need not wait for a whole frame. Runs in the OCR process only.

`Reading.steps` is a generator: between two steps (one band detected, one piece recognised) the worker looks whether
something more urgent came or nobody waits any more. A whole frame is compared with those read before; only what changed
is read again, and a piece of equal pixels is never recognised twice. Memory is bounded.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Generator, Iterator
from typing import Protocol

import numpy as np

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.increments import areas_to_read, changed_tiles, touched
from operator_console.perception.lines import Piece, Pixels, inside, pieces, reading_order, without_doubles, words

MIN_CONFIDENCE = 0.6
_KEPT_PIECES = 8192
_KEPT_FRAMES = 3
_BAND_ROWS = 256
_OVERLAP_ROWS = 32
_MOST_CHANGED = 0.6

Steps = Generator[None, None, tuple[TextBox, ...]]


class Engine(Protocol):
    """What does the seeing (`ocr_engine.OcrEngine`)."""

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas that hold text."""
        ...

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one piece and the confidence."""
        ...


class Reading:
    """An engine with what it remembers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._texts: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._frames: OrderedDict[bytes, tuple[Pixels, tuple[TextBox, ...]]] = OrderedDict()

    def steps(self, image: Pixels, *, whole: bool) -> Steps:
        """Read a BGRX picture. Yields between steps; returns its texts in reading order."""
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
        fresh = [box for box in new if not any(inside(box.box, old.box) for old in kept)]
        result = reading_order([*kept, *fresh])
        self._remember(key, image, result)
        return result

    def _to_read(self, image: Pixels) -> tuple[list[TextBox], list[Rect]]:
        """What of an earlier frame still holds, and what is left to read."""
        height, width = image.shape[:2]
        best = None
        for pixels, boxes in self._frames.values():
            if pixels.shape == image.shape:
                tiles = changed_tiles(pixels, image)
                if best is None or tiles.sum() < best[0].sum():
                    best = tiles, boxes
        if best is None or best[0].mean() > _MOST_CHANGED:
            return [], [Rect(0, 0, width, height)]
        tiles, boxes = best
        kept = [box for box in boxes if not touched(box.box, tiles)]
        return kept, areas_to_read(tiles, boxes, width, height)

    def _remember(self, key: bytes, image: Pixels, result: tuple[TextBox, ...]) -> None:
        self._frames[key] = (image, result)
        while len(self._frames) > _KEPT_FRAMES:
            self._frames.popitem(last=False)

    def _read_area(self, image: Pixels, area: Rect) -> Generator[None, None, list[TextBox]]:
        found: list[Piece] = []
        for band, core in _bands(area):
            colours = np.ascontiguousarray(image[band.y : band.bottom, band.x : band.right, :3])
            for text_area in self._engine.detect(colours):
                moved = text_area.moved(band.x, band.y)
                if core.contains(*moved.centre):
                    found += pieces(image, moved)
            yield
        boxes: list[TextBox] = []
        for piece in without_doubles(found):
            box = self._read_piece(image, piece)
            if box is not None:
                boxes.append(box)
            yield
        return boxes

    def _read_piece(self, image: Pixels, piece: Piece) -> TextBox | None:
        crop = piece.crop.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
        colours = np.ascontiguousarray(image[crop.y : crop.bottom, crop.x : crop.right, :3])
        key = hashlib.blake2b(colours.tobytes(), digest_size=16, key=str(colours.shape).encode()).digest()
        known = self._texts.get(key)
        if known is None:
            known = self._engine.recognise(colours)
        self._texts[key] = known
        self._texts.move_to_end(key)
        while len(self._texts) > _KEPT_PIECES:
            self._texts.popitem(last=False)
        text, confidence = known
        if not text or confidence < MIN_CONFIDENCE:
            return None
        parts = words(text, piece, confidence)
        return TextBox(text=text, box=piece.box, confidence=round(confidence, 3), parts=parts)


def _bands(area: Rect) -> Iterator[tuple[Rect, Rect]]:
    """Bands of an area with what each answers for: small ones keep memory low and a crop from waiting.

    Neighbours overlap, so that a line cut by one is whole in the other; a line belongs to the band of its middle.
    """
    if area.height <= _BAND_ROWS + 2 * _OVERLAP_ROWS:
        yield area, area
        return
    for top in range(area.y, area.bottom, _BAND_ROWS):
        core = Rect(area.x, top, area.width, min(_BAND_ROWS, area.bottom - top))
        grown = Rect(area.x, top - _OVERLAP_ROWS, area.width, core.height + 2 * _OVERLAP_ROWS)
        yield grown.intersect(area), core
