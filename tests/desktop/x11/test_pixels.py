"""Pasting and blending of pictures under composition."""

from __future__ import annotations

import numpy as np
import pytest

from operator_console.desktop.x11.pixels import Canvas, over
from operator_console.domain.geometry import Rect


def colour(value: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    return np.array([[value]], dtype=np.uint32)


@pytest.mark.parametrize(
    ("source", "below", "shown"),
    [
        (0xFF102030, 0x00AABBCC, 0x102030),  # opaque hides
        (0x00000000, 0x00AABBCC, 0xAABBCC),  # clear shows what is beneath
        (0x80404040, 0x00FFFFFF, 0xBFBFBF),  # half of a premultiplied grey over white
    ],
)
def test_translucent_windows_are_blended(source: int, below: int, shown: int) -> None:
    assert int(over(colour(source), colour(below))[0, 0]) & 0xFFFFFF == shown


def test_pasting_and_hiding_touch_just_their_part() -> None:
    canvas = Canvas(bytearray(4 * 3 * 4), Rect(10, 20, 4, 3))
    canvas.paste(bytearray(b"\x01\x02\x03\x00" * 2), Rect(11, 21, 2, 1))
    before = canvas.hidden
    canvas.hide(Rect(13, 22, 50, 50))
    assert (before, canvas.hidden) == (False, True)
    rows = [bytes(canvas.pixels[row * 16 : row * 16 + 16]) for row in range(3)]
    empty, blue, grey = b"\0\0\0\0", b"\x01\x02\x03\x00", b"\x80\x80\x80\x00"
    assert rows == [empty * 4, empty + blue * 2 + empty, empty * 3 + grey]


def test_hiding_outside_hides_nothing() -> None:
    canvas = Canvas(bytearray(16), Rect(0, 0, 2, 2))
    canvas.hide(Rect(5, 5, 3, 3))
    assert not canvas.hidden
