"""Encodes pictures as RFB servers do: each way of RFC 6143 and of rfbproto's Tight that needs no JPEG.

Written from the standards and not from the client, with plain loops. A picture is rows of (red, green, blue); pixels
are 32 bits, little-endian, depth 24, with red at bit 16.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import groupby

Colour = tuple[int, int, int]
Rows = list[list[Colour]]

RAW, COPY_RECT, TIGHT, ZRLE = 0, 1, 7, 16


def bgrx(picture: Rows) -> bytes:
    """What a client with 255 in the fourth byte has."""
    return b"".join(bytes((blue, green, red, 255)) for row in picture for red, green, blue in row)


def raw(picture: Rows) -> bytes:
    """RFC 6143 section 7.7.1; the fourth byte has no meaning."""
    return b"".join(bytes((blue, green, red, 77)) for row in picture for red, green, blue in row)


class Packer:
    """zlib streams that go on from rectangle to rectangle, as Tight and ZRLE have them."""

    def __init__(self) -> None:
        self._streams = {number: zlib.compressobj() for number in range(5)}

    def _packed(self, stream: int, data: bytes) -> bytes:
        packer = self._streams[stream]
        return packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)

    def reset(self, stream: int) -> None:
        """Begins a stream anew."""
        self._streams[stream] = zlib.compressobj()

    # Tight

    def _tight_data(self, stream: int, data: bytes) -> bytes:
        if len(data) < 12:
            return data
        packed = self._packed(stream, data)
        return _compact(len(packed)) + packed

    def tight_fill(self, picture: Rows) -> bytes:
        """One colour."""
        return b"\x80" + bytes(picture[0][0])

    def tight_copy(self, picture: Rows) -> bytes:
        """No filter, on stream 0, which begins anew each time."""
        self.reset(0)
        return b"\x01" + self._tight_data(0, _rgb(picture))

    def tight_copy_by_name(self, picture: Rows) -> bytes:
        """The filter "copy", named, on stream 3."""
        return b"\x70\x00" + self._tight_data(3, _rgb(picture))

    def tight_two_colours(self, picture: Rows) -> bytes:
        """A palette of two, a bit each, on stream 1."""
        palette = _palette(picture)
        palette = (palette + palette)[:2]
        rows = b"".join(_bits([palette.index(colour) for colour in row], 1) for row in picture)
        return b"\x50\x01\x01" + bytes(palette[0] + palette[1]) + self._tight_data(1, rows)

    def tight_palette(self, picture: Rows) -> bytes:
        """A palette, a byte each, on stream 2."""
        palette = _palette(picture)
        palette = (palette * 3)[: max(3, len(palette))]
        colours = b"".join(map(bytes, palette))
        indices = bytes(palette.index(colour) for row in picture for colour in row)
        return b"\x60\x01" + bytes((len(palette) - 1,)) + colours + self._tight_data(2, indices)

    def tight_gradient(self, picture: Rows) -> bytes:
        """Differences from a guess, on stream 3."""
        out = bytearray()
        for y, row in enumerate(picture):
            for x, colour in enumerate(row):
                for part in range(3):
                    left = row[x - 1][part] if x else 0
                    above = picture[y - 1][x][part] if y else 0
                    corner = picture[y - 1][x - 1][part] if x and y else 0
                    out.append((colour[part] - min(255, max(0, left + above - corner))) % 256)
        return b"\x70\x02" + self._tight_data(3, bytes(out))

    # ZRLE

    def _zrle(self, picture: Rows, tile: Callable[[Rows], bytes]) -> bytes:
        packed = self._packed(4, b"".join(map(tile, _tiles(picture))))
        return struct.pack(">I", len(packed)) + packed

    def zrle_raw(self, picture: Rows) -> bytes:
        """Tiles of plain pixels."""
        return self._zrle(picture, lambda tile: b"\x00" + _bgr(tile))

    def zrle_solid(self, picture: Rows) -> bytes:
        """Tiles of one colour."""
        return self._zrle(picture, lambda tile: b"\x01" + _bgr([[tile[0][0]]]))

    def zrle_packed(self, picture: Rows) -> bytes:
        """Tiles with a palette of up to 16."""

        def tile_of(tile: Rows) -> bytes:
            palette = _palette(tile)
            palette = (palette + palette)[: max(2, len(palette))]
            width = 1 if len(palette) == 2 else 2 if len(palette) <= 4 else 4
            rows = b"".join(_bits([palette.index(colour) for colour in row], width) for row in tile)
            return bytes((len(palette),)) + _bgr([palette]) + rows

        return self._zrle(picture, tile_of)

    def zrle_runs(self, picture: Rows) -> bytes:
        """Tiles of runs."""

        def tile_of(tile: Rows) -> bytes:
            return b"\x80" + b"".join(_bgr([[colour]]) + _run(length) for colour, length in _runs(tile))

        return self._zrle(picture, tile_of)

    def zrle_palette_runs(self, picture: Rows) -> bytes:
        """Tiles of runs with a palette of up to 127."""

        def tile_of(tile: Rows) -> bytes:
            palette = _palette(tile)
            palette = (palette + palette)[: max(2, len(palette))]
            runs = b"".join(
                bytes((palette.index(colour),)) if length == 1 else bytes((palette.index(colour) | 128,)) + _run(length)
                for colour, length in _runs(tile)
            )
            return bytes((128 + len(palette),)) + _bgr([palette]) + runs

        return self._zrle(picture, tile_of)


# The number of the encoding, how many colours it can show at most, and the method that does it.
WAYS: dict[str, tuple[int, int, str]] = {
    "tight fill": (TIGHT, 1, "tight_fill"),
    "tight copy": (TIGHT, 1 << 24, "tight_copy"),
    "tight copy by name": (TIGHT, 1 << 24, "tight_copy_by_name"),
    "tight two colours": (TIGHT, 2, "tight_two_colours"),
    "tight palette": (TIGHT, 256, "tight_palette"),
    "tight gradient": (TIGHT, 1 << 24, "tight_gradient"),
    "zrle raw": (ZRLE, 1 << 24, "zrle_raw"),
    "zrle solid": (ZRLE, 1, "zrle_solid"),
    "zrle packed": (ZRLE, 16, "zrle_packed"),
    "zrle runs": (ZRLE, 1 << 24, "zrle_runs"),
    "zrle palette runs": (ZRLE, 127, "zrle_palette_runs"),
}


def encoded(packer: Packer, way: str, picture: Rows) -> bytes:
    """A picture in one of `WAYS`."""
    encode: Callable[[Rows], bytes] = getattr(packer, WAYS[way][2])
    return encode(picture)


def rectangle(x: int, y: int, width: int, height: int, encoding: int, data: bytes = b"") -> bytes:
    """A rectangle of an update."""
    return struct.pack(">HHHHi", x, y, width, height, encoding) + data


def update(*rectangles: bytes) -> bytes:
    """FramebufferUpdate."""
    return struct.pack(">BxH", 0, len(rectangles)) + b"".join(rectangles)


def _compact(number: int) -> bytes:
    if number < 1 << 7:
        return bytes((number,))
    if number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    return bytes((number & 127 | 128, number >> 7 & 127 | 128, number >> 14))


def _rgb(picture: Rows) -> bytes:
    return b"".join(bytes(colour) for row in picture for colour in row)


def _bgr(picture: Rows) -> bytes:
    return b"".join(bytes(colour[::-1]) for row in picture for colour in row)


def _palette(picture: Rows) -> list[Colour]:
    return list(dict.fromkeys(colour for row in picture for colour in row))


def _bits(numbers: list[int], width: int) -> bytes:
    text = "".join(f"{number:0{width}b}" for number in numbers)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


def _runs(picture: Rows) -> Iterator[tuple[Colour, int]]:
    for colour, pixels in groupby(colour for row in picture for colour in row):
        yield colour, len(list(pixels))


def _run(length: int) -> bytes:
    return b"\xff" * ((length - 1) // 255) + bytes(((length - 1) % 255,))


def _tiles(picture: Rows) -> Iterator[Rows]:
    for y in range(0, len(picture), 64):
        for x in range(0, len(picture[0]), 64):
            yield [row[x : x + 64] for row in picture[y : y + 64]]
