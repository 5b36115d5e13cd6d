"""The texts known of a screen that changes over time: what was read of earlier pictures and still stands there.

Pictures are compared by tiles, to find what must be read again after a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect, Size
from operator_console.perception.text_lines import Mask, Pixels, mostly_inside


class KnownTexts:
    """Texts and unreadable places by picture tile. A tile counts as read while its pixels stay what was read.

    One object serves all pictures of one size; a picture that goes back to an earlier look is read again.
    """

    def __init__(self, size: Size) -> None:
        shape = (-(-size.height // TILE), -(-size.width // TILE))
        self._size = size
        self._read: Digests = np.zeros(shape, dtype=np.uint64)  # 0: not read
        self.boxes: list[TextBox] = []
        self.unreadable: list[Rect] = []

    def unread(self, image: Pixels) -> list[Rect]:
        """Forget what has changed, and return the areas of the picture that have not been read, in tiles."""
        now = tile_digests(image)
        changed = (self._read != now) & (self._read != 0)
        if changed.any():
            self._forget(changed)
        return areas_of(np.asarray(self._read != now), self._size.width, self._size.height)

    def covers(self, image: Pixels, region: Rect) -> bool:
        """Whether all of a region of the picture has been read, and is unchanged."""
        rows, columns = tiles_of(region)
        view = image[rows.start * TILE : rows.stop * TILE, columns.start * TILE : columns.stop * TILE]
        if view.size == 0:
            return True
        return bool((tile_digests(np.ascontiguousarray(view)) == self._read[rows, columns]).all())

    def add(self, image: Pixels, area: Rect, boxes: Sequence[TextBox], unreadable: Sequence[Rect]) -> None:
        """What was read in an area of the picture, which consists of whole tiles. Texts may reach beyond the area."""
        for box in boxes:
            if not any(mostly_inside(box.box, old.box) for old in self.boxes):
                self.boxes = [old for old in self.boxes if not mostly_inside(old.box, box.box)]
                self.boxes.append(box)
        for place in unreadable:
            if not any(mostly_inside(place, old) for old in self.unreadable):
                self.unreadable.append(place)
        rows, columns = tiles_of(area)
        view = image[area.y : area.bottom, area.x : area.right]
        self._read[rows, columns] = tile_digests(np.ascontiguousarray(view))

    def _forget(self, changed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> None:
        """Drop the texts that stand on or right beside changed tiles; all their tiles are unread then."""
        self._read[changed] = 0
        kept: list[TextBox] = []
        for box in self.boxes:
            if changed[tiles_of(_with_neighbours(box.box))].any():
                self._read[tiles_of(box.box)] = 0
            else:
                kept.append(box)
        self.boxes = kept
        places: list[Rect] = []
        for place in self.unreadable:
            if changed[tiles_of(_with_neighbours(place))].any():
                self._read[tiles_of(place)] = 0
            else:
                places.append(place)
        self.unreadable = places


def _with_neighbours(box: Rect) -> Rect:
    """The box with a letter's width at each end: a letter added there continues the text."""
    return Rect(box.x - box.height, box.y, box.width + 2 * box.height, box.height)


TILE = 16
Digests: TypeAlias = npt.NDArray[np.uint64]

_JOIN = 64  # areas that are nearer than this are read together
# Multilinear hashing with random odd weights, made once per process: two tiles that differ have equal digests with a
# probability below 2**-32.
_WEIGHTS = np.random.default_rng().integers(0, 2**63, (TILE, TILE), dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def tile_digests(image: Pixels) -> Digests:
    """A digest, never 0, for each TILE x TILE pixel tile; those in the last row and column may be smaller."""
    height, width = image.shape[:2]
    rows, columns = -(-height // TILE), -(-width // TILE)
    words = image.view(np.uint32).reshape(height, width)
    weights = np.tile(_WEIGHTS, (1, columns))[:, :width]
    starts = np.arange(0, width, TILE)
    digests = np.empty((rows, columns), dtype=np.uint64)
    for row in range(rows):
        lines = words[row * TILE : (row + 1) * TILE]
        summed = (lines * weights[: len(lines)]).sum(axis=0, dtype=np.uint64)
        digests[row] = np.add.reduceat(summed, starts)
    return digests | np.uint64(1)


def tiles_of(box: Rect) -> tuple[slice, slice]:
    """Rows and columns of the tiles that a box (pixels of the picture) overlaps."""
    rows = slice(max(0, box.y) // TILE, max(0, (box.bottom - 1) // TILE + 1))
    return rows, slice(max(0, box.x) // TILE, max(0, (box.right - 1) // TILE + 1))


def areas_of(tiles: Mask, width: int, height: int) -> list[Rect]:
    """Disjoint rectangles that cover all marked tiles, in pixels, from top to bottom."""
    whole = Rect(0, 0, width, height)
    return [area.intersect(whole) for area in _merged(_tile_rects(tiles))]


def _tile_rects(tiles: Mask) -> list[Rect]:
    """One rectangle for each horizontal run of marked tiles; equal runs in consecutive rows are one."""
    done: list[Rect] = []
    open_: dict[tuple[int, int], Rect] = {}
    for row in range(len(tiles)):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], tiles[row], [False])).astype(np.int8))).tolist()
        runs = set(zip(edges[::2], edges[1::2], strict=True))
        done += [rect for run, rect in open_.items() if run not in runs]
        open_ = {
            (start, end): Rect(
                start * TILE, open_[start, end].y if (start, end) in open_ else row * TILE, (end - start) * TILE, 0
            )
            for start, end in runs
        }
        open_ = {run: Rect(rect.x, rect.y, rect.width, (row + 1) * TILE - rect.y) for run, rect in open_.items()}
    return [*done, *open_.values()]


def _merged(areas: list[Rect]) -> list[Rect]:
    """Replace rectangles that are close to each other by their bounding rectangle until none are."""
    done: list[Rect] = []
    waiting = list(areas)
    while waiting:
        area = waiting.pop()
        near = Rect(area.x - _JOIN, area.y - TILE, area.width + 2 * _JOIN, area.height + 2 * TILE)
        for index, other in enumerate(done):
            if not near.intersect(other).empty:
                del done[index]
                waiting.append(area.union(other))
                break
        else:
            done.append(area)
    return sorted(done, key=lambda r: (r.y, r.x))
