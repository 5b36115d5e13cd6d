"""Splits detected text areas into segments with exact boxes.

Text detectors are made for running text and join everything in one row: "File   Edit   View" is one line to them. On
a screen, a wide gap separates controls. Areas are therefore split at gaps wider than the letters are high, and
each box is shrunk to its ink (the pixels that differ from the background).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_RULE_PER_HEIGHT, _RULE_PER_WIDTH, _MAX_NEIGHBOUR_INK = 0.9, 0.75, 0.5
_VERTICAL_PER_LETTER, _VERTICAL_PER_AREA, _VERTICAL_WIDTH = 1.2, 0.7, 2
_FAIR_ROW = 0.15
_FRAME_PER_HEIGHT = 1.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of text to recognise. Coordinates are pixels of the picture.

    Attributes:
        box: bounding box of the ink.
        crop: the area to pass to the recogniser: the ink with the margin of the detected area.
        gaps: runs of blank columns inside the box, as (start, end), left to right; the end is exclusive.
    """

    box: Rect
    crop: Rect
    gaps: tuple[tuple[int, int], ...]


def split_area(image: Pixels, area: Rect) -> list[Segment]:
    """Split one detected area of a BGR or BGRX picture into segments, left to right."""
    area = area.intersect(Rect(0, 0, image.shape[1], image.shape[0]))
    if area.empty:
        return []
    ink, walls = _ink(image[area.y : area.bottom, area.x : area.right, :3])
    if not ink.any():
        return []
    height = _letter_height(ink)
    columns: Mask = np.asarray(ink.any(axis=0))
    gap = max(_MIN_GAP, _GAP_PER_HEIGHT * height)
    found = [_segment(ink, area, group) for group in _groups(columns, walls, gap)]
    return [segment for segment in found if not _is_border(segment.box, height)]


def _letter_height(ink: Mask) -> int:
    """The height of the letters: of the rows that contain a fair part of the ink."""
    per_row = ink.sum(axis=1)
    rows = np.flatnonzero(per_row >= _FAIR_ROW * per_row.max())
    return int(rows[-1] - rows[0]) + 1


def _is_border(box: Rect, height: int) -> bool:
    """Whether the box is part of a neighbouring border: narrow, and taller than the letters."""
    return box.width < height and box.height > _FRAME_PER_HEIGHT * height


def _ink(crop: Pixels) -> tuple[Mask, Mask]:
    """Mask of the pixels that are text (not background, borders or underlines), and mask of the border columns."""
    wide = crop.astype(np.int32)
    keys = (wide[..., 0] >> 3) << 10 | (wide[..., 1] >> 3) << 5 | wide[..., 2] >> 3
    common = int(np.bincount(keys.ravel(), minlength=1 << 15).argmax())
    background = np.median(wide[keys == common], axis=0)
    ink: Mask = np.abs(wide - background).max(axis=2) > _CONTRAST
    horizontal = _horizontal_rules(ink)
    vertical = _vertical_rules(np.asarray(ink & ~_grown(horizontal)))
    rules = np.asarray(horizontal | vertical)
    return _strip_with_most_ink(np.asarray(ink & ~_grown(rules)), horizontal), np.asarray(vertical.any(axis=0))


def _strip_with_most_ink(ink: Mask, rules: Mask) -> Mask:
    """Keep only the strip with the most ink between rules that cross the area; the rest belongs to other controls."""
    across = np.flatnonzero(rules.mean(axis=1) >= _RULE_PER_WIDTH)
    if across.size:
        edges = [0, *across.tolist(), len(ink)]
        top, bottom = max(pairwise(edges), key=lambda strip: int(ink[strip[0] : strip[1]].sum()))
        ink[:top], ink[bottom:] = False, False
    return ink


def _horizontal_rules(ink: Mask) -> Mask:
    """Horizontal borders and underlines: thin straight runs longer than any stroke of a letter."""
    height, width = ink.shape
    rules = np.zeros_like(ink)
    longest = min(_RULE_PER_HEIGHT * height, _RULE_PER_WIDTH * width)
    padded = np.pad(ink, ((2, 2), (0, 0)))
    for row in np.flatnonzero(ink.sum(axis=1) >= longest).tolist():
        for start, end in _runs(ink[row]):
            above, below = padded[row, start:end].mean(), padded[row + 4, start:end].mean()
            if end - start >= longest and max(above, below) < _MAX_NEIGHBOUR_INK:
                rules[row, start:end] = True
    return rules


def _vertical_rules(ink: Mask) -> Mask:
    """Vertical borders: thin, and taller than the letters."""
    rules = np.zeros_like(ink)
    if ink.any():
        tallest = max(_VERTICAL_PER_LETTER * _letter_height(ink), _VERTICAL_PER_AREA * len(ink))
        for start, end in _runs(np.asarray(ink.sum(axis=0) > tallest)):
            if end - start <= _VERTICAL_WIDTH:
                rules[:, start:end] = ink[:, start:end]
    return rules


def _grown(mask: Mask) -> Mask:
    """Grow the mask by one pixel, to include what rounded corners leave of a border."""
    wide = np.pad(mask, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    return np.asarray(rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:])


