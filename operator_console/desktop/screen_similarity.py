"""Whether the screen is still the one that the model saw: the tolerant comparison before every input.

A caret, a hovered or pressed control, a focus ring, a selected row, another digit on a display and newly typed text
leave the *structure* unchanged (edges of labels, borders and icons) and the colours of controls: tints change lightness
and chroma, not hue. Another window or dialog on top, a moved layout, or a control in another hue do not. So three
things are compared: edges of brightness; brightness where there are no edges; and hue and chroma in OKLab, over cells
of 4 x 4 pixels, in which thin strokes and the coloured fringes of smoothed letters do not count. Which window owns the
point is checked elsewhere. A control that looks the same but has another meaning cannot be detected.

Pure functions on bytes.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from operator_console.domain.geometry import Size

SIMILAR_FROM = 0.6
"""The least score that counts as the same screen, chosen by examples of real applications (tests/display/desktop)."""

_EDGE = 28  # grey levels between neighbouring pixels that make an edge: above hover tints, below thin text
_RECOLOURED = 48  # grey levels that make a flat area a different one: above hover and pressed tints
_FEW_EDGES = 0.004  # share of (weighted) edge pixels below which a crop counts as flat
_NEW_FRAME = 0.3  # highest score of a flat area in which a frame appeared
_BORDER_WEIGHT = 2.0
_LINE = 12  # pixels in a row that make a border rather than a letter

# Chroma and colour distance are OKLab's: pure sRGB colours have a chroma of 0.15 to 0.32, greys 0. Chosen by the
# examples of the tests.
_CELL = 4  # pixels a side
_HAS_HUE = 0.04  # the chroma from which a colour has a clear hue: above the tints of hovered rows
_ANOTHER_COLOUR = 0.06  # chroma distance between two different colours, one of which may be grey
_ANOTHER_HUE = 0.9  # cosine of the angle between two hues: 26 degrees
_REHUED = 0.08  # share of (weighted) cells of another hue in another control
_REHUED_MIDDLE = 0.4  # the same of the cells around the point: a small coloured icon
_MIDDLE = 12  # pixels from the middle that count as around the point
_COLOURED = 0.75  # share of cells that changed between grey and a colour: more than a selected row
_NO_MATCH = 0.0

_Mask = npt.NDArray[np.bool_]
_Grey = npt.NDArray[np.int16]
_Weights = npt.NDArray[np.float32]


def similar(before: bytes, after: bytes, size: Size) -> bool:
    """Whether two crops (BGRX rows of `size`, no padding) show the same controls in the same layout."""
    return before == after or score(before, after, size) >= SIMILAR_FROM


def score(before: bytes, after: bytes, size: Size) -> float:
    """How much of the first crop's structure the second still has, 0 to 1, weighted by distance from the middle.

    0 if a control has another hue. Raises ValueError if the bytes are not a picture of `size`.
    """
    if _recoloured(before, after, size):
        return _NO_MATCH
    first, second = _grey(before, size), _grey(after, size)
    weights = _weights(size)
    if min(first.shape) < 3:
        return 1.0 if _flat_share_kept(first, second, np.ones_like(weights)) >= SIMILAR_FROM else 0.0
    edge_weights = weights[:-1, :-1]
    edges = _edges(second)
    kept = _edges_kept(_edges(first), edges, edge_weights)
    if kept is not None:
        return kept
    flat = _flat_share_kept(first, second, weights)
    return min(flat, _NEW_FRAME) if _framed(edges, edge_weights) else flat


def _grey(pixels: bytes, size: Size) -> _Grey:
    colours = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    grey = colours[..., 0] * np.uint16(29) + colours[..., 1] * np.uint16(150) + colours[..., 2] * np.uint16(77)
    shades: _Grey = (grey >> 8).astype(np.int16)
    return shades


@functools.lru_cache(maxsize=16)
def _weights(size: Size) -> _Weights:
    """1 in the middle of the crop, a quarter in its corners. Cached, so read-only."""
    y = np.linspace(-1.0, 1.0, size.height, dtype=np.float32)[:, None]
    x = np.linspace(-1.0, 1.0, size.width, dtype=np.float32)[None, :]
    weights: _Weights = np.exp(np.float32(-0.7) * (x * x + y * y))
    weights.setflags(write=False)
    return weights


def _edges(grey: _Grey) -> tuple[_Mask, _Mask]:
    """Vertical and horizontal edges, both of the shape (height - 1, width - 1)."""
    vertical = np.abs(grey[:-1, 1:] - grey[:-1, :-1]) > _EDGE
    horizontal = np.abs(grey[1:, :-1] - grey[:-1, :-1]) > _EDGE
    return vertical, horizontal


def _edges_kept(first: tuple[_Mask, _Mask], second: tuple[_Mask, _Mask], weights: _Weights) -> float | None:
    """The weighted share of the first crop's edges that the second has too; None if the first has hardly any.

    A pressed button moves its label by a pixel, so the best of the shifts by at most one pixel counts.
    """
    few = _FEW_EDGES * float(weights.sum())
    directions = [
        _Direction(one, other, axis, weights)
        for axis, one, other in zip((0, 1), first, second, strict=True)
        if _weighted(weights, one) >= few
    ]
    if not directions:
        return None
    # The worse of the two directions: rows of buttons that move sideways keep all their horizontal edges.
    return max(min(direction.kept(dx, dy) for direction in directions) for dy in (-1, 0, 1) for dx in (-1, 0, 1))


def _framed(edges: tuple[_Mask, _Mask], weights: _Weights) -> bool:
    """Whether there are borders in both directions near the middle: a new dialog or button on a flat area.

    Typed text and a caret have no borders in both directions.
    """
    least = _LINE * _BORDER_WEIGHT
    return all(
        # The first condition is only a fast way out: lines are a part of the edges.
        _weighted(weights, each) >= least and _weighted(weights, _lines(each, along)) >= least
        for along, each in zip((0, 1), edges, strict=True)
    )


class _Direction:
    """Edges of one direction before and after. Lines (borders) may move by two pixels: a focus ring redraws them."""

    def __init__(self, before: _Mask, after: _Mask, along: int, weights: _Weights) -> None:
        lost = before & ~after
        if lost.any():
            lost &= ~(_lines(before, along) & _widened(_lines(after, along), 1 - along))
        # Mostly few edges are lost, so shifts are looked up for those alone.
        self._rows, self._columns = np.nonzero(lost)
        self._weights = weights[self._rows, self._columns]
        self._total = _weighted(weights, before)
        self._after = np.pad(after, 1)

    def kept(self, dx: int, dy: int) -> float:
        """The weighted share of the edges that are still there, either in place or shifted by (dx, dy)."""
        found = self._after[self._rows + 1 - dy, self._columns + 1 - dx]
        return 1.0 - _weighted(self._weights, ~found) / self._total


def _weighted(weights: _Weights, mask: _Mask) -> float:
    """The sum of the weights where the mask is set."""
    return float(np.sum(weights, where=mask, dtype=np.float64))


def _lines(edges: _Mask, along: int) -> _Mask:
    """Those edge pixels that belong to a straight run of at least _LINE pixels along an axis."""
    dx, dy = (0, 1) if along == 0 else (1, 0)
    starts, length = edges, 1
    while length < _LINE:  # doubling the length each time
        step = min(length, _LINE - length)
        starts = starts & _shifted(starts, -dx * step, -dy * step)
        length += step
    lines, length = starts, 1
    while length < _LINE:
        step = min(length, _LINE - length)
        lines = lines | _shifted(lines, dx * step, dy * step)
        length += step
    return lines


def _widened(mask: _Mask, across: int) -> _Mask:
    """The mask and up to two pixels on both sides of it."""
    dx, dy = (0, 1) if across == 0 else (1, 0)
    result = mask.copy()
    for step in (-2, -1, 1, 2):
        result |= _shifted(mask, dx * step, dy * step)
    return result


def _shifted(mask: _Mask, dx: int, dy: int) -> _Mask:
    result = np.zeros_like(mask)
    height, width = mask.shape
    if abs(dx) >= width or abs(dy) >= height:
        return result
    result[max(0, dy) : height + min(0, dy), max(0, dx) : width + min(0, dx)] = mask[
        max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)
    ]
    return result


def _flat_share_kept(first: _Grey, second: _Grey, weights: _Weights) -> float:
    """The weighted share of pixels that kept roughly their shade."""
    return _weighted(weights, np.abs(first - second) <= _RECOLOURED) / float(weights.sum())


def _recoloured(before: bytes, after: bytes, size: Size) -> bool:
    """Whether a part of the first crop has another hue in the second, or all of it became coloured or grey."""
    before_cells, after_cells = _cells(before, size), _cells(after, size)
    changed = (before_cells != after_cells).any(axis=-1)
    if not changed.any():
        return False
    # Only changed cells are converted: that is the expensive part.
    first, second = _chroma(before_cells[changed]), _chroma(after_cells[changed])
    distance = np.hypot(*(second - first).T)
    another = distance > _ANOTHER_COLOUR
    if not another.any():
        return False
    one, two = np.hypot(*first.T), np.hypot(*second.T)
    turned = (first * second).sum(axis=1) < _ANOTHER_HUE * one * two
    other, rehued = np.zeros_like(changed), np.zeros_like(changed)
    other[changed] = another
    rehued[changed] = another & turned & (one > _HAS_HUE) & (two > _HAS_HUE)
    weights = _weights(Size(*other.shape[::-1]))
    middle = rehued[_central(other.shape[0]), _central(other.shape[1])]
    return bool(
        _weighted(weights, rehued) >= _REHUED * weights.sum()
        or middle.mean() >= _REHUED_MIDDLE
        or _weighted(weights, other) >= _COLOURED * weights.sum()
    )


def _central(cells: int) -> slice:
    reach = _MIDDLE // _CELL
    return slice(max(0, cells // 2 - reach), max(1, (cells + 1) // 2 + reach))


def _cells(pixels: bytes, size: Size) -> npt.NDArray[np.uint16]:
    """The mean blue, green and red of each cell, shape (rows, columns, 3), without incomplete cells at the edges."""
    colours = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    down, across = min(_CELL, size.height), min(_CELL, size.width)
    rows, columns = size.height // down, size.width // across
    cells = colours[: rows * down, : columns * across].reshape(rows, down, columns * across * 4)
    sums = cells.sum(axis=1, dtype=np.uint16).reshape(rows, columns, across, 4).sum(axis=2, dtype=np.uint16)
    means: npt.NDArray[np.uint16] = sums[..., :3] // np.uint16(down * across)
    return means


def _chroma(cells: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """OKLab's a and b of blue, green and red values, shape (n, 2).

    OKLab by Björn Ottosson, https://bottosson.github.io/posts/oklab/.
    """
    chroma: npt.NDArray[np.float32] = np.cbrt(_LINEAR[cells] @ _BGR_TO_LMS) @ _LMS_TO_AB
    return chroma


_LEVELS = np.arange(256, dtype=np.float32) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(np.float32)
_BGR_TO_LMS = np.array(
    [[0.0514459929, 0.1073969566, 0.6299787005],
     [0.5363325363, 0.6806995451, 0.2817188376],
     [0.4122214708, 0.2119034982, 0.0883024619]], dtype=np.float32,
)  # fmt: skip
_LMS_TO_AB = np.array(
    [[1.9779984951, 0.0259040371], [-2.4285922050, 0.7827717662], [0.4505937099, -0.8086757660]], dtype=np.float32
)
