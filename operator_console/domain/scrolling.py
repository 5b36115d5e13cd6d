"""How far a scroll goes, in wheel notches: the one place that converts what dialects and people say into them.

A notch is what a wheel's click is, and all that can be sent; how many pixels an application makes of one is its own
(browsers about 100, toolkits less). At least one each, for less than a notch is still a wish to scroll. Pure; called by
providers.
"""

from __future__ import annotations

from operator_console.domain.geometry import GRID_UNITS

PX_PER_NOTCH = 100
"""Taken where a distance is asked for; what browsers do, and what the reference implementations divide by."""


def from_clicks(clicks: float) -> int:
    """Wheel clicks are notches."""
    return max(1, round(clicks))


def from_pixels(distance_px: float) -> int:
    """A distance in native pixels."""
    return max(1, round(distance_px / PX_PER_NOTCH))


def from_grid(units: float, extent_px: int) -> int:
    """A distance on the model's grid along an axis of the target, whose length is `extent_px` native pixels."""
    return from_pixels(units * extent_px / GRID_UNITS)


def from_pages(pages: float, extent_px: int) -> int:
    """Pages, each as long as the target along that axis."""
    return from_pixels(pages * extent_px)
