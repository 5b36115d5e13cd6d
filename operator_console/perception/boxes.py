"""Finds the box that a picture shows around a point: a button, field, tab or card, by its edges alone.

An edge is a straight line on which the colour changes from one pixel to the next. Colours may be any, and may change
slowly (gradients). No text is read here, and nothing is known about what the box is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Picture: TypeAlias = npt.NDArray[np.uint8]

_CONTRAST = 4  # smallest difference between neighbouring pixels, in any channel, that counts as an edge
_REACH_X, _REACH_Y = 1000, 200
_MIN_WIDTH, _MIN_HEIGHT = 14, 13
_MAX_HEIGHT = 240
_MAX_SHARE = 0.12  # of the frame; what is larger is a window or a panel
_MIN_RUN = 12
_CANDIDATES = 8  # edges above and below the point that are tried
_ALIGNED = 4  # pixels by which the ends of the upper and the lower edge may differ
_MAX_RADIUS = 28
_WHOLE_SIDE = 0.95
_BORDER = 3
_BESIDE = 10
_STRIP_PER_HEIGHT, _CLUSTER_GAP_PER_HEIGHT, _MAX_CLUSTERS = 6, 0.55, 2
_FRAME_GAP = 3


@dataclass(frozen=True, slots=True)
class _Edge:
    """A horizontal edge below row `y`, from column `start` to `end` (exclusive)."""

    y: int
    start: int
    end: int


def box_around(frame: Frame, point: NativePoint) -> Rect | None:
    """Find the smallest box around a point.

    Args:
        frame: the frame to search.
        point: native pixels, inside the frame.

    Returns:
        The box with its border, native pixels. None where the point lies on open background or in running text, and
        where what encloses it is as large as a panel, or a strip of several controls (menu bar, table row).
    """
    native = frame.geometry.native
    raw = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)
    view = Rect(point.x - _REACH_X, point.y - _REACH_Y, 2 * _REACH_X, 2 * _REACH_Y)
    view = view.intersect(Rect(0, 0, native.width, native.height))
    if not view.contains(point.x, point.y):
        return None
    picture: _Picture = raw[view.y : view.bottom, view.x : view.right]
    largest = _MAX_SHARE * native.width * native.height
    across, along = _changes(picture, axis=0), _changes(picture, axis=1)
    x, y = point.x - view.x, point.y - view.y
    for beside in (0, -_BESIDE, _BESIDE):  # above and below a rounded corner there is no straight edge
        if 0 < x + beside < view.width - 1:
            found = _smallest_box(picture, across, along, x + beside, y, largest)
            if found is not None and found.contains(x, y):
                return found.moved(view.x, view.y)
    return None


def _smallest_box(picture: _Picture, across: _Mask, along: _Mask, x: int, y: int, largest: float) -> Rect | None:
    """Arguments: the picture, its changes from row to row and from column to column, a point, the largest area."""
    joined = _widened(across)
    above = [_edge(joined, row, x) for row in np.flatnonzero(joined[:y, x])[::-1].tolist()]
    below = [_edge(joined, row, x) for row in (y + np.flatnonzero(joined[y:, x])).tolist()]
    pairs = product(_long_ones(above), _long_ones(below))
    for top, bottom in sorted(pairs, key=lambda pair: pair[1].y - pair[0].y):
        height = bottom.y - top.y
        if not _MIN_HEIGHT <= height <= _MAX_HEIGHT:
            continue
        sides = _sides(along, top, bottom, x)
        if sides is None:
            continue
        box = Rect(sides[0] + 1, top.y + 1, sides[1] - sides[0], height)
        if box.width < _MIN_WIDTH or box.width * box.height > largest:
            continue
        return None if _is_strip(picture, box) else _with_border(across, along, box)
    return None


def _changes(picture: _Picture, axis: int) -> _Mask:
    """Where a pixel differs from the next one along the axis; False at the end."""
    one, other = (picture[:-1], picture[1:]) if axis == 0 else (picture[:, :-1], picture[:, 1:])
    channels = (np.maximum(one, other) - np.minimum(one, other)) >= _CONTRAST
    end = [(0, 1), (0, 0)] if axis == 0 else [(0, 0), (0, 1)]
    return np.pad(channels[..., 0] | channels[..., 1] | channels[..., 2], end)


def _widened(mask: _Mask) -> _Mask:
    """The mask with each run one pixel longer at both ends, which closes small gaps."""
    wide = mask.copy()
    wide[:, 1:] |= mask[:, :-1]
    wide[:, :-1] |= mask[:, 1:]
    return wide


def _edge(joined: _Mask, row: int, x: int) -> _Edge:
    """The run of a row's edge around a column."""
    gaps = np.flatnonzero(~joined[row])
    after = int(np.searchsorted(gaps, x))
    start = int(gaps[after - 1]) + 1 if after else 0
    return _Edge(row, start + 1, (int(gaps[after]) if after < gaps.size else joined.shape[1]) - 1)


