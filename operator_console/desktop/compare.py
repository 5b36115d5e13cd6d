"""Is this still the screen the model saw? The tolerant comparison behind every grant's screen check.

"Similar, not equal": a caret, a hover or pressed look, a focus ring, a selected row, a digit more on a display and
what was just typed leave the *structure* standing (the edges of labels, borders, icons stay where they were), and the
colours of the controls: tints change how light or how vivid a colour is, not its hue. Another window or dialog on top,
a layout that moved, or a control in another hue do not. So three things are compared: edges of brightness; brightness
where there are no edges; and hue and chroma in OKLab, over cells of 4 x 4 pixels, in which thin strokes and the
coloured fringes of smoothed letters do not count. Which window owns the point is checked elsewhere; same pixels with
another meaning are not seen.

Pure functions on bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from operator_console.domain.geometry import Size

SIMILAR_FROM = 0.6
"""Least score that counts as the same screen; chosen by examples of real applications (tests/display/desktop)."""

_EDGE = 28  # grey levels between neighbouring pixels that make an edge: above hover tints, below thin text
_RECOLOURED = 48  # grey levels that make a flat area another area: above hover and pressed tints
_FEW_EDGES = 0.004  # share of (weighted) edge pixels below which a crop counts as flat
_NEW_FRAME = 0.3  # the score of a flat place in which a frame appeared
_BORDER_WEIGHT = 2.0
_LINE = 12  # pixels in a row that make a border rather than a letter

# Chroma and colour distance are OKLab's: pure sRGB colours have a chroma of 0.15 to 0.32, greys 0. Chosen by the
# examples of the tests.
_CELL = 4  # pixels a side
_HAS_HUE = 0.04  # the chroma from which a colour has a hue to speak of: above the tints of hovered rows
_ANOTHER_COLOUR = 0.06  # distance at equal brightness between two colours, one of which may be a grey
_ANOTHER_HUE = 0.9  # cosine of the angle between two hues: 26 degrees
_REHUED = 0.08  # share of (weighted) cells of another hue that makes another control
_REHUED_MIDDLE = 0.4  # the same of the cells right at the point: a small coloured icon
_MIDDLE = 12  # pixels from the middle that count as right there
_COLOURED = 0.75  # share of cells that went from grey to a colour, or back: more than a selected row
_NO_MATCH = 0.0

_Mask = npt.NDArray[np.bool_]
_Grey = npt.NDArray[np.int16]
_Weights = npt.NDArray[np.float32]


def similar(before: bytes, after: bytes, size: Size) -> bool:
    """Whether two crops (BGRX rows of `size`, no padding) show the same place in the same layout."""
    return before == after or score(before, after, size) >= SIMILAR_FROM


def score(before: bytes, after: bytes, size: Size) -> float:
    """How much of the first crop's structure the second still shows, 0..1; the middle counts most. 0 in another hue.

    Raises ValueError where the bytes do not make a picture of `size`.
    """
    if _recoloured(before, after, size):
        return _NO_MATCH
    first, second = _grey(before, size), _grey(after, size)
    if min(first.shape) < 3:
        return 1.0 if _flat_share_kept(first, second, np.ones(first.shape, np.float32)) >= SIMILAR_FROM else 0.0
    weights = _weights(size)
    kept = _edges_kept(first, second, weights[:-1, :-1])
    flat = _flat_share_kept(first, second, weights)
    if kept is not None:
        return kept
    return min(flat, _NEW_FRAME) if _framed(second, weights[:-1, :-1]) else flat


def _grey(pixels: bytes, size: Size) -> _Grey:
    colours = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4).astype(np.int32)
    return ((colours[..., 0] * 29 + colours[..., 1] * 150 + colours[..., 2] * 77) >> 8).astype(np.int16)


def _weights(size: Size) -> _Weights:
    """A hill over the crop: 1 in the middle, a quarter at the rim."""
    y = np.linspace(-1.0, 1.0, size.height, dtype=np.float32)[:, None]
    x = np.linspace(-1.0, 1.0, size.width, dtype=np.float32)[None, :]
    return np.exp(np.float32(-0.7) * (x * x + y * y))


def _edges(grey: _Grey) -> tuple[_Mask, _Mask]:
    """Upright and level edges, both of the shape (height - 1, width - 1)."""
    upright = np.abs(grey[:-1, 1:] - grey[:-1, :-1]) > _EDGE
    level = np.abs(grey[1:, :-1] - grey[:-1, :-1]) > _EDGE
    return upright, level


def _edges_kept(first: _Grey, second: _Grey, weights: _Weights) -> float | None:
    """The weighted share of the first picture's edges that the second has too; None where it has hardly any.

    A pressed button moves its label by a pixel: the best shift of one pixel counts beside the unshifted picture.
    """
    few = _FEW_EDGES * float(weights.sum())
    directions = [
        _Direction(one, other, axis)
        for axis, one, other in zip((0, 1), _edges(first), _edges(second), strict=True)
        if float((weights * one).sum()) >= few
    ]
    if not directions:
        return None
    # The worse of the two: rows of buttons moved sideways keep all their level edges.
    return max(
        min(direction.kept(weights, dx, dy) for direction in directions) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    )


def _framed(grey: _Grey, weights: _Weights) -> bool:
    """Whether borders run both ways near the middle: a dialog or a button that came up where nothing was.

    Typed text and a caret bring no borders of both directions.
    """
    least = _LINE * _BORDER_WEIGHT
    return all(
        float((weights * _lines(edges, along)).sum()) >= least
        for along, edges in zip((0, 1), _edges(grey), strict=True)
    )


class _Direction:
    """Edges of one direction before and after. Lines (borders) may move by two pixels: a focus ring redraws them."""

    def __init__(self, before: _Mask, after: _Mask, along: int) -> None:
        self._before = before
        self._after = after
        self._lines_kept = _lines(before, along) & _widened(_lines(after, along), 1 - along)

    def kept(self, weights: _Weights, dx: int, dy: int) -> float:
        """The weighted share of the edges that are still there, shifted by (dx, dy) or not."""
        kept = self._before & (self._after | _shifted(self._after, dx, dy) | self._lines_kept)
        return float((weights * kept).sum() / (weights * self._before).sum())


def _lines(edges: _Mask, along: int) -> _Mask:
    """Those edge pixels that belong to a straight run of at least _LINE pixels along an axis."""
    dx, dy = (0, 1) if along == 0 else (1, 0)
    run = edges.copy()
    for step in range(1, _LINE):
        run &= _shifted(edges, -dx * step, -dy * step)
    result = run.copy()
    for step in range(1, _LINE):
        result |= _shifted(run, dx * step, dy * step)
    return result


def _widened(mask: _Mask, across: int) -> _Mask:
    """The mask and up to two pixels beside it."""
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
    same = np.abs(first - second) <= _RECOLOURED
    return float((weights * same).sum() / weights.sum())


def _recoloured(before: bytes, after: bytes, size: Size) -> bool:
    """Whether something of the first crop has another hue in the second, or all of it got or lost its colour."""
    first, second = _chroma(before, size), _chroma(after, size)
    distance = np.hypot(*(second - first))
    other = distance > _ANOTHER_COLOUR
    if not other.any():
        return False
    one, two = np.hypot(*first), np.hypot(*second)
    turned = (first * second).sum(axis=0) < _ANOTHER_HUE * one * two
    rehued = other & turned & (one > _HAS_HUE) & (two > _HAS_HUE)
    weights = _weights(Size(*other.shape[::-1]))
    middle = rehued[_central(other.shape[0]), _central(other.shape[1])]
    return bool(
        (weights * rehued).sum() >= _REHUED * weights.sum()
        or middle.mean() >= _REHUED_MIDDLE
        or (weights * other).sum() >= _COLOURED * weights.sum()
    )


def _central(cells: int) -> slice:
    reach = _MIDDLE // _CELL
    return slice(max(0, cells // 2 - reach), max(1, (cells + 1) // 2 + reach))


def _chroma(pixels: bytes, size: Size) -> npt.NDArray[np.float32]:
    """OKLab's a and b of each cell, shape (2, rows, columns); what is left over at the right and below is left out.

    OKLab by Björn Ottosson, https://bottosson.github.io/posts/oklab/.
    """
    colours = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    down, across = min(_CELL, size.height), min(_CELL, size.width)
    rows, columns = size.height // down, size.width // across
    cells = colours[: rows * down, : columns * across].reshape(rows, down, columns * across * 4)
    sums = cells.sum(axis=1, dtype=np.uint16).reshape(rows, columns, across, 4).sum(axis=2, dtype=np.uint16)
    linear = _LINEAR[sums[..., :3] // (down * across)]
    roots = np.cbrt(linear @ _BGR_TO_LMS)
    return np.moveaxis(roots @ _LMS_TO_AB, -1, 0)


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
