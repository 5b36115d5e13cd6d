"""Is this still the screen the model saw? The tolerant comparison behind every grant's screen check.

"Similar, not equal": a caret, a hover or pressed look, a focus ring, a selected row, a digit more on a display and
what was just typed leave the *structure* standing (the edges of labels, borders, icons stay where they were). Another
window or dialog on top, or a layout that moved, does not. So edges are compared, not colours; colours decide only
where there are no edges. Whoever owns the point is checked elsewhere; same pixels with another meaning are not seen.

Pure functions on bytes. Called by the injector right before input, and by computers/ for `changed`.
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

_Mask = npt.NDArray[np.bool_]
_Grey = npt.NDArray[np.int16]
_Weights = npt.NDArray[np.float32]


def similar(before: bytes, after: bytes, size: Size) -> bool:
    """Whether two crops (BGRX rows of `size`, no padding) show the same place in the same layout."""
    return before == after or score(before, after, size) >= SIMILAR_FROM


def score(before: bytes, after: bytes, size: Size) -> float:
    """How much of the first crop's structure the second still shows, 0..1; the middle counts most.

    Raises ValueError where the bytes do not make a picture of `size`.
    """
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
    result[max(0, dy) : height + min(0, dy), max(0, dx) : width + min(0, dx)] = mask[
        max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)
    ]
    return result


def _flat_share_kept(first: _Grey, second: _Grey, weights: _Weights) -> float:
    """The weighted share of pixels that kept roughly their shade."""
    same = np.abs(first - second) <= _RECOLOURED
    return float((weights * same).sum() / weights.sum())
