"""Reads the pictures that the browser sends."""

from __future__ import annotations

import base64
import io
import struct
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

from operator_console.domain.geometry import Rect, Size

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_PLAIN_RGB = (8, 2, 0, 0, 0)  # 8 bits, three channels, not interlaced
_UP = 2


class PagePicture:
    """A PNG in base64. Only what is asked for is decoded.

    Attributes:
        size: in pixels.
    """

    def __init__(self, data: str) -> None:
        png = base64.b64decode(data)
        self._rows = _rows_filtered_up(png)
        if self._rows is None:
            from PIL import Image  # no picture that is asked for here needs it

            with Image.open(io.BytesIO(png)) as picture:
                self._decoded = np.asarray(picture.convert("RGB"))
            height, width, _ = self._decoded.shape
        else:
            height, width = len(self._rows), self._rows.shape[1] // 3
        self.size = Size(width, height)

    def part(self, region: Rect | None = None) -> bytes:
        """BGRX rows without padding: of all of it, or of a region that lies inside it."""
        where = region or Rect(0, 0, self.size.width, self.size.height)
        rgb = self._decoded[where.y : where.bottom, where.x : where.right] if self._rows is None else self._added(where)
        pixels = np.empty((where.height, where.width, 4), dtype=np.uint8)
        for channel in range(3):
            pixels[..., 2 - channel] = rgb[..., channel]
        pixels[..., 3] = 0xFF
        return pixels.tobytes()

    def _added(self, where: Rect) -> npt.NDArray[np.uint8]:
        """The RGB values of a region, by adding each row to the one above."""
        assert self._rows is not None
        columns = self._rows[: where.bottom, 3 * where.x : 3 * where.right]
        rgb = np.empty(columns.shape, dtype=np.uint8)
        above: npt.NDArray[np.uint8] = np.zeros(columns.shape[1], dtype=np.uint8)
        for number, row in enumerate(columns):
            above = np.add(above, row, out=rgb[number])
        return rgb[where.y :].reshape(where.height, where.width, 3)


def decoded(data: str) -> tuple[bytes, Size]:
    """A PNG in base64 as BGRX rows without padding, and its size in pixels."""
    picture = PagePicture(data)
    return picture.part(), picture.size


def _rows_filtered_up(png: bytes) -> npt.NDArray[np.uint8] | None:
    """Each row as its difference from the row above, RGB; None where a row is encoded otherwise.

    Chromium encodes all rows so with `optimizeForSpeed`. Pillow takes five times as long for the same, and a step of a
    session reads several pictures.
    """
    chunks = dict[bytes, list[bytes]]()
    for kind, body in _chunks(png):
        chunks.setdefault(kind, []).append(body)
    width, height, *form = _HEADER.unpack(chunks[b"IHDR"][0])
    if tuple(form) != _PLAIN_RGB:
        return None
    rows = np.frombuffer(zlib_ng.decompress(b"".join(chunks[b"IDAT"])), dtype=np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:] if (rows[:, 0] == _UP).all() else None


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length
