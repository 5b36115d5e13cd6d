"""Blackens what no picture of a target shows.

It is done where a picture is captured, before anything else sees it: recognition of text, comparisons, the wait for a
still screen, the record, the preview and the model.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from operator_console.domain.geometry import Size
from operator_console.domain.hidden_areas import HiddenArea

_INK, _MARGIN_PX, _TEXT_PX = 128, 4, 13
_Pixels = npt.NDArray[np.uint8]


def blackened(pixels: bytes | bytearray | memoryview, size: Size, areas: Sequence[HiddenArea]) -> memoryview:
    """A copy of BGRX rows in which the areas are black, with the labels of those that have one."""
    copied = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4).copy()
    for area in areas:
        box = area.box
        copied[box.y : box.bottom, box.x : box.right] = 0
    for area in areas:
        label, box = _drawn(area.label), area.box
        if label is None or label.shape[0] > box.height or label.shape[1] > box.width:
            continue
        x, y = box.centre
        top, left = y - label.shape[0] // 2, x - label.shape[1] // 2
        copied[top : top + label.shape[0], left : left + label.shape[1], :3] = label[:, :, np.newaxis]
    return memoryview(copied.tobytes())


@functools.lru_cache(maxsize=8)
def _drawn(label: str) -> _Pixels | None:
    """The brightness of a label's pixels, (height, width); None for no label."""
    if not label:
        return None
    font = ImageFont.load_default(_TEXT_PX)
    left, top, right, bottom = font.getbbox(label)
    size = (round(right - left) + 2 * _MARGIN_PX, round(bottom - top) + 2 * _MARGIN_PX)
    image = Image.new("L", size)
    ImageDraw.Draw(image).text((_MARGIN_PX - left, _MARGIN_PX - top), label, fill=_INK, font=font)
    return np.asarray(image)
