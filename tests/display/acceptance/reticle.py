"""Where a reticle stands on the screen, found in a screenshot's pixels alone: no product code, no product geometry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Box = tuple[int, int, int, int]
"""x, y, width, height."""
_COLOURED = 60  # between the strongest and the weakest channel: inks of the overlay, not greys of a target
_RING = (26, 60)  # what a ring with its ticks measures across, in pixels
_DOT = 9  # what the dot in it measures at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Reticle:
    """The centre of a reticle's dot and the picture that it is drawn on, in root pixels; pixel 0 spans 0.0 to 1.0."""

    centre: tuple[float, float]
    picture: Box

    def target_pixel(self, size: tuple[int, int]) -> tuple[float, float]:
        """The place in a target of `size` that lies under the dot."""
        x, y, width, height = self.picture
        return (self.centre[0] - x) * size[0] / width, (self.centre[1] - y) * size[1] / height


def find_reticle(screen: Image.Image, preview: Box) -> Reticle | None:
    """The only reticle in the preview of a white target; None while there is none."""
    x, y, width, height = preview
    pixels = np.asarray(screen.crop((x, y, x + width, y + height)).convert("RGB")).astype(np.int16)
    white: NDArray[np.bool_] = np.asarray((pixels >= 254).all(axis=2))
    if not white.any():
        return None
    left, top, across, down = _picture(white)
    coloured = pixels.max(axis=2) - pixels.min(axis=2) >= _COLOURED
    blobs = [(_bounds(blob), blob) for blob in _blobs(coloured)]
    rings = [box for box, _ in blobs if _RING[0] <= box[2] <= _RING[1] and abs(box[2] - box[3]) <= 2]
    dots = [(box, blob) for box, blob in blobs if box[2] <= _DOT and box[3] <= _DOT]
    for ring in rings:
        inside = [blob for box, blob in dots if _middle_off(box, ring) <= 2.0]
        if len(inside) == 1:
            rows, columns = np.nonzero(inside[0])
            centre = (x + float(columns.mean()) + 0.5, y + float(rows.mean()) + 0.5)
            return Reticle(centre=centre, picture=(x + left, y + top, across, down))
    return None


def _picture(white: NDArray[np.bool_]) -> Box:
    """Where the target's picture is, by its lowest row and left edge: the loupe beside and over it is white, too, but
    does not reach as far down as the picture."""
    bottom = int(np.nonzero(white.any(axis=1))[0][-1])
    columns = np.nonzero(white[bottom])[0]
    left = int(columns[0])
    rows = np.nonzero(white[:, left])[0]
    return left, int(rows[0]), int(columns[-1]) - left + 1, bottom - int(rows[0]) + 1


def _bounds(mask: NDArray[np.bool_]) -> Box:
    rows, columns = np.nonzero(mask)
    left, top = int(columns.min()), int(rows.min())
    return left, top, int(columns.max()) - left + 1, int(rows.max()) - top + 1


def _middle_off(one: Box, other: Box) -> float:
    return max(abs(one[i] + one[i + 2] / 2 - other[i] - other[i + 2] / 2) for i in (0, 1))


def _blobs(mask: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Connected parts (eight neighbours), each as a mask of its own."""
    left = mask.copy()
    while left.any():
        start = tuple(int(i) for i in np.argwhere(left)[0])
        blob = np.zeros_like(left)
        todo = [start]
        while todo:
            row, column = todo.pop()
            if not (0 <= row < left.shape[0] and 0 <= column < left.shape[1] and left[row, column]):
                continue
            left[row, column] = False
            blob[row, column] = True
            todo += [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        yield blob
