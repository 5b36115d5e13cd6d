"""Lets input through the console's own windows at a point, by cutting a few pixels out of their Input shape.

Only around the point, so that all buttons (Stop above all) can be clicked meanwhile. The shape is set on children of
the root (the window manager's frames, and override-redirect menus), because the server decides by those. Only for
windows of this process: if it dies, the windows and the holes in them go with it. Sends no input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from operator_console.desktop.protocols import Layer
from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import ScreenPoint

RADIUS_PX = 2
_SET, _SUBTRACT = 0, 3
_INPUT = 2
_UNSORTED = 0
_NO_PIXMAP = 0


class ClickThrough:
    """Fits `protocols.ClickThrough`. Needs a server with the shape extension."""

    def __init__(self, display: Display) -> None:
        self._display = display
        shape = display.extension("shape")
        assert shape is not None, "not asked for where the server lacks it"
        self._shape = shape
        self._before: dict[int, list[Any]] = {}  # empty: it had no input shape

    def open(self, layers: Sequence[Layer], point: ScreenPoint) -> None:
        """Let input through these layers at `point` (root coordinates). Returns once it is in effect."""
        for layer in layers:
            if layer.layer_id not in self._before:
                shape = self._shape_of(layer)
                if shape is None:
                    continue
                self._before[layer.layer_id] = shape
            x, y = point.x - layer.rect.x - layer.border, point.y - layer.rect.y - layer.border
            side = 2 * RADIUS_PX + 1
            self._reshape(_SUBTRACT, layer.layer_id, [_rectangle(x - RADIUS_PX, y - RADIUS_PX, side, side)])
        self._display.sync()

    def restore(self) -> None:
        """All layers take input again everywhere."""
        if not self._before:
            return
        for layer_id, rects in self._before.items():
            if rects:
                self._reshape(_SET, layer_id, rects)
            else:
                self._shape.Mask(_SET, _INPUT, layer_id, 0, 0, _NO_PIXMAP)
        self._before.clear()
        self._display.sync()

    def _reshape(self, operation: int, layer_id: int, rects: Sequence[Any]) -> None:
        self._shape.Rectangles(operation, _INPUT, _UNSORTED, layer_id, 0, 0, len(rects), rects)

    def _shape_of(self, layer: Layer) -> list[Any] | None:
        """The rectangles that take input; empty if that is the whole window, None if it takes none."""
        reply = self._display.answer(self._shape.GetRectangles(layer.layer_id, _INPUT))
        rects = list(reply.rectangles) if reply is not None else []
        if not rects:
            return None
        whole = (layer.rect.width, layer.rect.height)
        return [] if len(rects) == 1 and (rects[0].width, rects[0].height) == whole else rects


def _rectangle(x: int, y: int, width: int, height: int) -> Any:
    from xcffib.xproto import RECTANGLE

    return RECTANGLE.synthetic(x, y, width, height)  # type: ignore[no-untyped-call]
