"""The generations of Qwen: which coordinates they write, and which pictures they take.

Sources: the computer-use cookbooks of Qwen2.5-VL and Qwen3-VL. Qwen2.5-VL writes pixels of the resized picture, whose
size the function tells it. Qwen3-VL is told that the screen has 1000x1000 pixels, whatever the picture.
"""

from __future__ import annotations

import re

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import GRID_UNITS, FrameGeometry, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.qwen.options import Generation, QwenOptions
from operator_console.providers.shared.smart_resize import SmartResize, Traits

_FACTORS = {Generation.QWEN2_5: 28, Generation.QWEN3: 32}
# The processors take up to 16384 patches, but grounding is reported to become worse far below that.
_MAX_PATCHES = 2700
_PATTERNS = (
    (Generation.QWEN2_5, re.compile(r"qwen-?_?2[._-]5", re.IGNORECASE)),
    (Generation.QWEN3, re.compile(r"qwen-?_?3", re.IGNORECASE)),
)


class QwenTraits(Traits):
    """What a generation needs."""

    __slots__ = ()

    def resolution(self, geometry: FrameGeometry) -> Size:
        """The size of the screen that the model is told."""
        if not self.absolute:
            return Size(GRID_UNITS, GRID_UNITS)
        return self.resize.seen(geometry.sent)


def traits_of(model: str, options: QwenOptions) -> QwenTraits:
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
    return QwenTraits(
        resize=SmartResize(factor=factor, min_pixels=options.min_pixels, max_pixels=most),
        absolute=generation is Generation.QWEN2_5,
    )
