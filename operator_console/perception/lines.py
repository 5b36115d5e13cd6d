"""From detected text areas to pieces of text: what belongs together on a screen, with exact boxes.

A detector of running text joins what stands in one row: "File Edit View" comes as one line. On a screen a wide gap
separates things that are clicked apart, so an area is cut where its background shows through for longer than a letter
is high, and the box is drawn in to the ink. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect

Pixels: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]

_CONTRAST = 32
_MIN_GAP = 9
_GAP_PER_HEIGHT = 1.05
_MARGIN = 3
_RULE_PER_HEIGHT, _RULE_PER_WIDTH, _THICK = 0.9, 0.75, 0.5
_UPRIGHT_PER_LETTER, _UPRIGHT_PER_AREA, _UPRIGHT_WIDTH = 1.2, 0.58, 2
_FAIR_ROW = 0.15
_FRAME_PER_HEIGHT = 1.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing to read.

    Attributes:
        box: around the ink.
        crop: what the recogniser is given (the ink with the room the detector left around it).
        gaps: blank runs of columns inside the box, (first, past the last), left to right.
    """

    box: Rect
    crop: Rect
    gaps: tuple[tuple[int, int], ...]


def pieces(image: Pixels, area: Rect) -> list[Piece]:
    """Cut one detected area of a BGR(X) picture into pieces, left to right."""
    area = area.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
    if area.empty:
        return []
    ink, walls = _ink(image[area.y : area.bottom, area.x : area.right, :3])
    if not ink.any():
        return []
    height = _letter_height(ink)
    columns: Mask = np.asarray(ink.any(axis=0))
    gap = max(_MIN_GAP, _GAP_PER_HEIGHT * height)
    found = [_piece(ink, area, group) for group in _groups(columns, walls, gap)]
    return [piece for piece in found if not _border(piece.box, height)]


def _letter_height(ink: Mask) -> int:
    """How high the letters are: the rows that hold a fair part of the ink."""
    per_row = ink.sum(axis=1)
    rows = np.flatnonzero(per_row >= _FAIR_ROW * per_row.max())
    return int(rows[-1] - rows[0]) + 1


def _border(box: Rect, height: int) -> bool:
    """Whether it is a bit of a neighbour's frame: narrow, and higher than the letters."""
    return box.width < height and box.height > _FRAME_PER_HEIGHT * height


def _ink(crop: Pixels) -> tuple[Mask, Mask]:
    """Which pixels are not background, ruled lines (borders, underlines) left out; and columns that are borders."""
    wide = crop.astype(np.int32)
    keys = (wide[..., 0] >> 3) << 10 | (wide[..., 1] >> 3) << 5 | wide[..., 2] >> 3
    common = int(np.bincount(keys.ravel(), minlength=1 << 15).argmax())
    background = np.median(wide[keys == common], axis=0)
    ink: Mask = np.abs(wide - background).max(axis=2) > _CONTRAST
    flat = _flat_rules(ink)
    upright = _upright_rules(np.asarray(ink & ~_grown(flat)))
    rules = np.asarray(flat | upright)
    return _between(np.asarray(ink & ~_grown(rules)), flat), np.asarray(upright.any(axis=0))


def _between(ink: Mask, rules: Mask) -> Mask:
    """Only the strip with the most ink, where rules go from side to side: what lies beyond is another thing."""
    across = np.flatnonzero(rules.mean(axis=1) >= _RULE_PER_WIDTH)
    if across.size:
        edges = [0, *across.tolist(), len(ink)]
        top, bottom = max(pairwise(edges), key=lambda strip: int(ink[strip[0] : strip[1]].sum()))
        ink[:top], ink[bottom:] = False, False
    return ink


def _flat_rules(ink: Mask) -> Mask:
    """Horizontal borders and underlines: thin straight runs that are longer than any stroke of a letter."""
    height, width = ink.shape
    rules = np.zeros_like(ink)
    longest = min(_RULE_PER_HEIGHT * height, _RULE_PER_WIDTH * width)
    padded = np.pad(ink, ((2, 2), (0, 0)))
    for row in np.flatnonzero(ink.sum(axis=1) >= longest).tolist():
        for start, end in _runs(ink[row]):
            above, below = padded[row, start:end].mean(), padded[row + 4, start:end].mean()
            if end - start >= longest and max(above, below) < _THICK:
                rules[row, start:end] = True
    return rules


