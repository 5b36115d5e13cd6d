"""Whether a hand moved a pointing device: the motion of physical devices, summed over a short time.

A mouse tells steps, a tablet or a touch screen places; both in the valuators of XInput2's raw events. A table that
shakes moves a mouse by a pixel or two, which does not count. No input or output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOVED_PX = 6.0
"""Pixels, or for a device that tells places with a range, as many parts of `_SCREEN` of that range."""
WITHIN_S = 0.5
_SCREEN = 1500.0

Axes = tuple[float, float]


@dataclass(slots=True)
class HandMotion:
    """Sums the motion of each device.

    Attributes:
        ranges: the ranges of the axes of devices that tell places, by the device's id; 0: not told.
    """

    ranges: Mapping[int, Axes]
    _sums: dict[int, tuple[float, float]] = field(default_factory=dict)
    _places: dict[int, dict[int, float]] = field(default_factory=dict)

    def moved(self, source: int, values: Mapping[int, float], now_s: float) -> bool:
        """Take a motion, by the number of its axis (0 across, 1 down); whether the hand has moved by now."""
        since_s, before = self._sums.get(source, (now_s, 0.0))
        if now_s - since_s > WITHIN_S:
            since_s, before = now_s, 0.0
        total = before + sum(abs(self._step(source, axis, value)) for axis, value in values.items() if axis in (0, 1))
        self._sums[source] = (since_s, 0.0 if total >= MOVED_PX else total)
        return total >= MOVED_PX

    def _step(self, source: int, axis: int, value: float) -> float:
        if source not in self.ranges:
            return value
        places = self._places.setdefault(source, {})
        step = value - places.get(axis, value)
        places[axis] = value
        size = self.ranges[source][axis]
        return step * _SCREEN / size if size > 0 else step
