"""The generations of Qwen: which coordinates they write, and which pictures they take.

Sources: the computer-use cookbooks of Qwen2.5-VL and Qwen3-VL. Qwen2.5-VL writes pixels of the resized picture, whose
size the function tells it. Qwen3-VL is told that the screen has 1000x1000 pixels, whatever the picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import GRID_UNITS, FrameGeometry, GridPoint, NativePoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.qwen.options import Generation, QwenOptions
from operator_console.providers.shared import results as words
from operator_console.providers.shared.arguments import Arguments
from operator_console.providers.shared.smart_resize import SmartResize

_FACTORS = {Generation.QWEN2_5: 28, Generation.QWEN3: 32}
# The processors take up to 16384 patches, but grounding is reported to become worse far below that.
_MAX_PATCHES = 2700
_PATTERNS = (
    (Generation.QWEN2_5, re.compile(r"qwen-?_?2[._-]5", re.IGNORECASE)),
    (Generation.QWEN3, re.compile(r"qwen-?_?3", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a generation needs.

    Attributes:
        generation: 2.5 or 3.
        resize: What the endpoint does to pictures.
    """

    generation: Generation
    resize: SmartResize

    @property
    def absolute(self) -> bool:
        """Whether coordinates are pixels of the resized picture; else thousandths of each axis."""
        return self.generation is Generation.QWEN2_5

    @property
    def show(self) -> words.Show:
        """Describes an action in the coordinates of the model."""
        return words.show_in_picture if self.absolute else words.show_on_grid

    def resolution(self, geometry: FrameGeometry) -> Size:
        """The size of the screen that the model is told."""
        if not self.absolute:
            return Size(GRID_UNITS, GRID_UNITS)
        return self.resize.seen(geometry.sent)

    def arguments(self, values: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
        """The arguments of a call on a frame."""

        def locate(x: float, y: float) -> NativePoint:
            return self.resize.locate(geometry, x, y) if self.absolute else geometry.from_grid(GridPoint(x, y))

        return Arguments(values=values, geometry=geometry, locate=locate)


def traits_of(model: str, options: QwenOptions) -> Traits:
    """The traits of a model.

    Raises:
        OperatorError: Neither the options nor the name of the model tell its generation.
    """
    generation = options.generation or next((made for made, name in _PATTERNS if name.search(model)), None)
    if generation is None:
        raise OperatorError(
            notice(NoticeCode.MODEL_VERSION_UNKNOWN, model=model),
            remedy=notice(NoticeCode.SET_OPTION, option="generation", provider="qwen"),
        )
    factor = _FACTORS[generation]
    most = options.max_pixels or _MAX_PATCHES * factor * factor
    return Traits(
        generation=generation, resize=SmartResize(factor=factor, min_pixels=options.min_pixels, max_pixels=most)
    )
