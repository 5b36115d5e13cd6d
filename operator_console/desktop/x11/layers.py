"""Everything on the screen in stacking order, which of it is the console's, and which windows input can reach.

A layer is a child of the root window: a window manager's frame, a menu, a tooltip. The layers are cached until the
server reports a change. Titles and input shapes change without an event, so they are read anew for each picture.
Windows that are made outside the screen and stay there are left out, such as those by which a capture in another thread
reads the root's background.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Window
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.domain.frames import StackedWindow, WindowInfo
from operator_console.domain.geometry import Rect

_SUBSTRUCTURE_NOTIFY = 1 << 19
_PROPERTY_CHANGE = 1 << 22
_VIEWABLE = 2
_INPUT_ONLY = 2
_BOUNDING, _INPUT = 0, 2
_WITHOUT_FOCUS = frozenset({"dock", "menu", "popup_menu", "dropdown_menu", "combo", "tooltip", "notification", "dnd"})
_STRUCTURE = frozenset(
    {"CreateNotifyEvent", "DestroyNotifyEvent", "MapNotifyEvent", "UnmapNotifyEvent", "ReparentNotifyEvent"}
)
_PLACE = frozenset({"ConfigureNotifyEvent", "CirculateNotifyEvent", "GravityNotifyEvent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A viewable child of the root.

    Attributes:
        client: the application's window in it; the layer itself if it has none.
        rect: outer rectangle with the border, root coordinates.
        border: width of the X border, which is part of the pixmap.
        parts: its bounding shape, root coordinates.
        shows: whether it is visible; InputOnly windows are not, but take input.
    """

    layer_id: int
    client: int
    rect: Rect
    border: int
    parts: tuple[Rect, ...]
    pid: int | None
    own: bool
    depth: int = 24
    shows: bool = True


