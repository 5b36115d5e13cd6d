"""The texts known of a screen that changes over time: what was read of earlier pictures and still stands there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect, Size
from operator_console.perception.changed_areas import TILE, Digests, areas_of, tile_digests, tiles_of
from operator_console.perception.text_lines import Pixels, mostly_inside


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
