"""Where a picture is placed in the preview, in device pixels, and where labels go around it. Pure arithmetic; no Qt.

Device pixels, not logical ones: at 200 % scale a widget of 400 x 300 has 800 x 600 of them, and a reticle must mark
exactly the pixel that a click will hit. All mapping between picture and window is done by `Fit`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_console.domain.geometry import NativePoint, Rect, Size


@dataclass(frozen=True, slots=True)
class DevicePoint:
    """The centre of something in device pixels of a widget; (0.5, 0.5) is the centre of its top-left pixel."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in device pixels of a widget."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: Box) -> float:
        """The area shared with `other`."""
        width = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        height = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return width * height if width > 0 and height > 0 else 0.0

    def common(self, other: Box) -> Box:
        """The common part; without width or height where there is none."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        right, bottom = (
            min(self.x + self.width, other.x + other.width),
            min(self.y + self.height, other.y + other.height),
        )
        return Box(x, y, max(0.0, right - x), max(0.0, bottom - y))

    def outside(self, bounds: Box) -> float:
        """The part of the area that lies outside `bounds`."""
        return self.width * self.height - self.overlap(bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A picture of `native` pixels drawn into whole device pixels at (x, y), width x height."""

    native: Size
    x: int
    y: int
    width: int
    height: int

    @classmethod
    def within(cls, native: Size, width: int, height: int, *, margin: int = 0, largest: float = 1.0) -> Fit:
        """As large as it fits in width x height device pixels, centred; at most `largest` times its native size.

        Enlarged by whole multiples only: other factors would blur sharp pixels.
        """
        room = Size(max(1, width - 2 * margin), max(1, height - 2 * margin))
        scale = min(room.width / native.width, room.height / native.height, largest)
        scale = math.floor(scale) if scale > 1.0 else scale
        drawn = Size(max(1, round(native.width * scale)), max(1, round(native.height * scale)))
        x, y = (width - drawn.width) // 2, (height - drawn.height) // 2
        return cls(native=native, x=x, y=y, width=drawn.width, height=drawn.height)

    @property
    def zoom(self) -> float:
        """Device pixels per native pixel."""
        return self.width / self.native.width

    @property
    def box(self) -> Box:
        """The rectangle of the picture."""
        return Box(self.x, self.y, self.width, self.height)

    def to_device(self, point: NativePoint) -> DevicePoint:
        """The centre of the device pixel under the centre of a native pixel (off by at most half a device pixel)."""
        across = (point.x + 0.5) * self.width / self.native.width
        down = (point.y + 0.5) * self.height / self.native.height
        return DevicePoint(self.x + math.floor(across) + 0.5, self.y + math.floor(down) + 0.5)

    def to_box(self, rect: Rect) -> Box:
        """A rectangle of native pixels in device pixels."""
        across, down = self.width / self.native.width, self.height / self.native.height
        return Box(self.x + rect.x * across, self.y + rect.y * down, rect.width * across, rect.height * down)

    def to_native(self, x: float, y: float) -> NativePoint | None:
        """The native pixel under a device position; None outside the picture."""
        across = math.floor((x - self.x) * self.native.width / self.width)
        down = math.floor((y - self.y) * self.native.height / self.height)
        if 0 <= across < self.native.width and 0 <= down < self.native.height:
            return NativePoint(across, down)
        return None


def place_label(
    at: DevicePoint, size: tuple[float, float], *, clear: float, bounds: Box, taken: Sequence[Box] = ()
) -> Box:
    """Choose a place for a label of `size` beside a target: inside `bounds`, clear of the target and of `taken`.

    Args:
        clear: least distance between point and label, in device pixels.
        taken: other labels and targets, in any order.
    """
    target = Box(at.x - clear, at.y - clear, 2 * clear, 2 * clear)
    return _best(_candidates(at, *size, clear), target, bounds, taken)


def place_tag(beside: Box, size: tuple[float, float], *, bounds: Box, taken: Sequence[Box] = ()) -> Box:
    """Choose a place for a small tag of `size` at the edge of a box: inside `bounds`, clear of `taken`, which may
    hold the box itself."""
    return _best(_tag_candidates(beside, *size), Box(0, 0, 0, 0), bounds, taken)


def _best(candidates: Iterable[Box], target: Box, bounds: Box, taken: Sequence[Box]) -> Box:
    best, least = None, math.inf
    for order, box in enumerate(candidates):
        inside = _moved_inside(box, bounds)
        cost = (
            4.0 * inside.overlap(target)
            + 2.0 * inside.outside(bounds)
            + sum(inside.overlap(other) for other in taken)
            + 0.001 * order
        )
        if cost < least:
            best, least = inside, cost
    assert best is not None
    return best


def _candidates(at: DevicePoint, width: float, height: float, clear: float) -> Iterable[Box]:
    right, left = at.x + clear, at.x - clear - width
    above, below = at.y - clear - height, at.y + clear
    middle_x, middle_y = at.x - width / 2, at.y - height / 2
    yield Box(at.x + clear * 0.7, above, width, height)
    yield Box(at.x + clear * 0.7, below, width, height)
    yield Box(left + clear * 0.3, above, width, height)
    yield Box(left + clear * 0.3, below, width, height)
    yield Box(right, middle_y, width, height)
    yield Box(left, middle_y, width, height)
    yield Box(middle_x, above, width, height)
    yield Box(middle_x, below, width, height)
    for away in (2, 3, 4):
        yield Box(middle_x, above - (away - 1) * (height + 2), width, height)
        yield Box(middle_x, below + (away - 1) * (height + 2), width, height)


def _tag_candidates(beside: Box, width: float, height: float) -> Iterable[Box]:
    right, below = beside.x + beside.width, beside.y + beside.height
    middle = beside.y + (beside.height - height) / 2
    yield Box(beside.x - width, middle, width, height)
    yield Box(right, middle, width, height)
    yield Box(beside.x, beside.y - height, width, height)
    yield Box(beside.x, below, width, height)
    yield Box(right - width, beside.y - height, width, height)
    yield Box(right - width, below, width, height)
    yield Box(beside.x, beside.y, width, height)


def _moved_inside(box: Box, bounds: Box) -> Box:
    x = max(bounds.x, min(box.x, bounds.x + bounds.width - box.width))
    y = max(bounds.y, min(box.y, bounds.y + bounds.height - box.height))
    return Box(x, y, box.width, box.height)
