"""Reports painting by XDamage, without reading pixels.

DamageWatch: whether and where a drawable was painted; the pixels may be unchanged. Repainting: which parts of windows
are not valid yet after redirection has begun: a part that was covered at that moment shows the covering window until
the application has painted it again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from operator_console.desktop.x11.display import Display, losing
from operator_console.desktop.x11.layers import Layer
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.geometry import Rect

if TYPE_CHECKING:  # imported where masks are made: the injector mostly makes none, and starts faster without it
    import numpy as np
    import numpy.typing as npt

_BOUNDING_BOX = 2


class DamageWatch:
    """Fits `protocols.PaintWatch`. Needs a server with XDamage."""

    def __init__(self, display: Display, drawable: int) -> None:
        self._display = display
        extension = display.extension("damage")
        assert extension is not None, "not asked for where the server lacks it"
        self._extension = extension
        self._box: Rect | None = None
        self._object: int | None = display.connection.generate_id()
        self._extension.Create(self._object, drawable, _BOUNDING_BOX)
        self._unsubscribe = display.subscribe(self._on_event)

    @property
    def pending(self) -> bool:
        """Whether something was painted since `take`."""
        return self._box is not None

    @property
    def painted(self) -> Rect | None:
        """The area painted since `take`, by the events read so far."""
        return self._box

    def take(self) -> Rect | None:
        """Read pending events, then return and clear the painted area (drawable coordinates); None if nothing."""
        self._display.pump()
        box, self._box = self._box, None
        if box is not None and self._object is not None:
            self._extension.Subtract(self._object, 0, 0)
            self._display.flush()
        return box

    def close(self) -> None:
        """Stop reporting. Does nothing if the connection is lost."""
        self._unsubscribe()
        if self._object is not None:
            with suppress(ComputerUnavailable), losing(self._display):
                self._extension.Destroy(self._object)
                self._display.flush()
            self._object = None

    def _on_event(self, event: Any) -> None:
        if type(event).__name__ == "NotifyEvent" and getattr(event, "damage", None) == self._object:
            area = Rect(event.area.x, event.area.y, event.area.width, event.area.height)
            if area.empty:  # reported for damage that was subtracted during painting; without meaning
                return
            self._box = area if self._box is None else self._box.union(area)


_RAW_RECTANGLES = 0


class Repainting:
    """The unpainted parts of layers: for each a mask over the part that was covered, in coordinates of the layer."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._damage = display.extension("damage")
        self._areas: dict[int, Rect] = {}
        self._open: dict[int, npt.NDArray[np.bool_]] = {}
        self._objects: dict[int, int] = {}
        self._unsubscribe = display.subscribe(self._on_event)

    def watch(self, covered: Mapping[int, Rect]) -> None:
        """Register layers with their covered parts, just before redirection.

        Without XDamage their painting is not reported, so the parts stay unpainted.
        """
        import numpy as np

        for layer_id, part in covered.items():
            self._areas[layer_id] = part
            self._open[layer_id] = np.ones((part.height, part.width), dtype=np.bool_)
            if self._damage is not None:
                self._objects[layer_id] = self._display.connection.generate_id()
                self._damage.Create(self._objects[layer_id], layer_id, _RAW_RECTANGLES)

    def wait(self, region: Rect, layers: Collection[Layer], timeout_s: float) -> bool:
        """Wait until these layers have painted all of `region` (root coordinates); whether they have in time."""
        return self._display.wait_until(lambda: not self.unpainted(region, layers), timeout_s)

    def unpainted(self, region: Rect, layers: Collection[Layer]) -> list[Rect]:
        """The parts of `region` that these layers have not painted yet: one rectangle per layer, root coordinates."""
        if not self._open:
            return []
        import numpy as np

        found = []
        for layer in layers:
            if layer.layer_id not in self._open:
                continue
            area = self._areas[layer.layer_id].moved(layer.rect.x, layer.rect.y)
            part = area.intersect(region)
            rows, columns = np.nonzero(
                self._open[layer.layer_id][
                    part.y - area.y : part.bottom - area.y, part.x - area.x : part.right - area.x
                ]
            )
            if len(rows):
                left, top = int(columns.min()), int(rows.min())
                width, height = int(columns.max()) - left + 1, int(rows.max()) - top + 1
                found.append(Rect(part.x + left, part.y + top, width, height))
        return found

    def close(self) -> None:
        """Stop watching."""
        self._unsubscribe()
        for layer_id in tuple(self._open):
            self._finish(layer_id)

    def _on_event(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "NotifyEvent" and hasattr(event, "damage") and event.drawable in self._open:
            self._painted(event.drawable, event.area)
        elif kind in {"DestroyNotifyEvent", "UnmapNotifyEvent"} and event.window in self._open:
            self._finish(event.window)

    def _painted(self, layer_id: int, damaged: Any) -> None:
        area = self._areas[layer_id]
        hit = Rect(damaged.x, damaged.y, damaged.width, damaged.height).intersect(area).moved(-area.x, -area.y)
        mask = self._open[layer_id]
        mask[hit.y : hit.bottom, hit.x : hit.right] = False
        if not mask.any():
            self._finish(layer_id)

    def _finish(self, layer_id: int) -> None:
        self._open.pop(layer_id, None)
        damage = self._objects.pop(layer_id, None)
        if damage is not None and self._damage is not None:
            self._damage.Destroy(damage)
