"""The resize that Qwen's vision models, and those built on them, apply to every picture before they see it.

Models with absolute coordinates name points in the resized picture. Source: `smart_resize` in Qwen's `qwen-vl-utils`
and in the image processors of `transformers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint, SentPoint, Size
from operator_console.providers.shared import results as words
from operator_console.providers.shared.arguments import Arguments

_MAX_RATIO = 200
_MAX_BYTES = 4_000_000  # A picture of a screen stays below it; Ark accepts up to 10 MB.


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartResize:
    """The settings of an image processor.

    Attributes:
        factor: Both sides become multiples of this: 28 up to Qwen2.5-VL, 32 since Qwen3-VL.
        min_pixels: The smallest number of pixels, to which pictures are enlarged.
        max_pixels: The largest number of pixels, to which pictures are reduced.
    """

    factor: int
    min_pixels: int
    max_pixels: int

    def resized(self, size: Size) -> Size:
        """The size that a picture of this size gets. Raises ValueError if one side is over 200 times the other."""
        width, height = size.width, size.height
        if max(width, height) > _MAX_RATIO * min(width, height):
            raise ValueError(f"{width}x{height} is too long a picture")
        # `round` takes halves to the even number, as the published function does.
        across = max(self.factor, round(width / self.factor) * self.factor)
        down = max(self.factor, round(height / self.factor) * self.factor)
        if across * down > self.max_pixels:
            scale = math.sqrt(width * height / self.max_pixels)
            across = max(self.factor, math.floor(width / scale / self.factor) * self.factor)
            down = max(self.factor, math.floor(height / scale / self.factor) * self.factor)
        elif across * down < self.min_pixels:
            scale = math.sqrt(self.min_pixels / (width * height))
            across = math.ceil(width * scale / self.factor) * self.factor
            down = math.ceil(height * scale / self.factor) * self.factor
        return Size(across, down)

    def image_needs(self) -> ImageNeeds:
        """Limits within which the resize changes nothing, except for pictures below `min_pixels`."""
        return ImageNeeds(pixels=self.max_pixels, multiple_of=self.factor, max_bytes=_MAX_BYTES, mime_type="image/png")

    def seen(self, size: Size) -> Size:
        """The size in which the model sees a picture of this size; the same if the processor refuses such a picture."""
        try:
            return self.resized(size)
        except ValueError:
            return size

    def locate(self, geometry: FrameGeometry, x: float, y: float) -> NativePoint:
        """The native pixel under a pixel of the resized picture. Raises OutOfRange outside of it."""
        return replace(geometry, sent=self.seen(geometry.sent)).from_sent(SentPoint(x, y))


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How a model takes pictures and names points.

    Attributes:
        resize: What the endpoint does to pictures.
        absolute: Coordinates are pixels of the resized picture; else thousandths of each axis.
    """

    resize: SmartResize
    absolute: bool

    @property
    def show(self) -> words.Show:
        """Describes an action in the coordinates of the model."""
        return words.show_in_picture if self.absolute else words.show_on_grid

    def arguments(self, values: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
        """The arguments of a call on a frame."""

        def locate(x: float, y: float) -> NativePoint:
            return self.resize.locate(geometry, x, y) if self.absolute else geometry.from_grid(GridPoint(x, y))

        return Arguments(values=values, geometry=geometry, locate=locate)
