"""Which parts of windows the server does not hold truthfully yet.

When windows begin to be redirected (pixmaps.py), what lay covered at that moment is filled with whatever covered it
until its application has painted again. This watches those parts by XDamage, so that nothing else is ever taken for
them. Called by capture.py.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect

_RAW_RECTANGLES = 0
_QUIET_S = 0.08

_Mask = npt.NDArray[np.bool_]


class Repainting:
    """The unpainted parts of layers, root coordinates."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._damage = display.extension("damage")
        self._areas: dict[int, Rect] = {}
        self._open: dict[int, _Mask] = {}
        self._objects: dict[int, int] = {}
        self._origins: dict[int, tuple[int, int]] = {}
        self._last_s = 0.0
        self._unsubscribe = display.subscribe(self._hear)

    def watch(self, covered: Mapping[int, tuple[Rect, Rect]]) -> None:
        """Layers (id: their rect, the part that was covered). To be called just before redirecting."""
        if self._damage is None:
            return
        for layer_id, (rect, part) in covered.items():
            damage = self._display.connection.generate_id()
            self._damage.Create(damage, layer_id, _RAW_RECTANGLES)
            self._objects[layer_id] = damage
            self._origins[layer_id] = (rect.x, rect.y)
            self._areas[layer_id] = part
            self._open[layer_id] = np.ones((part.height, part.width), dtype=np.bool_)

    def wait(self, timeout_s: float) -> None:
        """Until all is painted, or painting has paused for 80 ms after it began, or the time is up."""
        deadline = time.monotonic() + timeout_s
        while self._open:
            now = time.monotonic()
            quiet = self._last_s + _QUIET_S if self._last_s else deadline
            if now >= min(deadline, quiet):
                break
            self._display.wait(min(deadline, quiet) - now)
        for layer_id in [each for each, mask in self._open.items() if not mask.all()]:
            # It has painted what it wanted to paint: the rest is background the server painted itself.
            self._finish(layer_id)

    def unpainted(self, region: Rect, layer_ids: Collection[int]) -> list[Rect]:
        """Parts of `region` that one of these layers has not painted yet."""
        layers = [layer_id for layer_id in self._open if layer_id in layer_ids]
        parts = [self._areas[layer_id].intersect(region) for layer_id in layers]
        return [part for part in parts if not part.empty]

    def close(self) -> None:
        """Stop watching."""
        self._unsubscribe()
        for layer_id in tuple(self._open):
            self._finish(layer_id)

    def _hear(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "NotifyEvent" and hasattr(event, "damage") and event.drawable in self._open:
            self._painted(event.drawable, event.area)
        elif kind in {"DestroyNotifyEvent", "UnmapNotifyEvent"} and event.window in self._open:
            self._finish(event.window)

    def _painted(self, layer_id: int, area: Any) -> None:
        self._last_s = time.monotonic()
        x, y = self._origins[layer_id]
        part = self._areas[layer_id]
        hit = Rect(area.x + x, area.y + y, area.width, area.height).intersect(part).moved(-part.x, -part.y)
        if hit.empty:
            return
        mask = self._open[layer_id]
        mask[hit.y : hit.bottom, hit.x : hit.right] = False
        if not mask.any():
            self._finish(layer_id)

    def _finish(self, layer_id: int) -> None:
        self._open.pop(layer_id, None)
        damage = self._objects.pop(layer_id, None)
        if damage is not None and self._damage is not None:
            self._damage.Destroy(damage)
