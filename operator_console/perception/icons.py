"""Recognises a few drawn icons by their shape: bin, paper plane, upload arrow, padlock, shopping cart. No text is read.

An icon is cut out of the pixels around a place, reduced to a picture of 24 by 24 grey values that hides its colour and
size, and named by a small network whose weights ship in resources/icons_known; packaging/train_icons.py made them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.resource_files import resource_path

NAMES = ("", "delete", "send", "upload", "lock", "pay")
"""What the network tells apart; "" is any other shape. Each says what its icon does: a cart stands for "pay"."""
SIDE = 24
SURE = 0.6
"""The least probability at which an icon is named."""

Shape: TypeAlias = npt.NDArray[np.float32]
_Pixels: TypeAlias = npt.NDArray[np.uint8]
_Ink: TypeAlias = npt.NDArray[np.float32]
_Mask: TypeAlias = npt.NDArray[np.bool_]

_SMALLEST, _LARGEST = 10, 112  # longest side of an icon, native pixels
_NARROWEST = 0.5  # shorter side by longer side
_AROUND = (18, 26, 40, 64)  # half sides of the areas that are tried around a point
_MARGIN = 3  # beyond an extent: icons often fill theirs
_INSETS = (0.0, 0.12, 0.24)  # of an extent's shorter side: buttons have frames
_NEAR = 10  # an icon's ink is at most this far from the point
_CONTRAST = 24  # least difference from the background that counts as ink, 0..255
_DETAILED = 72  # crops with a longer side are halved
_GAP = 3  # the parts of an icon are less than this apart, native pixels
_SOLID = 0.3  # share of full ink that belongs to the icon; less is a shadow or a soft edge


def icon_at(frame: Frame, place: Rect | NativePoint) -> str:
    """What the icon at a place stands for.

    Args:
        frame: the frame to look at.
        place: the extent of a control, or a point; native pixels.

    Returns:
        "delete", "send", "upload", "lock" or "pay"; "" where no icon or another one is there.
    """
    native = frame.geometry.native
    picture = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)[..., :3]
    shapes = list(_shapes(picture, place))
    if not shapes:
        return ""
    likely = probabilities(np.stack(shapes))
    best = int(likely[:, 1:].max(axis=0).argmax()) + 1
    return NAMES[best] if likely[:, best].max() >= SURE else ""


def _shapes(picture: _Pixels, place: Rect | NativePoint) -> Iterator[Shape]:
    height, width = picture.shape[:2]
    whole = Rect(0, 0, width, height)
    if isinstance(place, Rect) and min(place.width, place.height) <= _LARGEST + 2 * _MARGIN:
        if max(place.width, place.height) > 2 * _LARGEST:
            return
        for inset in _INSETS:
            less = round(inset * min(place.width, place.height)) - (0 if inset else _MARGIN)
            area = Rect(place.x + less, place.y + less, place.width - 2 * less, place.height - 2 * less)
            yield from _shape_in(picture, area.intersect(whole), None)
        return
    x, y = place.centre if isinstance(place, Rect) else (place.x, place.y)
    for half in _AROUND:
        area = Rect(x - half, y - half, 2 * half, 2 * half).intersect(whole)
        yield from _shape_in(picture, area, (x - area.x, y - area.y))


def _shape_in(picture: _Pixels, area: Rect, point: tuple[int, int] | None) -> Iterator[Shape]:
    if min(area.width, area.height) < _SMALLEST:
        return
    shape = shape_of(picture[area.y : area.bottom, area.x : area.right], point)
    if shape is not None:
        yield shape


def shape_of(crop: _Pixels, point: tuple[int, int] | None = None) -> Shape | None:
    """The shape that stands free in a crop, as `SIDE` x `SIDE` shares of ink (0..1), centred, its longer side filled.

    Args:
        crop: pixels of three channels; what touches its edge is not part of the icon.
        point: x and y in the crop; only what is connected with the ink near it counts. None: everything.

    Returns:
        None where there is no ink, or it is too small, too large or too narrow for an icon.
    """
    halved = 2 if max(crop.shape) > _DETAILED else 1  # a large area can only hold large icons that a smaller one cannot
    ink = _ink(_averaged(crop, halved))
    mask = ink > _SOLID
    edge = np.zeros_like(mask)
    edge[[0, -1], :] = edge[:, [0, -1]] = True
    mask &= ~_connected(mask, mask & edge, 1)
    if point is not None:
        mask = _connected(mask, _near(mask, (point[0] // halved, point[1] // halved)), _GAP)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    longer, shorter = max(bottom - top, right - left), min(bottom - top, right - left)
    if not _SMALLEST <= longer * halved <= _LARGEST or shorter < _NARROWEST * longer:
        return None
    kept = np.where(_grown(mask, 1), ink, 0)[top:bottom, left:right]
    return _fitted(kept)


def _averaged(crop: _Pixels, by: int) -> _Pixels:
    if by == 1:
        return crop
    height, width = crop.shape[0] // by, crop.shape[1] // by
    blocks = crop[: height * by, : width * by].reshape(height, by, width, by, -1)
    return np.asarray(blocks.mean(axis=(1, 3)), dtype=np.uint8)


def _ink(crop: _Pixels) -> _Ink:
    """How much each pixel differs from the background, 0..1; the background is the most frequent colour."""
    coarse = crop.astype(np.int32) >> 3
    keys = (coarse[..., 0] << 10) | (coarse[..., 1] << 5) | coarse[..., 2]
    values, counts = np.unique(keys, return_counts=True)
    background = np.median(crop[keys == values[counts.argmax()]], axis=0)
    differs = np.abs(crop - background).max(axis=-1)
    strongest = float(np.quantile(differs[differs > _CONTRAST], 0.9)) if (differs > _CONTRAST).any() else math.inf
    return np.asarray(np.clip(differs / strongest, 0, 1), dtype=np.float32)


def _near(mask: _Mask, point: tuple[int, int]) -> _Mask:
    """The ink nearest to a point, if it is near enough."""
    ys, xs = np.nonzero(mask)
    start = np.zeros_like(mask)
    if ys.size:
        far = np.hypot(xs - point[0], ys - point[1])
        nearest = int(far.argmin())
        start[ys[nearest], xs[nearest]] = far[nearest] <= _NEAR
    return start


def _connected(mask: _Mask, start: _Mask, gap: int) -> _Mask:
    """The part of the mask that can be reached from `start` in steps of at most `gap` pixels."""
    reached, count = start, -1
    while (grown := int(reached.sum())) != count:
        count = grown
        reached = _grown(reached, gap) & mask
    return reached


def _grown(mask: _Mask, by: int) -> _Mask:
    grown = mask
    for _ in range(by):
        wide = grown.copy()
        wide[1:] |= grown[:-1]
        wide[:-1] |= grown[1:]
        grown = wide.copy()
        grown[:, 1:] |= wide[:, :-1]
        grown[:, :-1] |= wide[:, 1:]
    return grown


def _fitted(ink: _Ink) -> Shape:
    height, width = ink.shape
    scale = SIDE / max(height, width)
    rows = _overlaps(height, scale, (SIDE - height * scale) / 2)
    columns = _overlaps(width, scale, (SIDE - width * scale) / 2)
    return (rows @ ink @ columns.T).astype(np.float32)


@functools.lru_cache(maxsize=256)
def _overlaps(length: int, scale: float, start: float) -> npt.NDArray[np.float32]:
    """The share of each of `SIDE` cells that each of `length` pixels covers."""
    cells = np.arange(SIDE)[:, None]
    first = start + np.arange(length)[None, :] * scale
    shares = np.minimum(cells + 1, first + scale) - np.maximum(cells, first)
    return np.asarray(np.clip(shares, 0, 1), dtype=np.float32)


def probabilities(
    shapes: npt.NDArray[np.float32], weights: Mapping[str, npt.NDArray[np.float32]] | None = None
) -> Shape:
    """The probability of each of `NAMES` for each shape: two layers of 3 x 3 and 5 x 5 filters, then two full layers.

    Args:
        shapes: number x `SIDE` x `SIDE`.
        weights: other weights than the shipped ones, for training.
    """
    known = _weights() if weights is None else weights
    features = np.maximum(patches(shapes[..., None], 5) @ known["filters1"] + known["bias1"], 0)
    features = np.maximum(patches(features, 3) @ known["filters2"] + known["bias2"], 0)
    hidden = np.maximum(features.reshape(len(shapes), -1) @ known["full3"] + known["bias3"], 0)
    scores = hidden @ known["full4"] + known["bias4"]
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True), dtype=np.float32)


def patches(maps: npt.NDArray[np.float32], side: int) -> npt.NDArray[np.float32]:
    """The neighbourhoods of every second pixel: number x rows/2 x columns/2 x (side * side * channels)."""
    padded = np.pad(maps, ((0, 0), (side // 2, side // 2), (side // 2, side // 2), (0, 0)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(1, 2))[:, ::2, ::2]
    number, rows, columns = seen.shape[:3]
    return np.ascontiguousarray(seen.transpose(0, 1, 2, 4, 5, 3)).reshape(number, rows, columns, -1)


@functools.cache
def _weights() -> Mapping[str, npt.NDArray[np.float32]]:
    with np.load(resource_path("icons_known", "network.npz"), allow_pickle=False) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
