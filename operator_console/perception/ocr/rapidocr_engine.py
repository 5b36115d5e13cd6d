"""RapidOCR, configured for screens: detects text areas and recognises one piece of text at a time.

It is loaded in the OCR process only. The library's defaults upscale small pictures (0.6 s for a crop), look for
rotated text and pad short words to 320 pixels, which screens do not need. The models are part of its wheel; nothing
is downloaded.

Each call runs in the thread that makes it. Several threads may call at once and share the networks.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import Pixels

MIN_CONFIDENCE = 0.6
"""With less, what the recognition network read does not count as text."""
_NO_LIMIT = 100_000
_TILE_UNIT = 32  # the detection network needs multiples of 32 pixels and would stretch the picture

_CATALOGUE_SECTIONS = ("model_routes:", "onnxruntime:")

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
    # One thread: several pieces of text at once use more cores better than several threads for one do.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,  # an arena never gives back its largest size
}


class OcrEngine:
    """The detection and recognition networks. Loading them takes about a second."""

    def __init__(self) -> None:
        with _small_catalogue(), _without_downloads():
            from rapidocr import RapidOCR
        import cv2

        cv2.setNumThreads(1)
        ocr = RapidOCR(params=_PARAMETERS)
        blank = np.zeros((_TILE_UNIT, _TILE_UNIT, 3), dtype=np.uint8)
        # The first call of each loads its network; RapidOCR does not say so when several threads do that at once.
        ocr(blank)
        ocr.recognize_txt([blank])
        self._ocr = ocr
        self._find: Any = ocr.text_det  # without the upright crop that RapidOCR makes of each area

    def detect(self, image: Pixels) -> list[Rect]:
        """Areas of a BGR picture that contain text, in its pixels; about one per line."""
        height, width = image.shape[:2]
        padding = ((0, -height % _TILE_UNIT), (0, -width % _TILE_UNIT), (0, 0))
        found = self._find(np.ascontiguousarray(np.pad(image, padding, mode="edge")))
        quads = getattr(found, "boxes", None)
        if quads is None:
            return []
        whole = Rect(0, 0, width, height)
        return [rect for quad in quads if not (rect := _bounds(quad).intersect(whole)).empty]

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        """The text of one piece (BGR pixels) and the confidence, 0..1."""
        result = self._ocr.recognize_txt([np.ascontiguousarray(crop)])
        if not result.txts or not result.scores:
            return "", 0.0
        return result.txts[0].strip(), float(result.scores[0])


@contextmanager
def _small_catalogue() -> Iterator[None]:
    """Load, during the import of RapidOCR, only the models of one engine from its catalogue, and only once.

    RapidOCR 3.10 loads its catalogue of models for every engine and language twice, which takes half of its import
    time.
    """
    from omegaconf import OmegaConf

    load = OmegaConf.load

    @cache
    def load_part(file: Path) -> Any:
        sections = re.split(r"(?m)^(?=\w)", file.read_text(encoding="utf-8"))
        wanted = [text for text in sections if text.startswith(_CATALOGUE_SECTIONS)]
        return load(io.StringIO("".join(wanted)) if len(wanted) == len(_CATALOGUE_SECTIONS) else file)

    OmegaConf.load = staticmethod(load_part)  # type: ignore[method-assign]
    try:
        yield
    finally:
        OmegaConf.load = load  # type: ignore[method-assign]


@contextmanager
def _without_downloads() -> Iterator[None]:
    """Keep RapidOCR from importing what would serve to download models: requests, which takes 9 MB, and tqdm."""
    stubs: dict[str, dict[str, Any]] = {
        "requests": {"Response": object},  # named in annotations
        "tqdm": {"tqdm": None},
    }
    absent = [name for name in stubs if name not in sys.modules]
    for name in absent:
        stub = ModuleType(name)
        stub.__dict__.update(stubs[name])
        sys.modules[name] = stub
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


def _bounds(quad: Any) -> Rect:
    points = np.asarray(quad, dtype=float)
    left, top = np.floor(points.min(axis=0)).astype(int).tolist()
    right, bottom = np.ceil(points.max(axis=0)).astype(int).tolist()
    return Rect(left, top, right - left + 1, bottom - top + 1)
