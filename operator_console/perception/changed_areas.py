"""Finds the areas of a picture that differ from one that was read before, and so must be read again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import Mask, Pixels

TILE = 16
_MARGIN_X, _MARGIN_Y = 24, 12


def changed_tiles(before: Pixels, after: Pixels) -> Mask:
    """Mask of the TILE x TILE pixel tiles that differ; tiles in the last row and column may be smaller."""
    height, width = after.shape[:2]
    differs = (before.view(np.uint32) != after.view(np.uint32)).reshape(height, width)
    rows = np.logical_or.reduceat(differs, np.arange(0, height, TILE), axis=0)
    tiles: Mask = np.logical_or.reduceat(rows, np.arange(0, width, TILE), axis=1)
    return tiles


def areas_to_read(tiles: Mask, known: Sequence[TextBox], width: int, height: int) -> list[Rect]:
    """Disjoint rectangles that cover, with a margin, every changed tile and every known text that one overlaps."""
    whole = Rect(0, 0, width, height)
    areas = [_padded(rect) for rect in _tile_rects(tiles)]
    areas += [_padded(box.box) for box in known if overlaps_changed(box.box, tiles)]
    return _merged([area.intersect(whole) for area in areas])


def overlaps_changed(box: Rect, tiles: Mask) -> bool:
    """Whether a changed tile overlaps the box."""
    rows = slice(max(0, box.y) // TILE, (box.bottom - 1) // TILE + 1)
    columns = slice(max(0, box.x) // TILE, (box.right - 1) // TILE + 1)
    return bool(tiles[rows, columns].any())


def _tile_rects(tiles: npt.NDArray[np.bool_]) -> list[Rect]:
    """One rectangle for each horizontal run of changed tiles."""
    rects = []
    for row in np.flatnonzero(tiles.any(axis=1)).tolist():
        edges = np.flatnonzero(np.diff(np.concatenate(([False], tiles[row], [False])).astype(np.int8))).tolist()
        rects += [
            Rect(start * TILE, row * TILE, (end - start) * TILE, TILE)
            for start, end in zip(edges[::2], edges[1::2], strict=True)
        ]
    return rects


def _padded(rect: Rect) -> Rect:
    return Rect(rect.x - _MARGIN_X, rect.y - _MARGIN_Y, rect.width + 2 * _MARGIN_X, rect.height + 2 * _MARGIN_Y)


def _merged(areas: list[Rect]) -> list[Rect]:
    """Replace overlapping rectangles by their bounding rectangle until none overlap."""
    done: list[Rect] = []
    waiting = list(areas)
    while waiting:
        area = waiting.pop()
        for index, other in enumerate(done):
            if not area.intersect(other).empty:
                del done[index]
                waiting.append(_union(area, other))
                break
        else:
            done.append(area)
    return sorted(done, key=lambda r: (r.y, r.x))


def _union(a: Rect, b: Rect) -> Rect:
    x, y = min(a.x, b.x), min(a.y, b.y)
    return Rect(x, y, max(a.right, b.right) - x, max(a.bottom, b.bottom) - y)
