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

SIMILAR_FROM = 0.5
"""Least score that counts as the same screen; chosen by examples of real applications (tests/display/desktop)."""

_EDGE = 28  # grey levels between neighbouring pixels that make an edge: above hover tints, below thin text
_RECOLOURED = 48  # grey levels that make a flat area another area: above hover and pressed tints
_FEW_EDGES = 0.004  # share of (weighted) edge pixels below which a crop counts as flat

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
    return flat if kept is None else kept


def _grey(pixels: bytes, size: Size) -> _Grey:
    colours = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4).astype(np.int16)
    return (colours[..., 0] * 29 + colours[..., 1] * 75 * 2 + colours[..., 2] * 77) >> 8


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
    upright, level = _edges(first)
    total = float((weights * upright).sum() + (weights * level).sum())
    if total < _FEW_EDGES * float(weights.sum()):
        return None
    upright_after, level_after = _edges(second)
    still_upright, still_level = upright & upright_after, level & level_after
    best = 0.0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            kept_upright = upright & (_shifted(upright_after, dx, dy) | still_upright)
            kept_level = level & (_shifted(level_after, dx, dy) | still_level)
            best = max(best, float((weights * kept_upright).sum() + (weights * kept_level).sum()))
    return best / total


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
