"""What lies on the screen, bottom to top, and which of it is ours; cached until the server reports a change.

A layer is a child of the root: a frame, a menu, a tooltip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.values import Window
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect

_SUBSTRUCTURE_NOTIFY = 1 << 19
_PROPERTY_CHANGE = 1 << 22
_VIEWABLE = 2
_INPUT_ONLY = 2
_BOUNDING = 0
_STRUCTURE = frozenset(
    {"CreateNotifyEvent", "DestroyNotifyEvent", "MapNotifyEvent", "UnmapNotifyEvent", "ReparentNotifyEvent"}
)
_PLACE = frozenset({"ConfigureNotifyEvent", "CirculateNotifyEvent", "GravityNotifyEvent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A viewable child of the root.

    Attributes:
        rect: outer rectangle, border included, root coordinates.
        border: width of the X border, part of the pixmap.
        parts: what of it is really there (its bounding shape), root coordinates.
        client: the application's window in it, the layer itself where it has none.
        shows: whether it can be seen; one without a picture (InputOnly) takes input all the same.
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


class Scene:
    """The layers now. `version` moves on whenever they may have changed."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        self._display = display
        self._own = own
        self._own_version = own.version
        self._layers: tuple[Layer, ...] | None = None
        self._reached: tuple[Layer, ...] = ()
        self._own_layers: tuple[Layer, ...] = ()
        self._known: dict[int, tuple[int, int | None]] = {}
        self.version = 0
        display.listen(display.root, _SUBSTRUCTURE_NOTIFY | _PROPERTY_CHANGE)
        display.sync()
        self._unsubscribe = display.subscribe(self._hear)

    def close(self) -> None:
        """Hear no more events."""
        self._unsubscribe()

    def layers(self) -> tuple[Layer, ...]:
        """Bottom first, after all that has been heard so far."""
        self._display.pump()
        return self.known_layers()

    def known_layers(self) -> tuple[Layer, ...]:
        """As layers, without listening first: for who listens after a grab and begins anew where something moved."""
        if self._own.version != self._own_version:
            self._own_version = self._own.version
            self._forget()
        while self._layers is None:
            version = self.version
            layers = self._read()
            self._display.pump()
            if version == self.version:
                self._reached = layers
                self._layers = tuple(layer for layer in layers if layer.shows)
                self._own_layers = tuple(layer for layer in self._layers if layer.own)
        return self._layers

    def reached_layers(self) -> tuple[Layer, ...]:
        """As layers, with those that take input without showing anything."""
        self.layers()
        return self._reached

    def own_layers(self) -> tuple[Layer, ...]:
        """Ours, bottom first."""
        self._display.pump()
        return self.known_own_layers()

    def known_own_layers(self) -> tuple[Layer, ...]:
        """Ours, as known_layers."""
        self.known_layers()
        return self._own_layers

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of ours: by its process, or by the layer it lies in."""
        if window.pid is not None and window.pid in self._own.pids:
            return True
        return any(layer.layer_id == window.frame_id for layer in self.own_layers())

    def _hear(self, event: Any) -> None:
        kind = type(event).__name__
        if kind in _STRUCTURE:
            if self._display.made(event.window):
                return
            self._known.pop(event.window, None)
            self._forget()
        elif kind in _PLACE:
            self._forget()

    def _forget(self) -> None:
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
        ]
        ours = self._ours()
        found = []
        for child, attributes, geometry, rectangles in asked:
            seen, place = display.answer(attributes), display.answer(geometry)
            parts = display.answer(rectangles) if rectangles is not None else None
            if seen is None or place is None or seen.map_state != _VIEWABLE:
                continue
            found.append(self._layer(child, place, parts, ours, shows=seen._class != _INPUT_ONLY))
        return tuple(found)

    def _layer(self, child: int, place: Any, parts: Any, ours: frozenset[int], *, shows: bool) -> Layer:
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
            own=child in ours or (pid is not None and pid in self._own.pids),
            depth=int(place.depth),
            shows=shows,
        )

    def _ours(self) -> frozenset[int]:
        paths = [windows.path_to_root(self._display, window) for window in self._own.window_ids]
        return frozenset(path[-1] for path in paths if path)


class X11Occlusion:
    """Whether a foreign window lies over one of ours. A connection of its own, for its life."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        """The connection is this object's from now on."""
        self._display = display
        self._scene = Scene(display, own)

    def covered(self, window_id: int) -> bool:
        """Whether a foreign window lies over any part of the layer that holds our window; True where not shown."""
        layers = self._scene.layers()
        for place, layer in enumerate(layers):
            if window_id in (layer.client, layer.layer_id):
                above = layers[place + 1 :]
                return any(
                    not other.own and not part.intersect(layer.rect).empty for other in above for part in other.parts
                )
        return True

    def close(self) -> None:
        """Let go of the connection."""
        self._scene.close()
        self._display.close()