def _long_ones(edges: Sequence[_Edge]) -> list[_Edge]:
    return [edge for edge in edges if edge.end - edge.start >= _MIN_RUN][:_CANDIDATES]


def _sides(along: _Mask, top: _Edge, bottom: _Edge, x: int) -> tuple[int, int] | None:
    """The columns right before the box and of its last pixels, if the two edges belong to a box around column x."""
    start, end = max(top.start, bottom.start), min(top.end, bottom.end)
    if not start <= x < end:
        return None
    height = bottom.y - top.y
    return _straight_sides(along, top, bottom, x) or (
        _curved_sides(along, top, bottom, min(_MAX_RADIUS, height // 2 + 2))
        if abs(top.start - bottom.start) <= _ALIGNED and abs(top.end - bottom.end) <= _ALIGNED
        else None
    )


def _straight_sides(along: _Mask, top: _Edge, bottom: _Edge, x: int) -> tuple[int, int] | None:
    """The nearest columns left and right of x that are edges over the whole height. Edges may go on beyond them, as
    in a row of tabs or the cells of a table."""
    height = bottom.y - top.y
    inset = min(4, height // 6)
    start, end = max(top.start, bottom.start), min(top.end, bottom.end)
    low, high = max(0, start - inset - 1), min(along.shape[1], end + inset + 1)
    band = _widened(along[top.y + 1 + inset : bottom.y + 1 - inset, low:high])
    whole = np.flatnonzero(band.mean(axis=0) >= _WHOLE_SIDE) + low
    left, right = whole[whole < x], whole[whole >= x]
    if not left.size or not right.size:
        return None
    sides = _middle(whole, int(left[-1]), -1), _middle(whole, int(right[0]), 1)
    return sides if sides[0] < x <= sides[1] else None


def _middle(columns: npt.NDArray[np.intp], nearest: int, step: int) -> int:
    """The middle of a run of neighbouring columns: widening made up to three of one."""
    return nearest + step if nearest + step in columns else nearest


def _curved_sides(along: _Mask, top: _Edge, bottom: _Edge, radius: int) -> tuple[int, int] | None:
    """The sides of a box with rounded corners, whose upper and lower edges end where the corners begin."""
    height = bottom.y - top.y
    start, end = (top.start + bottom.start) // 2, (top.end + bottom.end) // 2
    low, high = max(0, start - radius), max(0, end - _ALIGNED)
    rows = along[top.y + 1 : bottom.y + 1]
    third = height // 3
    left, right = rows[:, low : start + _ALIGNED], rows[:, high : end + radius]
    lefts = np.flatnonzero(left[third : height - third].any(axis=0))
    rights = np.flatnonzero(right[third : height - third].any(axis=0))
    if not lefts.size or not rights.size:
        return None
    sides = low + int(lefts[0]), high + int(rights[-1])
    for side, corner in ((left, start - sides[0]), (right, sides[1] - end)):
        inset = min(max(corner, 1), third)  # between the corners every row must end at the side
        if np.mean(side[inset : height - inset].any(axis=1)) < _WHOLE_SIDE:
            return None
    return sides


def _is_strip(picture: _Picture, box: Rect) -> bool:
    """Whether a long box holds several separate things side by side: a menu bar, tool bar or table row."""
    if box.width < _STRIP_PER_HEIGHT * box.height:
        return False
    inset = box.height // 4  # without borders and corners
    inside = picture[box.y + inset : box.bottom - inset, box.x + _FRAME_GAP : box.right - _FRAME_GAP, :3]
    background = np.median(inside.reshape(-1, 3), axis=0)
    ink = np.any(np.abs(inside - background).max(axis=2) > 8 * _CONTRAST, axis=0)
    columns = np.flatnonzero(ink).tolist()
    gap = _CLUSTER_GAP_PER_HEIGHT * box.height
    return sum(b - a > gap for a, b in pairwise(columns)) + 1 > _MAX_CLUSTERS if columns else False


def _with_border(across: _Mask, along: _Mask, box: Rect) -> Rect:
    """The box grown by the border around it: parallel edges at most three pixels outside on all sides."""
    for width in range(1, _BORDER + 1):
        outer = Rect(box.x - width, box.y - width, box.width + 2 * width, box.height + 2 * width)
        if outer.x < 1 or outer.y < 1 or outer.right >= across.shape[1] or outer.bottom >= across.shape[0]:
            break
        middle_x = slice(box.x + box.width // 4, box.right - box.width // 4)
        middle_y = slice(box.y + box.height // 3, box.bottom - box.height // 3)
        parallel = (
            across[outer.y - 1, middle_x].mean(),
            across[outer.bottom - 1, middle_x].mean(),
            along[middle_y, outer.x - 1].mean(),
            along[middle_y, outer.right - 1].mean(),
        )
        if min(parallel) >= _WHOLE_SIDE:
            return outer
    return box
