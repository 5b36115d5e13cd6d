"""Reads the texts of a picture in small steps: finds text areas, splits them into segments and recognises these."""

from __future__ import annotations

import functools
import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.ocr.rapidocr_engine import MIN_CONFIDENCE
from operator_console.perception.ocr.tesseract_fallback import ScriptText, doubtful
from operator_console.perception.text_lines import (
    Pixels,
    Segment,
    chunks,
    joined,
    reading_order,
    split_area,
    without_duplicates,
    word_boxes,
)

_CACHED_SEGMENTS = 8192
# Small: short steps, and memory use grows with the area.
_TILE_WIDTH, _TILE_HEIGHT, _TILE_OVERLAP = 640, 192, 32
_MOST_INSIDE = 32
_NEAR_TILE_WIDTH = 336  # two of them, for two threads, cover what is looked at for a point
_MIN_LETTERS = 1.6  # narrower than this many heights: a drawing rather than text


class Engine(Protocol):
    """The detection and recognition networks; several threads may use them at once."""

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas of a BGR picture that contain text."""
        ...

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one segment (BGR pixels) and the confidence, 0..1."""
        ...


class Scripts(Protocol):
    """Reads scripts that the engine does not know."""

    @property
    def found_any(self) -> bool:
        """Whether a text in another script has been found yet."""
        ...

    def read(self, pieces: Sequence[Pixels]) -> Sequence[ScriptText | None]:
        """The text of each piece (BGR pixels); None where it cannot be read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureText:
    """The texts of a picture in reading order, and the places whose text, if any, is doubtful."""

    boxes: tuple[TextBox, ...] = ()
    unreadable: tuple[Rect, ...] = ()


A = TypeVar("A")
B = TypeVar("B")
Steps: TypeAlias = Generator[None, None, PictureText]


class Each(Protocol):
    """Applies a function to each item of a sequence, perhaps in several threads."""

    def __call__(self, work: Callable[[A], B], on: Sequence[A], /) -> Sequence[B]:
        """The results in the order of `on`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What was recognised of a segment."""

    segment: Segment
    text: str
    confidence: float
    doubtful: bool = False

    @property
    def known(self) -> bool:
        """Whether there is a text at all; it may be doubtful."""
        return bool(self.text) and self.confidence >= MIN_CONFIDENCE


class PictureReader:
    """An engine with a cache of the segments it has read. Several threads may read at once."""

    def __init__(self, engine: Engine, scripts: Scripts | None = None) -> None:
        self._engine = engine
        self._scripts = scripts
        self._texts: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._others: OrderedDict[bytes, ScriptText | None] = OrderedDict()
        self._lock = threading.Lock()

    def steps(self, image: Pixels) -> Steps:
        """Read all texts of a BGRX picture. Yields after each use of a network."""
        areas: list[Rect] = []
        for tile in _tiles(image, _TILE_WIDTH):
            areas = _with_continued(areas, self._detect(image, tile))
            yield
        lines: list[list[Piece]] = []
        for segment in self._segments(image, areas):
            lines.append([])
            for chunk in chunks(segment):
                lines[-1].append(self._piece(image, chunk))
                yield
        settled = iter(self._settled(image, [piece for line in lines for piece in line]))
        return _together([_line([next(settled) for _ in line]) for line in lines])

    def near(
        self, image: Pixels, wanted: Rect, nearest: int, each: Each = lambda work, on: [*map(work, on)]
    ) -> PictureText:
        """Read the texts that overlap `wanted` and the `nearest` others; of long lines only the part that is near.

        Args:
            image: BGRX picture.
            wanted: pixels of the picture. Of a great many texts in it, those in its middle are read, and the others
                count as unreadable.
            nearest: how many texts outside `wanted` are read.
            each: a `map`, which may use several threads.
        """
        areas: list[Rect] = []
        for found_in_tile in each(lambda tile: self._detect(image, tile), [*_tiles(image, _NEAR_TILE_WIDTH)]):
            areas = _with_continued(areas, found_in_tile)
        lines = [chunks(segment) for segment in self._segments(image, areas)]
        ranked = sorted((chunk for line in lines for chunk in line), key=lambda part: _gap(part.box, wanted))
        inside = sum(not part.box.intersect(wanted).empty for part in ranked)
        wanted_parts, others = ranked[:inside], ranked[inside:]
        chosen = [*wanted_parts[:_MOST_INSIDE], *others[:nearest]]
        pieces = each(lambda part: self._piece(image, part), chosen)
        # What the upper or lower edge cuts is no text that could be read.
        whole = [piece for piece in pieces if not _is_cut(piece.segment.box, image.shape[0])]
        read = {piece.segment.box: piece for piece in self._settled(image, whole)}
        found = [_line(run) for line in lines for run in _runs([read.get(chunk.box) for chunk in line])]
        unread = tuple(part.box for part in wanted_parts[_MOST_INSIDE:])
        return _together([*found, PictureText(unreadable=unread)])

    def _detect(self, image: Pixels, tile: Rect) -> list[Rect]:
        colours = np.ascontiguousarray(image[tile.y : tile.bottom, tile.x : tile.right, :3])
        return [area.moved(tile.x, tile.y) for area in self._engine.detect(colours)]

    def _segments(self, image: Pixels, areas: Sequence[Rect]) -> list[Segment]:
        return without_duplicates([segment for area in areas for segment in split_area(image, area)])

    def _settled(self, image: Pixels, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces, with what another reader made of the doubtful ones."""
        if self._scripts is None:
            return [*pieces]
        # A narrow piece is more often a drawing than a short word, unless there are words of another script.
        doubtful_ones = [p for p in pieces if p.doubtful and (_is_wide(p.segment.box) or self._scripts.found_any)]
        if not doubtful_ones:
            return [*pieces]
        keyed = [(piece, *_pixels_of(image, piece.segment)) for piece in doubtful_ones]
        with self._lock:
            new = [(key, colours) for _, key, colours in keyed if key not in self._others]
        for (key, _), text in zip(new, self._scripts.read([colours for _, colours in new]), strict=True):
            with self._lock:
                self._others[key] = text
                while len(self._others) > _CACHED_SEGMENTS:
                    self._others.popitem(last=False)
        with self._lock:
            better = {piece.segment.box: self._others.get(key) for piece, key, _ in keyed}
        return [_replaced(piece, better.get(piece.segment.box)) for piece in pieces]

    def _piece(self, image: Pixels, segment: Segment) -> Piece:
        key, colours = _pixels_of(image, segment)
        with self._lock:
            known = self._texts.get(key)
        if known is None:
            known = self._engine.recognise(colours)
        with self._lock:
            self._texts[key] = known
            self._texts.move_to_end(key)
            while len(self._texts) > _CACHED_SEGMENTS:
                self._texts.popitem(last=False)
        text, confidence = known
        drawing = confidence < MIN_CONFIDENCE and not _is_wide(segment.box)
        doubt = not drawing and doubtful(text, confidence, segment.box)
        return Piece(segment=segment, text=text, confidence=confidence, doubtful=doubt)


