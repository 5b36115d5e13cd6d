"""Sizes, rectangles, the four coordinate spaces and all conversions between them.

The spaces:

* *model grid*: what a model says; 0-999 over 1000 of each axis, or a box of such numbers (`GridPoint`).
* *sent pixels*: pixels of the picture that was sent to the model (`SentPoint`).
* *native pixels*: pixels of the captured target, origin at the target's top-left (`NativePoint`). Actions use these.
* *input units*: what the operating system's input layer takes, origin at the primary screen's top-left; may be
  negative (`ScreenPoint`). On X11 one input unit is one native pixel.

Every conversion lands on the pixel that contains the named point, so it adds at most half a pixel. Numbers outside
the space raise `OutOfRange`; only the closing edge (1000 of 1000) is clamped, to the last pixel.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.errors import OutOfRange

GRID_UNITS = 1000


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in whole pixels, both at least 1."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class NativePoint:
    """A pixel of the captured target; (0, 0) is its top-left one."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class SentPoint:
    """A pixel of the picture sent to the model."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GridPoint:
    """A point on the model's 0..1000 grid."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ScreenPoint:
    """A position in input units of the whole desktop; negative left of or above the primary screen."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Rect:
    """Half-open rectangle: covers x <= px < x + width. Its coordinate space is stated where it is used."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First x that is outside."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """First y that is outside."""
        return self.y + self.height

    @property
    def size(self) -> Size:
        """Its width and height."""
        return Size(self.width, self.height)

    @property
    def centre(self) -> tuple[int, int]:
        """The pixel in the middle (rounded down)."""
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def empty(self) -> bool:
        """Whether it covers no pixel."""
        return self.width <= 0 or self.height <= 0

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def intersect(self, other: Rect) -> Rect:
        """The common part; `empty` where there is none."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        width, height = min(self.right, other.right) - x, min(self.bottom, other.bottom) - y
        return Rect(x, y, max(0, width), max(0, height))

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both; an empty one adds nothing."""
        if self.empty or other.empty:
            return other if self.empty else self
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Rect(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def distance(self, other: Rect) -> float:
        """Pixels between the nearest pixels of the two; 0 where they overlap."""
        dx = max(self.x - (other.right - 1), 0, other.x - (self.right - 1))
        dy = max(self.y - (other.bottom - 1), 0, other.y - (self.bottom - 1))
        return math.hypot(dx, dy)

    def moved(self, dx: int, dy: int) -> Rect:
        """The same rectangle shifted."""
        return Rect(self.x + dx, self.y + dy, self.width, self.height)

    @classmethod
    def around(cls, point: NativePoint, radius: int, within: Size) -> Rect:
        """The square of side 2*radius centred on `point`, cut to `within`."""
        square = cls(point.x - radius, point.y - radius, 2 * radius, 2 * radius)
        return square.intersect(cls(0, 0, within.width, within.height))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameGeometry:
    """How the coordinate spaces of one capture relate.

    Attributes:
        origin: native pixel (0, 0) in input units.
        native: size of the capture in native pixels.
        sent: size of the picture the model gets (scaled down at most once; equal to native where it fits).
        input_scale: input units per native pixel (1.0 on X11 and Windows, 0.5 on a Retina screen).
    """

    origin: ScreenPoint
    native: Size
    sent: Size
    input_scale: float = 1.0

    @property
    def rect(self) -> Rect:
        """The capture's place, in input units."""
        width, height = (round(side * self.input_scale) for side in (self.native.width, self.native.height))
        return Rect(self.origin.x, self.origin.y, width, height)

    def contains(self, point: NativePoint) -> bool:
        """Whether a native pixel is of this capture."""
        return 0 <= point.x < self.native.width and 0 <= point.y < self.native.height

    def at(self, origin: ScreenPoint) -> FrameGeometry:
        """That of the same capture after its target has moved."""
        return replace(self, origin=origin)

    def from_grid(self, point: GridPoint) -> NativePoint:
        """The native pixel a grid point names. Raises OutOfRange outside 0..1000."""
        return NativePoint(
            _cell(point.x, GRID_UNITS, self.native.width, "x"),
            _cell(point.y, GRID_UNITS, self.native.height, "y"),
        )

    def from_sent(self, point: SentPoint) -> NativePoint:
        """The native pixel under the centre of a sent pixel. Raises OutOfRange outside the picture."""
        return NativePoint(
            _pixel(point.x, self.sent.width, self.native.width, "x"),
            _pixel(point.y, self.sent.height, self.native.height, "y"),
        )

    def to_sent(self, point: NativePoint) -> SentPoint:
        """Where a native pixel's centre appears in the sent picture (fractional)."""
        return SentPoint(
            (point.x + 0.5) * self.sent.width / self.native.width - 0.5,
            (point.y + 0.5) * self.sent.height / self.native.height - 0.5,
        )

    def to_grid(self, point: NativePoint) -> GridPoint:
        """The grid coordinates of a native pixel's centre."""
        return GridPoint(
            (point.x + 0.5) * GRID_UNITS / self.native.width,
            (point.y + 0.5) * GRID_UNITS / self.native.height,
        )

    def to_screen(self, point: NativePoint) -> ScreenPoint:
        """Input units of a native pixel. Raises OutOfRange where the pixel is not of this capture."""
        if not self.contains(point):
            raise OutOfRange(axis="point", value=f"{point.x}, {point.y}", limit=f"{self.native}")
        return ScreenPoint(
            self.origin.x + math.floor((point.x + 0.5) * self.input_scale),
            self.origin.y + math.floor((point.y + 0.5) * self.input_scale),
        )

    def from_screen(self, point: ScreenPoint) -> NativePoint | None:
        """The native pixel at a point in input units; None where the capture does not show it."""
        native = NativePoint(
            math.floor((point.x - self.origin.x) / self.input_scale),
            math.floor((point.y - self.origin.y) / self.input_scale),
        )
        return native if self.contains(native) else None

    def rect_to_screen(self, rect: Rect) -> Rect:
        """The input units that a rectangle of native pixels touches."""
        return _touched(rect, self.input_scale).moved(self.origin.x, self.origin.y)

    def rect_from_screen(self, rect: Rect) -> Rect:
        """The native pixels that a rectangle in input units touches; not cut to the capture."""
        return _touched(rect.moved(-self.origin.x, -self.origin.y), 1 / self.input_scale)


def along(path: Sequence[NativePoint], *, longest: int, least: int) -> Iterator[NativePoint]:
    """Points along a path, including each of its corners and its end.

    Args:
        path: native pixels.
        longest: how far they are apart at most, in pixels.
        least: how many there are at least between two corners.
    """
    for a, b in itertools.pairwise(path):
        pieces = max(least, math.ceil(math.hypot(b.x - a.x, b.y - a.y) / longest))
        for number in range(1, pieces + 1):
            yield NativePoint(round(a.x + (b.x - a.x) * number / pieces), round(a.y + (b.y - a.y) * number / pieces))


def _touched(rect: Rect, scale: float) -> Rect:
    left, top = math.floor(rect.x * scale), math.floor(rect.y * scale)
    return Rect(left, top, math.ceil(rect.right * scale) - left, math.ceil(rect.bottom * scale) - top)


def _cell(value: float, units: int, pixels: int, axis: str) -> int:
    if not (math.isfinite(value) and 0 <= value <= units):
        raise OutOfRange(axis=axis, value=str(value), limit=f"0..{units}")
    return min(math.floor(value * pixels / units), pixels - 1)


def _pixel(value: float, sent: int, native: int, axis: str) -> int:
    if not (math.isfinite(value) and 0 <= value <= sent):
        raise OutOfRange(axis=axis, value=str(value), limit=f"0..{sent - 1}")
    return min(math.floor((value + 0.5) * native / sent), native - 1)


def fit_within(
    native: Size,
    *,
    long_edge: int | None = None,
    pixels: int | None = None,
    patch_edge: int = 1,
    patches: int | None = None,
) -> Size:
    """The largest size of the same shape inside the limits; never larger than `native`, at least 1x1.

    `patches` limits the number of squares of `patch_edge` pixels that cover the picture.
    """
    scale = 1.0
    if long_edge is not None:
        scale = min(scale, long_edge / max(native.width, native.height))
    if pixels is not None:
        scale = min(scale, math.sqrt(pixels / (native.width * native.height)))
    size = native if scale >= 1.0 else _scaled(native, scale)
    if patches is None or _patches(size, patch_edge) <= patches:
        return size
    longest = max(size.width, size.height)
    widest = bisect.bisect_right(
        range(1, longest), patches, key=lambda edge: _patches(_scaled(size, edge / longest), patch_edge)
    )
    return _scaled(size, max(1, widest) / longest)


def _scaled(size: Size, scale: float) -> Size:
    return Size(max(1, math.floor(size.width * scale)), max(1, math.floor(size.height * scale)))


def _patches(size: Size, edge: int) -> int:
    return math.ceil(size.width / edge) * math.ceil(size.height / edge)
