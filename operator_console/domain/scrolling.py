"""Converts scroll distances into wheel notches, the unit that is sent.

How far one notch scrolls is up to the application (about 100 px in browsers, less in most toolkits). Every conversion
gives at least one notch, because a smaller distance is still a request to scroll.
"""

from __future__ import annotations

from operator_console.domain.geometry import GRID_UNITS

PX_PER_NOTCH = 100
"""The usual distance in browsers, and the divisor of the vendors' reference implementations."""


def from_clicks(clicks: float) -> int:
    """Notches for a number of wheel clicks."""
    return max(1, round(clicks))


def from_pixels(distance_px: float) -> int:
    """Notches for a distance in native pixels."""
    return max(1, round(distance_px / PX_PER_NOTCH))


def from_grid(units: float, extent_px: int) -> int:
    """Notches for a distance on the model's grid, along an axis of the target of `extent_px` native pixels."""
    return from_pixels(units * extent_px / GRID_UNITS)


def from_pages(pages: float, extent_px: int) -> int:
    """Notches for a number of pages, each `extent_px` native pixels long."""
    return from_pixels(pages * extent_px)


class WheelNotches:
    """Whole notches of a wheel that is turned by parts of one: what is left over counts for the next turn."""

    def __init__(self) -> None:
        self._left = [0.0, 0.0]

    def turned(self, dx_px: float, dy_px: float) -> tuple[int, ...]:
        """The buttons of the notches that a turn completes: 4 up, 5 down, 6 left, 7 right."""
        found: list[int] = []
        for axis, (distance_px, back, forth) in enumerate(((dx_px, 6, 7), (dy_px, 4, 5))):
            if self._left[axis] * distance_px < 0:
                self._left[axis] = 0.0
            notches = self._left[axis] + distance_px / PX_PER_NOTCH
            whole = int(notches)
            self._left[axis] = notches - whole
            found += [forth if whole > 0 else back] * abs(whole)
        return tuple(found)
