"""Pictures of the browser are read exactly, whole and in part, whatever their rows are encoded as."""

from __future__ import annotations

import base64
import io
import struct
import zlib

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from operator_console.browser.screenshots import PagePicture, decoded
from operator_console.domain.geometry import Rect, Size

SIZE = Size(61, 47)
RGB: npt.NDArray[np.uint8] = np.random.default_rng(3).integers(0, 256, (SIZE.height, SIZE.width, 3), dtype=np.uint8)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def as_chromium() -> bytes:
    """Each row as its difference from the row above, the data in two chunks."""
    rows = RGB.reshape(SIZE.height, -1)
    above = np.vstack((np.zeros_like(rows[:1]), rows[:-1]))
    filtered = np.hstack((np.full((SIZE.height, 1), 2, np.uint8), rows - above))
    data = zlib.compress(filtered.tobytes(), 1)
    header = struct.pack(">2I5B", SIZE.width, SIZE.height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", data[:700]), chunk(b"IDAT", data[700:]), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def by_pillow(mode: str) -> bytes:
    out = io.BytesIO()
    Image.fromarray(RGB).convert(mode).save(out, "PNG")
    return out.getvalue()


def colours(pixels: bytes, size: Size) -> npt.NDArray[np.uint8]:
    """The RGB values of BGRX rows."""
    return np.frombuffer(pixels, np.uint8).reshape(size.height, size.width, 4)[..., 2::-1]


@pytest.mark.parametrize("png", [as_chromium(), by_pillow("RGB"), by_pillow("RGBA")], ids=["up", "filters", "alpha"])
def test_the_whole_picture_and_a_part_of_it_have_the_colours_of_the_page(png: bytes) -> None:
    data = base64.b64encode(png).decode()
    pixels, size = decoded(data)
    assert size == SIZE
    assert np.array_equal(colours(pixels, size), RGB)
    part = Rect(7, 11, 30, 20)
    assert np.array_equal(colours(PagePicture(data).part(part), part.size), RGB[11:31, 7:37])