def _pixels_of(image: Pixels, segment: Segment) -> tuple[bytes, Pixels]:
    """A digest of the pixels of a segment, and these (BGR)."""
    crop = segment.crop.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
    colours = np.ascontiguousarray(image[crop.y : crop.bottom, crop.x : crop.right, :3])
    return hashlib.blake2b(colours.tobytes(), digest_size=16, key=str(colours.shape).encode()).digest(), colours


def _replaced(piece: Piece, text: ScriptText | None) -> Piece:
    """The piece with the other reader's text where that is more certain; else it stays as it is, and doubtful."""
    if text is None or text.confidence <= piece.confidence:
        return piece
    return Piece(segment=piece.segment, text=text.text, confidence=text.confidence)


def _is_cut(ink: Rect, height: int) -> bool:
    return ink.y <= 1 or ink.bottom >= height - 1


def _tiles(image: Pixels, tile_width: int) -> Iterator[Rect]:
    """Overlapping tiles that cover the picture; a small picture is one tile."""
    height, width = image.shape[:2]
    whole = Rect(0, 0, width, height)
    for y in _starts(height, _TILE_HEIGHT):
        for x in _starts(width, tile_width):
            yield Rect(x, y, tile_width, _TILE_HEIGHT).intersect(whole)


def _starts(length: int, tile: int) -> Iterator[int]:
    yield 0
    yield from range(tile - _TILE_OVERLAP, length - _TILE_OVERLAP, tile - _TILE_OVERLAP)


def _with_continued(areas: list[Rect], more: Sequence[Rect]) -> list[Rect]:
    """Add areas, joining each with those that it continues across the border between two tiles."""
    result = list(areas)
    for area in more:
        joined_area, kept = area, []
        for other in result:
            if _same_line(other, joined_area):
                joined_area = joined_area.union(other)
            else:
                kept.append(other)
        result = [*kept, joined_area]
    return result


def _same_line(a: Rect, b: Rect) -> bool:
    """Whether two areas overlap and have about the same height and vertical position."""
    common = a.intersect(b)
    return not common.empty and common.height >= 0.6 * max(a.height, b.height)


def _runs(line: Sequence[Piece | None]) -> list[list[Piece]]:
    """The stretches of consecutive pieces that were read."""
    runs: list[list[Piece]] = [[]]
    for piece in line:
        if piece is None:
            runs.append([])
        else:
            runs[-1].append(piece)
    return [run for run in runs if run]


def _line(pieces: Sequence[Piece]) -> PictureText:
    """The text of consecutive pieces of a line; what is unknown in it is a place of its own."""
    unreadable = tuple(piece.segment.box for piece in pieces if piece.doubtful)
    known = [piece for piece in pieces if piece.known]
    if not known:
        return PictureText(unreadable=unreadable)
    words = [
        box
        for piece in known
        for box in word_boxes(piece.text, piece.segment, piece.confidence)
        or (TextBox(text=piece.text, box=piece.segment.box, confidence=piece.confidence),)
    ]
    text = joined([(piece.text, piece.segment.box) for piece in known])
    line = TextBox(
        text=text,
        box=functools.reduce(Rect.union, [piece.segment.box for piece in known]),
        confidence=round(min(piece.confidence for piece in known), 3),
        parts=tuple(words) if len(words) > 1 and len(words) == len(text.split()) else (),
    )
    return PictureText(boxes=(line,), unreadable=unreadable)


def _is_wide(box: Rect) -> bool:
    return box.width >= _MIN_LETTERS * box.height


def _together(found: Sequence[PictureText]) -> PictureText:
    return PictureText(
        boxes=reading_order([box for each in found for box in each.boxes]),
        unreadable=tuple(place for each in found for place in each.unreadable),
    )


def _gap(box: Rect, wanted: Rect) -> float:
    """Distance of two rectangles in pixels, 0 where they overlap; then that of their centres, which breaks ties."""
    dx = max(box.x - wanted.right + 1, 0, wanted.x - box.right + 1)
    dy = max(box.y - wanted.bottom + 1, 0, wanted.y - box.bottom + 1)
    centres = math.hypot(box.centre[0] - wanted.centre[0], box.centre[1] - wanted.centre[1])
    return math.hypot(dx, dy) + centres / 10_000