def _runs(line: Mask) -> list[tuple[int, int]]:
    """Runs of True as (start, end), the end exclusive."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], line, [False])).astype(np.int8))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _groups(columns: Mask, walls: Mask, gap: float) -> list[list[tuple[int, int]]]:
    """Group runs of columns with ink whose distance is at most `gap` and that no border separates."""
    groups: list[list[tuple[int, int]]] = []
    for start, end in _runs(columns):
        last = groups[-1][-1][1] if groups else start
        if groups and start - last <= gap and not walls[last:start].any():
            groups[-1].append((start, end))
        else:
            groups.append([(start, end)])
    return groups


def _segment(ink: Mask, area: Rect, runs: list[tuple[int, int]]) -> Segment:
    left, right = runs[0][0], runs[-1][1]
    rows = np.flatnonzero(ink[:, left:right].any(axis=1))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    box = Rect(area.x + left, area.y + top, right - left, bottom - top)
    crop = Rect(box.x - _MARGIN, area.y, box.width + 2 * _MARGIN, area.height)
    crop = crop.intersect(Rect(max(0, area.x - _MARGIN), area.y, 1 << 20, area.height))
    gaps = tuple((area.x + a[1], area.x + b[0]) for a, b in pairwise(runs))
    return Segment(box=box, crop=crop, gaps=gaps)


def without_duplicates(found: list[Segment]) -> list[Segment]:
    """Drop segments that lie mostly inside a larger one. They occur because neighbouring areas overlap."""
    kept: list[Segment] = []
    for segment in sorted(found, key=lambda s: s.box.width * s.box.height, reverse=True):
        if not any(mostly_inside(segment.box, other.box) for other in kept):
            kept.append(segment)
    return kept


def mostly_inside(small: Rect, large: Rect) -> bool:
    """Whether more than half of the area of `small` lies in `large`."""
    common = small.intersect(large)
    return 2 * common.width * common.height > small.width * small.height


def word_boxes(text: str, segment: Segment, confidence: float) -> tuple[TextBox, ...]:
    """The words of a recognised segment with their boxes, taking its widest gaps as spaces.

    Empty for a single word, and if the segment has fewer gaps than the text has spaces.
    """
    parts = text.split()
    if len(parts) < 2 or len(parts) - 1 > len(segment.gaps):
        return ()
    widest = sorted(sorted(segment.gaps, key=lambda g: g[0] - g[1])[: len(parts) - 1])
    lefts = [segment.box.x, *(end for _, end in widest)]
    rights = [*(start for start, _ in widest), segment.box.right]
    return tuple(
        TextBox(text=part, box=Rect(a, segment.box.y, b - a, segment.box.height), confidence=confidence)
        for part, a, b in zip(parts, lefts, rights, strict=True)
    )


def reading_order(boxes: list[TextBox]) -> tuple[TextBox, ...]:
    """Sort boxes into rows from top to bottom, each from left to right.

    A box belongs to a row if it overlaps the first box of the row by half a height.
    """
    rows: list[list[TextBox]] = []
    for box in sorted(boxes, key=lambda b: (b.box.centre[1], b.box.x)):
        if rows and box.box.centre[1] < rows[-1][0].box.bottom and box.box.y < rows[-1][0].box.centre[1] + 1:
            rows[-1].append(box)
        else:
            rows.append([box])
    return tuple(box for row in rows for box in sorted(row, key=lambda b: b.box.x))


_CHUNK_PER_HEIGHT = 9
_SPACE_PER_HEIGHT = 0.25
_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"


def chunks(segment: Segment) -> list[Segment]:
    """Cut a long segment between words into pieces of about 9 times its height.

    Recognising takes time in proportion to the width, so that a piece is read much faster than a long line.
    """
    longest = _CHUNK_PER_HEIGHT * segment.box.height
    space = _SPACE_PER_HEIGHT * segment.box.height
    done: list[Segment] = []
    rest = segment
    while rest.box.width > longest:
        start = rest.box.x
        usable = [gap for gap in rest.gaps if start + longest // 4 <= gap[0] <= start + 2 * longest]
        spaces = [gap for gap in usable if gap[1] - gap[0] >= space]
        near = [gap for gap in spaces if gap[0] <= start + longest]
        # Without spaces (Chinese, Japanese) any gap serves; a long word is cut only where it must be.
        if near:
            gap = near[-1]
        elif spaces:
            gap = spaces[0]
        elif usable and rest.box.width > 2 * longest:
            gap = max(usable, key=lambda g: g[1] - g[0])
        else:
            break
        first, rest = _cut(rest, gap)
        done.append(first)
    return [*done, rest]


def _cut(segment: Segment, gap: tuple[int, int]) -> tuple[Segment, Segment]:
    """The parts left and right of a gap."""
    box, crop = segment.box, segment.crop
    left_end, right_start = min(gap[0] + _MARGIN, gap[1]), max(gap[1] - _MARGIN, gap[0])
    left = Segment(
        box=Rect(box.x, box.y, gap[0] - box.x, box.height),
        crop=Rect(crop.x, crop.y, left_end - crop.x, crop.height),
        gaps=tuple(g for g in segment.gaps if g[1] <= gap[0]),
    )
    right = Segment(
        box=Rect(gap[1], box.y, box.right - gap[1], box.height),
        crop=Rect(right_start, crop.y, crop.right - right_start, crop.height),
        gaps=tuple(g for g in segment.gaps if g[0] >= gap[1]),
    )
    return left, right


def joined(pieces: Sequence[tuple[str, Rect]]) -> str:
    """The text of neighbouring pieces of one line, with a space where the gap is as wide as one."""
    text = ""
    for index, (piece, box) in enumerate(pieces):
        if index:
            previous = pieces[index - 1][1]
            wide = box.x - previous.right >= _SPACE_PER_HEIGHT * max(box.height, previous.height)
            ideographs = bool(re.match(f"[{_CJK}]", piece)) and bool(re.search(f"[{_CJK}]$", text))
            text += " " if wide and not ideographs else ""
        text += piece
    return text
