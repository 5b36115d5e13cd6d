"""The versions of UI-TARS: which coordinates they write, and which pictures they were made for.

Sources: the README and `action_parser.py` of UI-TARS, and the limits of UI-TARS-desktop. Version 1.0 (on Qwen2-VL) and
Doubao write thousandths of each axis; 1.5 (on Qwen2.5-VL) writes pixels of the resized picture.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.smart_resize import SmartResize, Traits
from operator_console.providers.ui_tars.options import UiTarsOptions, Version

_FACTOR = 28
_PATCH = _FACTOR * _FACTOR
# What UI-TARS-desktop sends at most; for 1.5 it is 16384 * 28 * 28, but grounding of models on Qwen2.5-VL is reported
# to become worse far below that, and endpoints are often started with less.
_MAX_PIXELS = {Version.V1_0: 2700 * _PATCH, Version.V1_5: 2700 * _PATCH, Version.DOUBAO: 5120 * _PATCH}
_PATTERNS = (
    (Version.DOUBAO, re.compile(r"doubao", re.IGNORECASE)),
    (Version.V1_5, re.compile(r"ui-?tars[-_]?(?:v?1[._-]5)", re.IGNORECASE)),
    (Version.V1_0, re.compile(r"ui-?tars[-_](?:v?1[._-]0|\d+b[-_](?:sft|dpo))", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UiTarsTraits(Traits):
    """What a version needs.

    Attributes:
        boxes: The actions have arguments with box tokens; else with <point>.
    """

    boxes: bool


def traits_of(model: str, options: UiTarsOptions) -> UiTarsTraits:
    """The traits of a model.

    Raises:
        OperatorError: Neither the options nor the name of the model tell its version.
    """
    version = options.version or next((version for version, name in _PATTERNS if name.search(model)), None)
    if version is None:
        raise OperatorError(
            notice(NoticeCode.MODEL_VERSION_UNKNOWN, model=model),
            remedy=notice(NoticeCode.SET_OPTION, option="version", provider="ui_tars"),
        )
    resize = SmartResize(
        factor=_FACTOR, min_pixels=options.min_pixels, max_pixels=options.max_pixels or _MAX_PIXELS[version]
    )
    return UiTarsTraits(resize=resize, absolute=version is Version.V1_5, boxes=version is not Version.DOUBAO)
