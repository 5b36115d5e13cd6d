"""Reads the pictures that the browser sends."""

from __future__ import annotations

import base64
import io

from PIL import Image

from operator_console.domain.geometry import Rect, Size


def decoded(data: str) -> tuple[bytes, Size]:
    """A picture in base64 as BGRX rows without padding, and its size in pixels."""
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return picture.convert("RGB").tobytes("raw", "BGRX"), Size(*picture.size)


def crop(pixels: bytes, size: Size, region: Rect) -> bytes:
    """The BGRX rows of a region of a picture of this size. The region must lie inside it."""
    start, stride = region.x * 4, size.width * 4
    return b"".join(
        pixels[row * stride + start : row * stride + start + region.width * 4] for row in range(region.y, region.bottom)
    )
