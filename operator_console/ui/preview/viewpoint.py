"""Which part of a picture the preview shows, and how large, once it is not fitted to the window. Arithmetic; no Qt.

A picture is enlarged by whole multiples only and reduced by steps of about a fifth: each step is drawn once and then
kept, so that a wheel or two fingers never draw more pictures than a person can tell apart.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.geometry import NativePoint, Size
from operator_console.ui.preview.fit import Fit

ACTUAL_SIZE = 1.0
SCALES = (
    *(round(2 ** (step / 4), 3) for step in range(-20, 0)), ACTUAL_SIZE, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0,
)  # fmt: skip
"""The zooms to step through, in device pixels per native pixel."""
_SAME = 1e-3  # of a scale: a fitted picture has whole device pixels, so that its scale is never exactly one of these


class ZoomStep(StrEnum):
    """What a key, a menu entry or a notch of the wheel does to the zoom."""

    FIT = "fit"
    ACTUAL = "actual"
    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """A chosen part of a picture.

    Attributes:
        scale: device pixels per native pixel.
        x, y: the native position in the middle of the preview; (0.5, 0.5) is the centre of the top-left pixel.
    """

    scale: float
    x: float
    y: float

    @classmethod
    def of(cls, fit: Fit, room: Size, scale: float) -> Viewpoint:
        """The part that `fit`, drawn at this scale, shows in a preview of `room` device pixels."""
        x, y = position(fit, room.width / 2, room.height / 2)
        return cls(scale=scale, x=x, y=y)

    def fit(self, native: Size, room: Size, *, margin: int = 0) -> Fit:
        """Where the picture is placed: centred where it is smaller than the preview, else at most `margin` off it."""
        width, height = (max(1, round(side * self.scale)) for side in (native.width, native.height))
        x = _place(room.width, width, self.x * width / native.width, margin)
        y = _place(room.height, height, self.y * height / native.height, margin)
        return Fit(native=native, x=x, y=y, width=width, height=height)

    def panned(self, fit: Fit, room: Size, across: float, down: float) -> Viewpoint:
        """Move the picture, which is at `fit` now, by device pixels: to the right and down."""
        moved = Fit(
            native=fit.native, x=fit.x + round(across), y=fit.y + round(down), width=fit.width, height=fit.height
        )
        return Viewpoint.of(moved, room, self.scale)

    def revealing(self, fit: Fit, room: Size, point: NativePoint, *, clear: float) -> Viewpoint:
        """The least move that shows a point at least `clear` device pixels from the edge of the preview."""
        at = fit.to_device(point)
        return self.panned(fit, room, _inwards(at.x, room.width, clear), _inwards(at.y, room.height, clear))


def position(fit: Fit, x: float, y: float) -> tuple[float, float]:
    """The native position, inside the picture or beside it, at a device position."""
    return (x - fit.x) * fit.native.width / fit.width, (y - fit.y) * fit.native.height / fit.height


def zoomed(fit: Fit, scale: float, at: tuple[float, float], room: Size) -> Viewpoint:
    """Zoom so that what is at a device position stays there; above actual size, exactly the same native pixel."""
    width, height = (max(1, round(side * scale)) for side in (fit.native.width, fit.native.height))
    x, y = position(fit, *at)
    left = _kept(at[0], x, width, fit.native.width)
    top = _kept(at[1], y, height, fit.native.height)
    return Viewpoint.of(Fit(native=fit.native, x=left, y=top, width=width, height=height), room, scale)


def percent(scale: float) -> str:
    """A zoom in device pixels per native pixel."""
    return f"{scale * 100:.0f} %"


def next_scale(scale: float, step: int) -> float:
    """The scale that is `step` steps further in (or out, below 0)."""
    if step > 0:
        place = bisect_right(SCALES, scale * (1 + _SAME)) + step - 1
    else:
        place = bisect_left(SCALES, scale * (1 - _SAME)) + step
    return SCALES[min(max(place, 0), len(SCALES) - 1)]


def nearest_scale(scale: float) -> float:
    """The step nearest to a scale, in proportion."""
    wanted = math.log(max(scale, SCALES[0]))
    return min(SCALES, key=lambda each: abs(math.log(each) - wanted))


def _place(room: int, drawn: int, centre: float, margin: int) -> int:
    if drawn <= room:
        return (room - drawn) // 2
    return min(margin, max(room - drawn - margin, round(room / 2 - centre)))


def _kept(at: float, place: float, drawn: int, native: int) -> int:
    """Where the picture begins along one axis, so that the native position `place` is at the device position `at`."""
    if drawn % native:
        return round(at - place * drawn / native)
    times, pixel = drawn // native, math.floor(place)
    return math.floor(at) - pixel * times - math.floor((place - pixel) * times)


def _inwards(at: float, room: int, clear: float) -> float:
    clear = min(clear, room / 2)
    return max(0.0, clear - at) - max(0.0, at - (room - clear))
