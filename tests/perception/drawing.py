"""Pictures of text drawn with Pillow, as frames. Real toolkits are tested in tests/display/perception."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from operator_console.domain.frames import Frame, MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.perception.text_lines import Pixels

_FONT = "DejaVuSans.ttf"


def picture(
    texts: Sequence[tuple[str, int, int]],
    *,
    size: tuple[int, int] = (480, 200),
    ink: str = "#1b1f24",
    paper: str = "#f4f5f7",
    points: int = 15,
    boxes: Sequence[tuple[int, int, int, int]] = (),
    box_fill: str = "#ffffff",
) -> Image.Image:
    """Draw texts (text, left, top) over boxes (left, top, right, bottom) with a grey border."""
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    for box in boxes:
        draw.rectangle(box, fill=box_fill, outline="#b6bec8")
    font = ImageFont.truetype(_FONT, points)
    for words, x, y in texts:
        draw.text((x, y), words, fill=ink, font=font)
    return image


def bgrx(image: Image.Image) -> Pixels:
    """The pixels of the picture in BGRX order."""
    rgb = np.asarray(image.convert("RGB"))
    out = np.zeros((*rgb.shape[:2], 4), dtype=np.uint8)
    out[..., :3] = rgb[..., ::-1]
    return out


def frame(image: Image.Image) -> Frame:
    """The picture as a frame."""
    pixels = bgrx(image).tobytes()
    size = Size(*image.size)
    return Frame(
        frame_id=hashlib.sha1(pixels).hexdigest(),
        pixels=memoryview(pixels),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
        target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
        taken_s=0.0,
    )
