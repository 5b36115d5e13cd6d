"""Finds the text caret: the narrow upright bar that blinks. Nothing else that a picture shows is certain to be one."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect

_Picture: TypeAlias = npt.NDArray[np.uint8]

_WIDEST = 3
_LOWEST, _TALLEST = 8, 64
_GAP = 8  # changes at least this far apart have nothing to do with each other
_FREE = 0.5  # share of its height at which it differs from what is left and right of it; letters may touch it
_MOST = 16  # groups of changed rows and columns; more are a new picture


def caret_between(before: Frame, now: Frame) -> Rect | None:
    """The caret, if it is shown in one of two pictures and not in the other.

    A bar that grows by a few pixels is none: one side of what it adds has the same colour.

    Args:
        before: the earlier picture.
        now: the later one, of the same size.

    Returns:
        Native pixels; None where nothing blinks, or more than one bar does.
    """
    native = before.geometry.native
    if now.geometry.native != native:
        return None
    first, second = _pixels(before), _pixels(now)
    changed = [row for row in range(native.height) if not np.array_equal(first[row], second[row])]
    found = []
    for top, bottom in _stretches(changed):
        different = (first[top:bottom] != second[top:bottom]).any(axis=2)
        for left, right in _stretches(np.flatnonzero(different.any(axis=0)).tolist()):
            rows = np.flatnonzero(different[:, left:right].any(axis=1)).tolist()
            bar = Rect(left, top + rows[0], right - left, rows[-1] + 1 - rows[0])
            if _is_bar(bar, different[rows[0] : rows[-1] + 1, left:right]) and _is_free(bar, first, second):
                found.append(bar)
    return found[0] if len(found) == 1 else None


def _pixels(frame: Frame) -> _Picture:
    native = frame.geometry.native
    return np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)[..., :3]


def _stretches(numbers: list[int]) -> list[tuple[int, int]]:
    """First and past-last of numbers in ascending order that are near each other; none where there are too many."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number - found[-1][1] < _GAP:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found if len(found) <= _MOST else []


def _is_bar(bar: Rect, different: npt.NDArray[np.bool_]) -> bool:
    return bar.width <= _WIDEST and _LOWEST <= bar.height <= _TALLEST and bool(different.all())


def _is_free(bar: Rect, *pictures: _Picture) -> bool:
    """Whether it stands out on both sides in one of the pictures."""
    if bar.x < 1 or bar.right >= pictures[0].shape[1]:
        return False
    rows = slice(bar.y, bar.bottom)
    return any(
        (
            (picture[rows, bar.x] != picture[rows, bar.x - 1]).any(axis=1)
            & (picture[rows, bar.right - 1] != picture[rows, bar.right]).any(axis=1)
        ).mean() >= _FREE
        for picture in pictures
    )  # fmt: skip