def _upright_rules(ink: Mask) -> Mask:
    """Vertical borders: thin, and higher than the letters."""
    rules = np.zeros_like(ink)
    if ink.any():
        tallest = max(_UPRIGHT_PER_LETTER * _letter_height(ink), _UPRIGHT_PER_AREA * len(ink))
        for start, end in _runs(np.asarray(ink.sum(axis=0) > tallest)):
            if end - start <= _UPRIGHT_WIDTH:
                rules[:, start:end] = ink[:, start:end]
    return rules


def _grown(mask: Mask) -> Mask:
    """With one pixel around: what a rounded corner leaves of a border."""
    wide = np.pad(mask, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    return np.asarray(rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:])


def _runs(line: Mask) -> list[tuple[int, int]]:
    """Runs of True, (first, past the last)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], line, [False])).astype(np.int8))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _groups(columns: Mask, walls: Mask, gap: float) -> list[list[tuple[int, int]]]:
    """Runs of inked columns, grouped where less than `gap` and no border lies between them."""
    groups: list[list[tuple[int, int]]] = []
    for start, end in _runs(columns):
        last = groups[-1][-1][1] if groups else start
        if groups and start - last <= gap and not walls[last:start].any():
            groups[-1].append((start, end))
        else:
            groups.append([(start, end)])
    return groups


def _piece(ink: Mask, area: Rect, runs: list[tuple[int, int]]) -> Piece:
    left, right = runs[0][0], runs[-1][1]
    rows = np.flatnonzero(ink[:, left:right].any(axis=1))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    box = Rect(area.x + left, area.y + top, right - left, bottom - top)
    crop = Rect(box.x - _MARGIN, area.y, box.width + 2 * _MARGIN, area.height)
    gaps = tuple((area.x + a[1], area.x + b[0]) for a, b in pairwise(runs))
    return Piece(box=box, crop=crop.intersect(Rect(max(0, area.x - _MARGIN), area.y, 1 << 20, area.height)), gaps=gaps)


def without_doubles(found: list[Piece]) -> list[Piece]:
    """Drop pieces that lie (mostly) inside a larger one: neighbouring areas overlap."""
    kept: list[Piece] = []
    for piece in sorted(found, key=lambda p: p.box.width * p.box.height, reverse=True):
        if not any(inside(piece.box, other.box) for other in kept):
            kept.append(piece)
    return kept


def inside(small: Rect, large: Rect) -> bool:
    """Whether more than half of `small` lies in `large`."""
    common = small.intersect(large)
    return 2 * common.width * common.height > small.width * small.height


def words(text: str, piece: Piece, confidence: float) -> tuple[TextBox, ...]:
    """The words of a read piece with their boxes: its widest gaps are its spaces. Empty where the counts differ."""
    parts = text.split()
    if len(parts) < 2 or len(parts) - 1 > len(piece.gaps):
        return ()
    widest = sorted(sorted(piece.gaps, key=lambda g: g[0] - g[1])[: len(parts) - 1])
    lefts = [piece.box.x, *(end for _, end in widest)]
    rights = [*(start for start, _ in widest), piece.box.right]
    return tuple(
        TextBox(text=part, box=Rect(a, piece.box.y, b - a, piece.box.height), confidence=confidence)
        for part, a, b in zip(parts, lefts, rights, strict=True)
    )


def reading_order(boxes: list[TextBox]) -> tuple[TextBox, ...]:
    """Rows from top to bottom, each from left to right; a row is what overlaps its first box by half its height."""
    rows: list[list[TextBox]] = []
    for box in sorted(boxes, key=lambda b: (b.box.centre[1], b.box.x)):
        if rows and box.box.centre[1] < rows[-1][0].box.bottom and box.box.y < rows[-1][0].box.centre[1] + 1:
            rows[-1].append(box)
        else:
            rows.append([box])
    return tuple(box for row in rows for box in sorted(row, key=lambda b: b.box.x))
