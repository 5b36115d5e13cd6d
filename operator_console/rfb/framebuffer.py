"""The picture of a machine, drawn from what its server sends: Raw, CopyRect, Tight without JPEG, ZRLE.

Pixels are 32 bits, little-endian (`SET_PIXEL_FORMAT_BGRX`): blue, green, red and one byte that is always 255 here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.errors import NotVnc
from operator_console.rfb.protocol_messages import BAND, Encoding, Parser, ServerMessages

Bytes = NDArray[np.uint8]
Data = Generator[int, bytes, bytes]
"""A parser that comes to bytes."""

_TILE = 64
_TIGHT_UNPACKED = 12
"""Fewer bytes than these are not compressed in Tight."""


class Framebuffer(ServerMessages):
    """The picture of the whole screen, and what was told beside it.

    Attributes:
        complete: every pixel has been drawn since the size changed.
        drawn: what was drawn since `drawn` was last emptied.
    """

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.drawn: list[Rect] = []
        self._inflate = [zlib.decompressobj() for _ in range(4)]
        self._inflate_zrle = zlib.decompressobj()
        self._clear()

    @property
    def complete(self) -> bool:
        """Whether every pixel has been drawn since the size changed."""
        return self._missing is None

    def picture(self) -> bytes:
        """BGRX rows of the whole screen."""
        return self._picture.tobytes()

    def _clear(self) -> None:
        self._picture: Bytes = np.zeros((self.size.height, self.size.width, 4), np.uint8)
        self._picture[..., 3] = 255
        self._missing: NDArray[np.bool_] | None = np.ones((self.size.height, self.size.width), np.bool_)

    def _resized(self) -> None:
        self._clear()
        self.drawn.clear()

    def _update_ended(self) -> None:
        if self._missing is not None and not self._missing.any():
            self._missing = None

    def _pixels(self, rect: Rect, encoding: int) -> Parser:
        match encoding:
            case Encoding.RAW:
                yield from self._raw(rect)
            case Encoding.COPY_RECT:
                yield from self._copy(rect)
            case Encoding.TIGHT:
                yield from self._tight(rect)
            case Encoding.ZRLE:
                yield from self._zrle(rect)
            case _:
                raise NotVnc(f"an encoding of {encoding}")
        if not rect.empty:
            self.drawn.append(rect)
            if self._missing is not None:
                self._missing[rect.y : rect.bottom, rect.x : rect.right] = False

    def _at(self, rect: Rect) -> Bytes:
        """The place of a rectangle: blue, green and red."""
        return self._picture[rect.y : rect.bottom, rect.x : rect.right, :3]

    def _raw(self, rect: Rect) -> Parser:
        """RFC 6143 section 7.7.1."""
        if rect.empty:
            return
        rows = max(1, BAND // (4 * rect.width))
        for y in range(rect.y, rect.bottom, rows):
            band = Rect(rect.x, y, rect.width, min(rows, rect.bottom - y))
            data = yield 4 * band.width * band.height
            self._at(band)[:] = _array(data, band.height, band.width, 4)[..., :3]

    def _copy(self, rect: Rect) -> Parser:
        """RFC 6143 section 7.7.2."""
        x, y = struct.unpack(">HH", (yield 4))
        source = Rect(x, y, rect.width, rect.height)
        if source.right > self.size.width or source.bottom > self.size.height:
            raise NotVnc(f"a copy from {x}, {y} of {rect.width} x {rect.height}")
        self._at(rect)[:] = self._at(source).copy()

    # Tight (rfbproto, Tight Encoding)

    def _tight(self, rect: Rect) -> Parser:
        if rect.empty:
            raise NotVnc(f"Tight of {rect.width} x {rect.height}")
        (control,) = yield 1
        for stream in range(4):
            if control >> stream & 1:
                self._inflate[stream] = zlib.decompressobj()
        method = control >> 4
        if method == 8:
            colour = yield 3
            self._at(rect)[:] = _array(colour, 3)[::-1]
            return
        if method > 7:
            raise NotVnc(f"Tight by method {method}")
        kind = (yield 1)[0] if method & 4 else 0
        stream = method & 3
        if kind == 0:
            data = yield from self._tight_data(stream, 3 * rect.width * rect.height)
            self._at(rect)[:] = _array(data, rect.height, rect.width, 3)[..., ::-1]
        elif kind == 1:
            yield from self._tight_palette(rect, stream)
        elif kind == 2:
            data = yield from self._tight_data(stream, 3 * rect.width * rect.height)
            self._at(rect)[:] = _without_gradient(_array(data, rect.height, rect.width, 3))[..., ::-1]
        else:
            raise NotVnc(f"Tight with filter {kind}")

    def _tight_palette(self, rect: Rect, stream: int) -> Parser:
        count = (yield 1)[0] + 1
        palette = _array((yield 3 * count), count, 3)[:, ::-1]
        if count <= 2:
            row = (rect.width + 7) // 8
            data = yield from self._tight_data(stream, row * rect.height)
            bits = np.unpackbits(_array(data, rect.height, row), axis=1)[:, : rect.width]
            indices = bits
        else:
            data = yield from self._tight_data(stream, rect.width * rect.height)
            indices = _array(data, rect.height, rect.width)
        if indices.max() >= count:
            raise NotVnc("Tight with a colour that is not in its palette")
        self._at(rect)[:] = palette[indices]

    def _tight_data(self, stream: int, expected: int) -> Data:
        if expected < _TIGHT_UNPACKED:
            return (yield expected)
        length = 0
        for shift in (0, 7, 14):
            (byte,) = yield 1
            length |= (byte & (0x7F if shift < 14 else 0xFF)) << shift
            if shift == 14 or not byte & 0x80:
                break
        return (yield from _inflated(self._inflate[stream], length, expected, exact=True))

    # ZRLE (RFC 6143 section 7.7.6)

    def _zrle(self, rect: Rect) -> Parser:
        (length,) = struct.unpack(">I", (yield 4))
        count = -(-rect.width // _TILE) * -(-rect.height // _TILE)
        # At most: each tile with a palette, each pixel with a run length of its own.
        most = count * (1 + 3 * 127) + 4 * rect.width * rect.height
        if length > most + 1024:
            raise NotVnc(f"ZRLE of {length} bytes for {rect.width} x {rect.height}")
        data = yield from _inflated(self._inflate_zrle, length, most, exact=False)
        tiles = _ZrleTiles(data)
        for y in range(rect.y, rect.bottom, _TILE):
            for x in range(rect.x, rect.right, _TILE):
                tile = Rect(x, y, min(_TILE, rect.right - x), min(_TILE, rect.bottom - y))
                tiles.draw(self._at(tile))
                yield 0  # lets a limit of time end this


class _ZrleTiles:
    """Reads one tile after another from the unpacked bytes of a rectangle."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def draw(self, place: Bytes) -> None:
        """Draws the next tile. Raises NotVnc."""
        height, width = place.shape[:2]
        kind = self._take(1)[0]
        if kind == 0:
            place[:] = _array(self._take(3 * width * height), height, width, 3)
        elif kind == 1:
            place[:] = _array(self._take(3), 3)
        elif kind <= 16:
            bits = 1 if kind == 2 else 2 if kind <= 4 else 4
            palette = _array(self._take(3 * kind), kind, 3)
            row = (width * bits + 7) // 8
            indices = _unpacked(_array(self._take(row * height), height, row), bits)[:, :width]
            if indices.max() >= kind:
                raise NotVnc("ZRLE with a colour that is not in its palette")
            place[:] = palette[indices]
        elif kind == 128:
            place[:] = self._runs(width * height).reshape(height, width, 3)
        elif kind >= 130:
            palette = _array(self._take(3 * (kind - 128)), kind - 128, 3)
            place[:] = palette[self._palette_runs(width * height, kind - 128)].reshape(height, width, 3)
        else:
            raise NotVnc(f"ZRLE with a tile of type {kind}")

    def _runs(self, pixels: int) -> Bytes:
        colours = bytearray()
        lengths: list[int] = []
        drawn = 0
        while drawn < pixels:
            colours += self._take(3)
            lengths.append(self._run_length(pixels - drawn))
            drawn += lengths[-1]
        return np.repeat(_array(bytes(colours), len(lengths), 3), lengths, axis=0)

    def _palette_runs(self, pixels: int, colours: int) -> Bytes:
        indices = bytearray()
        lengths: list[int] = []
        drawn = 0
        while drawn < pixels:
            (index,) = self._take(1)
            if index & 0x7F >= colours:
                raise NotVnc("ZRLE with a colour that is not in its palette")
            indices.append(index & 0x7F)
            lengths.append(self._run_length(pixels - drawn) if index & 0x80 else 1)
            drawn += lengths[-1]
        return np.repeat(_array(bytes(indices), len(lengths)), lengths)

    def _run_length(self, most: int) -> int:
        length = 1
        while True:
            (byte,) = self._take(1)
            length += byte
            if length > most:
                raise NotVnc("ZRLE with a run beyond its tile")
            if byte != 255:
                return length

    def _take(self, count: int) -> bytes:
        part = self._data[self._at : self._at + count]
        if len(part) < count:
            raise NotVnc("ZRLE that ends too early")
        self._at += count
        return part


