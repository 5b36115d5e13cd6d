"""Tells a pointer that has moved from other changes, in pictures that show it.

TigerVNC draws the pointer into the picture of a client that does not move it, and does not tell its shape then.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from operator_console.domain.geometry import NativePoint, Rect, Size

REACH_PX = 32
"""How far a pointer reaches from the pixel that it points at, at most, in pixels."""


def pointer_moved(
    before: bytes | memoryview, after: bytes | memoryview, size: Size, start: NativePoint, end: NativePoint
) -> tuple[Rect, ...]:
    """The areas around both ends of a motion if nothing but the pointer differs there; else ().

    Whatever the pointer looks like, its pixels at the end are now what those at the start were.

    Args:
        before, after: BGRX rows of pictures of this size.
        size: native pixels.
        start, end: where the pointer was, and is.
    """
    left = min(REACH_PX, start.x, end.x)
    top = min(REACH_PX, start.y, end.y)
    width = left + min(REACH_PX, size.width - max(start.x, end.x))
    height = top + min(REACH_PX, size.height - max(start.y, end.y))
    if width <= 0 or height <= 0 or start == end:
        return ()
    areas = tuple(Rect(at.x - left, at.y - top, width, height) for at in (start, end))
    was, then = (_cut(before, size, area) for area in areas)
    gone, now = (_cut(after, size, area) for area in areas)
    pointer = now == was
    return areas if bool(np.all(pointer | ((now == then) & (gone == was)))) else ()


def _cut(pixels: bytes | memoryview, size: Size, area: Rect) -> npt.NDArray[np.uint32]:
    rows = np.frombuffer(pixels, dtype=np.uint32).reshape(size.height, size.width)
    return rows[area.y : area.bottom, area.x : area.right] & np.uint32(0x00FFFFFF)
