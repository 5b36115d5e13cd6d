"""Finds a cross of a known colour in a picture. Pure."""

from __future__ import annotations

import numpy as np

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint

_LARGEST = 400
"""Of a cross, in native pixels: more are other things of this colour."""


def find_cross(frame: Frame, colour: int) -> NativePoint | None:
    """The middle pixel of the only cross of this colour, 0xRRGGBB; None where there is none that is whole."""
    size = frame.geometry.native
    pixels = np.frombuffer(frame.pixels, dtype=np.uint32).reshape(size.height, size.width)
    rows, columns = np.nonzero((pixels & np.uint32(0x00FFFFFF)) == np.uint32(colour))
    if not len(rows):
        return None
    top, bottom, left, right = int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())
    if bottom - top != right - left or not 4 < bottom - top < _LARGEST:
        return None
    return NativePoint((left + right) // 2, (top + bottom) // 2)