class WindowLayers:
    """The current layers. `version` increases whenever they may have changed."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        self._display = display
        self._own = own
        self._own_version = own.version
        self._layers: tuple[Layer, ...] | None = None
        self._input_layers: tuple[Layer, ...] = ()
        self._own_layers: tuple[Layer, ...] = ()
        self._known: dict[int, tuple[int, int | None]] = {}
        self._outside: set[int] = set()
        self.version = 0
        display.listen(display.root, _SUBSTRUCTURE_NOTIFY | _PROPERTY_CHANGE)
        display.sync()
        self._unsubscribe = display.subscribe(self._on_event)

    def close(self) -> None:
        """Stop listening to events."""
        self._unsubscribe()

    def layers(self) -> tuple[Layer, ...]:
        """All visible layers, bottom first, after reading pending events."""
        self._display.pump()
        return self.known_layers()

    def known_layers(self) -> tuple[Layer, ...]:
        """As `layers`, without reading pending events, for a caller that reads them after a grab to detect changes."""
        if self._own.version != self._own_version:
            self._own_version = self._own.version
            self._invalidate()
        while self._layers is None:
            version = self.version
            layers = self._read()
            self._display.pump()
            if version == self.version:
                self._input_layers = layers
                self._layers = tuple(layer for layer in layers if layer.shows)
                self._own_layers = tuple(layer for layer in self._layers if layer.own)
        return self._layers

    def input_layers(self) -> tuple[Layer, ...]:
        """As `layers`, plus invisible ones that take input."""
        self.layers()
        return self._input_layers

    def own_layers(self) -> tuple[Layer, ...]:
        """The console's layers, bottom first, after reading pending events."""
        self._display.pump()
        return self.known_own_layers()

    def known_own_layers(self) -> tuple[Layer, ...]:
        """The console's layers, without reading pending events."""
        self.known_layers()
        return self._own_layers

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of the console's: by its process, or by its layer."""
        if window.pid is not None and window.pid in self._own.pids:
            return True
        return any(layer.layer_id == window.frame_id for layer in self.own_layers())

    def _on_event(self, event: Any) -> None:
        kind = type(event).__name__
        structure = kind in _STRUCTURE
        if not structure and kind not in _PLACE:
            return
        if structure and self._display.created(event.window):
            return
        stays_outside = self._stays_outside(kind, event)
        if structure:
            self._known.pop(event.window, None)
        if not stays_outside or self._layers is None:  # being read, perhaps with that window in them
            self._invalidate()

    def _stays_outside(self, kind: str, event: Any) -> bool:
        """Whether an event is about a window that was made left of or above the screen and has not been moved since."""
        if kind == "CreateNotifyEvent":
            border = 2 * event.border_width
            if event.x + event.width + border > 0 and event.y + event.height + border > 0:
                return False
            self._outside.add(event.window)
            return True
        if event.window not in self._outside:
            return False
        if kind in {"MapNotifyEvent", "UnmapNotifyEvent"}:
            return True
        self._outside.discard(event.window)
        return kind == "DestroyNotifyEvent"

    def _invalidate(self) -> None:
        self._layers = None
        self.version += 1

    def _read(self) -> tuple[Layer, ...]:
        display, core = self._display, self._display.core
        shape = display.extension("shape")
        asked = [
            (
                child,
                core.GetWindowAttributes(child),
                core.GetGeometry(child),
                shape.GetRectangles(child, _BOUNDING) if shape is not None else None,
            )
            for child in windows.stack(display)
            if child not in self._outside
        ]
        own_ids = self._own_layer_ids()
        found = []
        for child, attributes, geometry, rectangles in asked:
            seen, place = display.answer(attributes), display.answer(geometry)
            parts = display.answer(rectangles) if rectangles is not None else None
            if seen is None or place is None or seen.map_state != _VIEWABLE:
                continue
            found.append(self._layer(child, place, parts, own_ids, shows=seen._class != _INPUT_ONLY))
        return tuple(found)

    def _layer(self, child: int, place: Any, parts: Any, own_ids: frozenset[int], *, shows: bool) -> Layer:
        border = int(place.border_width)
        rect = Rect(place.x, place.y, place.width + 2 * border, place.height + 2 * border)
        if child not in self._known:
            client = windows.client_inside(self._display, child) or child
            self._known[child] = (client, windows.pid_of(self._display, client))
        client, pid = self._known[child]
        shaped = [
            Rect(rect.x + border + part.x, rect.y + border + part.y, part.width, part.height).intersect(rect)
            for part in (parts.rectangles if parts is not None else ())
        ]
        return Layer(
            layer_id=child,
            client=client,
            rect=rect,
            border=border,
            parts=tuple(part for part in shaped if not part.empty) or (rect,),
            pid=pid,
            own=child in own_ids or (pid is not None and pid in self._own.pids),
            depth=int(place.depth),
            shows=shows,
        )

    def _own_layer_ids(self) -> frozenset[int]:
        paths = [windows.path_to_root(self._display, window) for window in self._own.window_ids]
        return frozenset(path[-1] for path in paths if path)


def stacked_windows(
    display: Display, layers: WindowLayers, among: Container[int] | None = None
) -> tuple[StackedWindow, ...]:
    """The windows that pointer input can reach now, bottom first, without the console's.

    The server delivers events by the same shapes, so a point of the picture belongs to the same window as for a click.

    Args:
        display: the connection.
        layers: the layers on it.
        among: only these layers; None: all.
    """
    shape = display.extension("shape")
    reached = [each for each in layers.input_layers() if not each.own and (among is None or each.layer_id in among)]
    asked = [
        (
            layer,
            windows.request_window(display, layer.client, layer.layer_id),
            [shape.GetRectangles(layer.layer_id, kind) for kind in (_BOUNDING, _INPUT)] if shape is not None else [],
        )
        for layer in reached
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


class LayerOcclusion:
    """Fits `protocols.Occlusion`, on a connection of its own."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        """Takes over the connection."""
        self._display = display
        self._layers = WindowLayers(display, own)

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        """Whether a foreign window overlaps the layer that contains the window, or a part of it; True if it is not
        shown."""
        layers = self._layers.layers()
        for number, layer in enumerate(layers):
            if window_id in (layer.client, layer.layer_id):
                above = layers[number + 1 :]
                over = layer.rect if part is None else part
                return any(not other.own and not each.intersect(over).empty for other in above for each in other.parts)
        return True

    def has_focus(self) -> bool:
        """Whether a window of this process has the keyboard focus."""
        window = windows.focused(self._display)
        return window is not None and window.pid == os.getpid()

    def close(self) -> None:
        """Disconnect."""
        self._layers.close()
        self._display.close()