def _inflated(stream: zlib._Decompress, length: int, most: int, *, exact: bool) -> Data:
    """Unpacks so many bytes; raises NotVnc for more than `most` of them, or (`exact`) another number."""
    out = bytearray()
    while length > 0:
        part = yield min(length, BAND)
        length -= len(part)
        try:
            # One more than allowed: with no room left, zlib would not read the end of the block.
            out += stream.decompress(part, most + 1 - len(out))
        except zlib.error as error:
            raise NotVnc(f"pixels that do not unpack: {error}") from error
        if len(out) > most or stream.unconsumed_tail or stream.unused_data:
            raise NotVnc("pixels that unpack to more than their rectangle")
    if exact and len(out) != most:
        raise NotVnc("pixels that unpack to less than their rectangle")
    return bytes(out)


def _array(data: bytes, *shape: int) -> Bytes:
    return np.frombuffer(data, np.uint8).reshape(shape)


def _unpacked(rows: Bytes, bits: int) -> Bytes:
    """Numbers of 1, 2 or 4 bits, the first in the highest bits."""
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    unpacked: Bytes = rows[..., None] >> shifts & np.uint8((1 << bits) - 1)
    return unpacked.reshape(rows.shape[0], -1)


def _without_gradient(rows: Bytes) -> Bytes:
    """Undoes Tight's gradient filter: each pixel is given as the difference from left + above - above left."""
    height, width = rows.shape[:2]
    picture = np.zeros((height + 1, width + 1, 3), np.int16)
    for diagonal in range(width + height - 1):  # pixels of one diagonal do not need each other
        y = np.arange(max(0, diagonal - width + 1), min(height, diagonal + 1))
        x = diagonal - y
        guess = np.clip(picture[y + 1, x] + picture[y, x + 1] - picture[y, x], 0, 255)
        picture[y + 1, x + 1] = guess + rows[y, x] & 255
    return picture[1:, 1:].astype(np.uint8)
