"""RapidOCR, configured for screens: detects text areas and recognises one segment at a time.

It is loaded in the OCR process only. The library's defaults upscale small pictures (0.6 s for a crop), look for
rotated text and pad short words to 320 pixels, which screens do not need. The models are part of its wheel; nothing
is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import Pixels

_NO_LIMIT = 100_000
_TILE_UNIT = 32  # the detection network needs multiples of 32 pixels and would stretch the picture

_PARAMETERS: dict[str, Any] = {
    "Global.use_cls": False,
    "Global.use_rec": False,
    "Global.log_level": "critical",
    "Global.min_side_len": 1,
    "Global.max_side_len": _NO_LIMIT,
    "Global.use_vertical_padding": False,
    "Det.limit_type": "max",
    "Det.limit_side_len": _NO_LIMIT,
    "Rec.rec_img_shape": [3, 48, 64],
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class OcrEngine:
    """The detection and recognition networks. Loading them takes about a second."""

    def __init__(self, threads: int | None = None) -> None:
        count = threads or min(2, os.cpu_count() or 1)
        with _cached_yaml():
            from rapidocr import RapidOCR
        self._ocr = RapidOCR(params={**_PARAMETERS, "EngineConfig.onnxruntime.intra_op_num_threads": count})

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas of a BGR picture that contain text, in its pixels; about one per line."""
        height, width = image.shape[:2]
        padding = ((0, -height % _TILE_UNIT), (0, -width % _TILE_UNIT), (0, 0))
        found = self._ocr(np.ascontiguousarray(np.pad(image, padding, mode="edge")))
        quads = getattr(found, "boxes", None)
        if quads is None:
            return []
        whole = Rect(0, 0, width, height)
        return [rect for quad in quads if not (rect := _bounds(quad).intersect(whole)).empty]

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one segment (BGR pixels) and the confidence, 0..1."""
        result = self._ocr.recognize_txt([np.ascontiguousarray(crop)])
        if not result.txts or not result.scores:
            return "", 0.0
        return result.txts[0].strip(), float(result.scores[0])


@contextmanager
def _cached_yaml() -> Iterator[None]:
    """Cache YAML files during the import of RapidOCR.

    RapidOCR 3.10 parses its list of models twice, which takes a quarter of its import time.
    """
    from omegaconf import OmegaConf

    load = OmegaConf.load
    OmegaConf.load = staticmethod(cache(load))  # type: ignore[method-assign]
    try:
        yield
    finally:
        OmegaConf.load = load  # type: ignore[method-assign]


def _bounds(quad: Any) -> Rect:
    points = np.asarray(quad, dtype=float)
    left, top = np.floor(points.min(axis=0)).astype(int).tolist()
    right, bottom = np.ceil(points.max(axis=0)).astype(int).tolist()
    return Rect(left, top, right - left + 1, bottom - top + 1)
