"""The windows that pointer input can reach now, bottom to top: what a picture is taken of.

Read for each picture, because titles and input shapes change without any event. The server decides where an event goes
by the same shapes, so a point of the picture belongs to the same window here as for a press.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from operator_console.desktop.values import Window
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.scene import Layer, Scene
from operator_console.domain.frames import StackedWindow, WindowInfo
from operator_console.domain.geometry import Rect

_BOUNDING, _INPUT = 0, 2
_WITHOUT_FOCUS = frozenset({"dock", "menu", "popup_menu", "dropdown_menu", "combo", "tooltip", "notification", "dnd"})


def stacking(display: Display, scene: Scene, among: Container[int] | None = None) -> tuple[StackedWindow, ...]:
    """The windows now, the console's own left out.

    Args:
        among: only these layers (children of the root); None: all.
    """
    shape = display.extension("shape")
    layers = [each for each in scene.reached_layers() if not each.own and (among is None or each.layer_id in among)]
    asked = [
        (
            layer,
            windows.reading(display, layer.client, layer.layer_id),
            [shape.GetRectangles(layer.layer_id, kind) for kind in (_BOUNDING, _INPUT)] if shape is not None else [],
        )
        for layer in layers
    ]
    return tuple(
        _stacked(layer, described(), [display.answer(each) for each in shapes]) for layer, described, shapes in asked
    )


def _stacked(layer: Layer, window: Window | None, shapes: list[Any]) -> StackedWindow:
    unknown = WindowInfo(window_id=layer.client, title="", app="", pid=layer.pid, rect=layer.rect)
    parts: tuple[Rect, ...] = (layer.rect,)
    for reply in shapes:
        if reply is not None:
            parts = _common(parts, [_placed(layer, each) for each in reply.rectangles])
    return StackedWindow(
        info=unknown if window is None else window.info(),
        parts=parts,
        takes_focus=window is None or not (window.override or _WITHOUT_FOCUS.intersection(window.kinds)),
    )


def _placed(layer: Layer, part: Any) -> Rect:
    border = layer.border
    return Rect(layer.rect.x + border + part.x, layer.rect.y + border + part.y, part.width, part.height)


def _common(parts: tuple[Rect, ...], shape: list[Rect]) -> tuple[Rect, ...]:
    if len(shape) > 1 and tuple(shape) == parts:
        return parts
    found = (part.intersect(each) for part in parts for each in shape)
    return tuple(part for part in found if not part.empty)
