"""Which part of the area that a viewer paints is the machine's screen: the borders around it are cut off. Pure.

A viewer puts the screen in the middle and leaves borders of one colour on both sides, from which a dark screen cannot
be told. So a border is cut off only where it is as wide on the other side, and where the screen reaches to it; in doubt
it stays, which moves no point. What was found is kept as long as nothing else can be seen.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from operator_console.domain.geometry import Rect, Size

_COLOUR = np.uint32(0x00FFFFFF)
_REACHES = 0.5
"""The part of a line that is not of the border's colour, from which on it counts as an edge of the screen."""


class GuestArea:
    """Finds it in pictures of one window. `border`: the colour of the viewer's borders, 0xRRGGBB."""

    def __init__(self, border: int) -> None:
        self._border = np.uint32(border)
        self._known: tuple[Hashable, Rect] | None = None

    def of(self, pixels: bytes | bytearray | memoryview, size: Size, shape: Size | None = None) -> Rect:
        """The screen's place in a picture of the area.

        Args:
            pixels: BGRX rows of the area.
            size: of the area.
            shape: the screen's size as the viewer tells it: unscaled, or of the same proportions; None: it does not.
        """
        colours = np.frombuffer(pixels, dtype=np.uint32).reshape(size.height, size.width)
        painted = (colours & _COLOUR) != self._border
        key = (size, shape)
        if self._known is not None and self._known[0] == key and not _any_outside(painted, self._known[1]):
            return self._known[1]
        found, certain = _measured(painted, size) if shape is None else _placed(painted, size, shape)
        self._known = (key, found) if certain else None
        return found


def _placed(painted: npt.NDArray[np.bool_], size: Size, shape: Size) -> tuple[Rect, bool]:
    """As `_measured`, where it is the whole of a shape, either scaled to fit or as large as told."""
    scale = min(size.width / shape.width, size.height / shape.height)
    fitted = _centred(Size(int(shape.width * scale + 0.5), int(shape.height * scale + 0.5)), size)
    plain = _centred(shape, size)
    if scale < 1 or plain == fitted:
        return fitted, True
    measured, certain = _measured(painted, size)
    if certain and _near(measured, plain):
        return plain, True
    return fitted, _any_outside(painted, plain)


def _measured(painted: npt.NDArray[np.bool_], size: Size) -> tuple[Rect, bool]:
    """The screen's place, and whether it is known for certain."""
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    if not len(rows):
        return Rect(0, 0, size.width, size.height), False
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    inner = painted[top:bottom, left:right]
    across = _border(left, size.width - right, inner[:, 0], inner[:, -1])
    down = _border(top, size.height - bottom, inner[0], inner[-1])
    x, right = (left, right) if across else (0, size.width)
    y, bottom = (top, bottom) if down else (0, size.height)
    return Rect(x, y, right - x, bottom - y), across is not None and down is not None


def _border(before: int, after: int, first: npt.NDArray[np.bool_], last: npt.NDArray[np.bool_]) -> bool | None:
    """Whether there are borders on both sides; None: it cannot be told."""
    if before == 0 or after == 0:
        return False
    if abs(before - after) <= 1 and min(float(first.mean()), float(last.mean())) >= _REACHES:
        return True
    return None


def _centred(inner: Size, outer: Size) -> Rect:
    return Rect((outer.width - inner.width) // 2, (outer.height - inner.height) // 2, inner.width, inner.height)


def _near(one: Rect, other: Rect) -> bool:
    edges = zip((one.x, one.y, one.right, one.bottom), (other.x, other.y, other.right, other.bottom), strict=True)
    return all(abs(first - second) <= 1 for first, second in edges)


def _any_outside(painted: npt.NDArray[np.bool_], rect: Rect) -> bool:
    sides = painted[: rect.y], painted[rect.bottom :], painted[:, : rect.x], painted[:, rect.right :]
    return any(bool(side.any()) for side in sides)
