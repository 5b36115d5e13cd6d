"""A picture under composition: rectangles pasted in stacking order, blended where windows are translucent.

Arithmetic on pixels; the only question to the server is whether a compositing manager runs, because only then does a
window's fourth byte mean anything. Called by capture.py.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect

_GREY = np.uint32(0x00808080)


class Canvas:
    """Pixels of `rect` (root coordinates), changed in place; `hidden` tells whether anything was greyed."""

    def __init__(self, pixels: bytearray | memoryview, rect: Rect) -> None:
        self.pixels = pixels
        self.hidden = False
        self._rect = rect
        self._blends: bool | None = None

    def blends(self, display: Display) -> bool:
        """Whether a compositing manager shows translucent windows as such."""
        if self._blends is None:
            reply = display.answer(display.core.GetSelectionOwner(display.atom("_NET_WM_CM_S0")))
            self._blends = bool(reply is not None and reply.owner)
        return self._blends

    def paste(self, pixels: bytearray | memoryview, part: Rect, *, blend: bool = False) -> None:
        """Put `pixels` of `part` (root coordinates, inside the canvas) over what is there."""
        source = np.frombuffer(pixels, dtype=np.uint32).reshape(part.height, part.width)
        target = self._part(part)
        target[:] = over(source, target) if blend else source

    def hide(self, part: Rect) -> None:
        """Grey a part out, as far as it lies on the canvas."""
        inside = part.intersect(self._rect)
        if not inside.empty:
            self._part(inside)[:] = _GREY
            self.hidden = True

    def _part(self, part: Rect) -> npt.NDArray[np.uint32]:
        x, y = part.x - self._rect.x, part.y - self._rect.y
        view: npt.NDArray[np.uint32] = np.frombuffer(self.pixels, dtype=np.uint32)  # mostly there is nothing to paint
        return view.reshape(self._rect.height, self._rect.width)[y : y + part.height, x : x + part.width]


def over(source: npt.NDArray[np.uint32], below: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Premultiplied `source` over `below` (Porter-Duff), both 0xAARRGGBB."""
    front = source.view(np.uint8).reshape(*source.shape, 4).astype(np.uint16)
    back = np.ascontiguousarray(below).view(np.uint8).reshape(*below.shape, 4).astype(np.uint16)
    clear = 255 - front[..., 3:4]
    mixed = np.minimum(front + (back * clear + 127) // 255, 255).astype(np.uint8)
    result: npt.NDArray[np.uint32] = mixed.view(np.uint32).reshape(source.shape)
    return result
