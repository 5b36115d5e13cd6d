"""Scales and encodes pictures for the model and the record: PNG by an encoder of our own, JPEG by Pillow.

A picture is resampled at most once. Screens consist of flat colours: filter 0 and a fast deflate give a smaller file
than Pillow's adaptive filters in less than a quarter of the time. Photographs do not, so the filter of each band of
rows is chosen from a sample. A picture with 256 colours or fewer, as a page of text mostly is, has a palette: a byte a
pixel instead of three, and nothing is lost. A picture above the provider's byte limit is reduced to 256 colours, then
scaled down; its note says so. The limits are those of each provider: `image_needs`, for example IMAGE_NEEDS in
providers/gemini/contents.py. `Picture.size` is the size that was sent: points that a model returns refer to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import overload

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.Image import Resampling
from zlib_ng import zlib_ng

from operator_console.domain.frames import Frame, ImageNeeds, Picture
from operator_console.domain.geometry import Rect, Size, fit_within
from operator_console.domain.message_texts import listed, notice
from operator_console.domain.notices import NoticeCode

_JPEG_QUALITY = 90
_LEVEL = 5  # of zlib-ng: as small as Pillow's default on screens, or smaller, in a sixth of its time
_PNG_FRAME = 8 + 25 + 12 + 12  # signature, header, end, and what surrounds the compressed data
_PALETTE = 256  # colours
_SPARSE = 16  # one row of so many
_TRUE_COLOUR, _PALETTE_COLOUR = 2, 3  # PNG colour types
_NONE, _SUB, _UP = 0, 1, 2  # PNG filters; Average and Paeth cost more than they save here
_BAND = 64  # rows that share a filter
_SAMPLE = 8  # rows of a band from which its filter is chosen
_DRAWN = 0.2  # compresses to a fifth without a filter: drawn, not photographed
_WORTH = 0.9  # a filter must save a tenth, because changing it loses matches across bands
_LEAST_EDGE = 768  # the byte limit alone never scales below this: text would become illegible
_TRIES = 4  # a smaller picture compresses worse per pixel, by how much shows only after encoding
_MARGIN = 0.97  # aim below the byte limit
_THREADS = 4  # the most that scale one picture
_BANDS_A_THREAD = 4
_LEAST_FOR_A_THREAD = 1_500_000  # native pixels

_COLOUR = np.uint32(0x00FFFFFF)
_Pixels = npt.NDArray[np.uint8]
Wanted = Callable[[], bool]
"""Whether a picture that is being made is still wanted; called in any thread."""


class NoLongerWanted(Exception):
    """The picture was given up."""


def _always() -> bool:
    return True


def sent_size(native: Size, needs: ImageNeeds) -> Size:
    """The size of the picture for the model: within the limits, never enlarged, sides rounded down to the multiple.

    A side shorter than the multiple is rounded up to it; only in that case does a picture grow.
    """
    size = fit_within(
        native,
        long_edge=needs.long_edge,
        pixels=needs.pixels,
        patch_edge=needs.patch_edge,
        patches=needs.patches,
    )
    step = max(1, needs.multiple_of)
    return Size(max(step, size.width // step * step), max(step, size.height // step * step))


def encode(frame: Frame, needs: ImageNeeds, wanted: Wanted = _always) -> Picture:
    """The whole frame at `frame.geometry.sent`, or smaller if it exceeds the byte limit.

    Raises:
        NoLongerWanted: `wanted` became False meanwhile.
    """
    native = frame.geometry.native
    pixels = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)
    return _picture(pixels, frame.geometry.sent, needs, wanted)


def encode_region(frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
    """A region of the frame, enlarged by a whole factor as far as the size sent for the frame allows.

    Args:
        frame: the picture.
        region: native pixels; clipped to the frame.
        needs: the model's limits.

    Raises:
        ValueError: the region lies outside the frame.
    """
    native = frame.geometry.native
    part = region.intersect(Rect(0, 0, native.width, native.height))
    if part.empty:
        raise ValueError(f"the region {region} lies outside the picture")
    pixels = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)
    factor = max(1, min(frame.geometry.sent.width // part.width, frame.geometry.sent.height // part.height))
    wanted = sent_size(Size(part.width * factor, part.height * factor), needs)
    return _picture(pixels[part.y : part.bottom, part.x : part.right], wanted, needs)


def _picture(pixels: _Pixels, sent: Size, needs: ImageNeeds, wanted: Wanted = _always) -> Picture:
    native = Size(pixels.shape[1], pixels.shape[0])
    most, size = needs.max_bytes, sent
    data, colours = _encoded(_scaled(pixels, size, wanted), needs, wanted)
    for _ in range(_TRIES):
        smaller = _smaller(size, len(data), needs) if most is not None and len(data) > most else size
        if smaller == size:
            break
        size = smaller
        # From the native pixels, so that it is scaled once. A photograph keeps more detail by Lanczos.
        data, colours = _in_few_colours(_scaled(pixels, size, wanted, Resampling.LANCZOS), needs)
    notes: list[str] = []
    if size != native:
        before = {"width": native.width, "height": native.height}
        notes.append(
            notice(NoticeCode.PICTURE_SCALED_TO_FIT, **before, bytes=most)
            if size != sent and most is not None
            else notice(NoticeCode.PICTURE_SCALED, **before)
        )
    if colours:
        notes.append(colours)
    if most is not None and len(data) > most:
        notes.append(notice(NoticeCode.PICTURE_TOO_LARGE, bytes=most))
    return Picture(
        data=data, mime_type=needs.mime_type, size=size, digest=hashlib.sha256(data).hexdigest(),
        note=listed(notes), reduced=size != sent or bool(colours),
    )  # fmt: skip


def _encoded(pixels: _Pixels, needs: ImageNeeds, wanted: Wanted) -> tuple[bytes, str]:
    """The encoded bytes, and a note if the colours were reduced, else ""."""
    if needs.mime_type == "image/jpeg":
        return _jpeg(pixels), ""
    data = png(pixels, needs.max_bytes, wanted)
    if not wanted():
        raise NoLongerWanted
    # What exceeds the limit in all colours is always smaller in 256: a byte a pixel instead of three.
    return (data, "") if data is not None else _in_few_colours(pixels, needs)


def _in_few_colours(pixels: _Pixels, needs: ImageNeeds) -> tuple[bytes, str]:
    if needs.mime_type == "image/jpeg":
        return _jpeg(pixels), ""
    return _png_256(pixels), notice(NoticeCode.PICTURE_COLOURS_REDUCED, count=256)


def _smaller(size: Size, taken: int, needs: ImageNeeds) -> Size:
    """A size that should meet the byte limit; the same size if it cannot be reduced further."""
    assert needs.max_bytes is not None
    factor = math.sqrt(needs.max_bytes * _MARGIN / taken)
    edge = max(size.width, size.height)
    factor = max(factor, min(1.0, _LEAST_EDGE / edge))
    wanted = Size(max(1, math.floor(size.width * factor)), max(1, math.floor(size.height * factor)))
    return sent_size(wanted, needs)


def _scaled(pixels: _Pixels, size: Size, wanted: Wanted = _always, resampling: Resampling | None = None) -> _Pixels:
    if size == Size(pixels.shape[1], pixels.shape[0]):
        return pixels
    # Pillow treats all channels alike when it scales, so BGRX can be passed as RGBX.
    source = np.ascontiguousarray(pixels)  # copies only a region, not a whole frame
    height, width = pixels.shape[:2]
    image = Image.frombuffer("RGBX", (width, height), source, "raw", "RGBX", 0, 1)
    result = np.empty((size.height, size.width, 4), dtype=np.uint8)
    # Text that is made smaller reads no worse by a triangle than by Lanczos, which takes more than twice the time.
    chosen = resampling or (Resampling.BILINEAR if size.width < width else Resampling.LANCZOS)

    def scale(top: int, end: int) -> None:
        if not wanted():
            raise NoLongerWanted
        # The filter reads rows beyond the box too, so that bands meet without a seam.
        box = (0.0, top * height / size.height, float(width), end * height / size.height)
        band = image.resize((size.width, end - top), chosen, box=box)
        result[top:end] = np.frombuffer(band.tobytes(), dtype=np.uint8).reshape(end - top, size.width, 4)

    threads = min(_THREADS, os.cpu_count() or 1, -(-height * width // _LEAST_FOR_A_THREAD))
    bands = min(threads * _BANDS_A_THREAD, size.height)
    edges = [size.height * band // bands for band in range(bands + 1)]
    with ThreadPoolExecutor(threads, thread_name_prefix="scale") as pool:
        list(pool.map(scale, edges[:-1], edges[1:]))
    return result


def _rgb(pixels: _Pixels) -> Image.Image:
    size = pixels.shape[1], pixels.shape[0]
    return Image.frombuffer("RGB", size, np.ascontiguousarray(pixels), "raw", "BGRX", 0, 1)


def _jpeg(pixels: _Pixels) -> bytes:
    out = io.BytesIO()
    _rgb(pixels).save(out, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return out.getvalue()


def _png_256(pixels: _Pixels) -> bytes:
    image = _rgb(pixels).quantize(_PALETTE, Image.Quantize.FASTOCTREE)
    return _png_with_palette(np.asarray(image), bytes(image.getpalette("RGB") or ()))


@overload
def png(pixels: _Pixels) -> bytes: ...
@overload
def png(pixels: _Pixels, most: int | None, wanted: Wanted = ...) -> bytes | None: ...
def png(pixels: _Pixels, most: int | None = None, wanted: Wanted = _always) -> bytes | None:
    """A PNG of BGRX pixels of shape (height, width, 4), all colours kept; None if it has more bytes than `most`."""
    if not wanted():
        raise NoLongerWanted
    colours = _few_colours(pixels)
    if not colours:
        return _png_of_true_colours(pixels, most, wanted)
    data = _png_with_palette(*_indices(pixels, colours))
    return data if most is None or len(data) <= most else None


def _few_colours(pixels: _Pixels) -> Sequence[tuple[int, ...]]:
    """The colours, if a palette has room for them; () where there are more, which some rows mostly show."""
    found: Sequence[tuple[int, ...]] = ()
    for rows in (pixels[::_SPARSE], pixels):
        found = [colour for _, colour in _rgb(rows).getcolors(_PALETTE) or () if isinstance(colour, tuple)]
        if not found:
            break
    return found


def _png_of_true_colours(pixels: _Pixels, most: int | None, wanted: Wanted) -> bytes | None:
    """Gives up as soon as there are more bytes than `most`."""
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 0] = _NONE
    for channel in range(3):
        rows[:, 1 + channel :: 3] = pixels[..., 2 - channel]
    compressor = zlib_ng.compressobj(_LEVEL)
    pieces, taken = list[bytes](), _PNG_FRAME
    for band in _filtered(rows):
        if not wanted():
            raise NoLongerWanted
        pieces.append(compressor.compress(band.data))
        taken += len(pieces[-1])
        if most is not None and taken > most:
            return None
    body = b"".join((*pieces, compressor.flush()))
    if most is not None and len(body) + _PNG_FRAME > most:
        return None
    return _png_file(Size(width, height), _TRUE_COLOUR, body)


def _indices(pixels: _Pixels, colours: Sequence[tuple[int, ...]]) -> tuple[_Pixels, bytes]:
    """For each pixel the place of its colour in the palette, and the palette."""
    places = _sparse_table(1 << 24)  # by colour
    places[[red << 16 | green << 8 | blue for red, green, blue in colours]] = np.arange(len(colours), dtype=np.uint8)
    wanted = pixels.view(np.uint32)[..., 0] & _COLOUR
    return places.take(wanted), bytes(part for colour in colours for part in colour)


def _sparse_table(length: int) -> _Pixels:
    """Bytes of which only the pages that are written take memory; NumPy asks for huge pages, which take all of it."""
    memory = mmap.mmap(-1, length)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype=np.uint8)


def _png_with_palette(indices: _Pixels, palette: bytes) -> bytes:
    height, width = indices.shape
    rows = np.empty((height, 1 + width), dtype=np.uint8)
    rows[:, 0], rows[:, 1:] = _NONE, indices
    size = Size(width, height)
    return _png_file(size, _PALETTE_COLOUR, zlib_ng.compress(rows.data, _LEVEL), _chunk(b"PLTE", palette))


def _png_file(size: Size, colour_type: int, body: bytes, palette: bytes = b"") -> bytes:
    header = struct.pack(">2I5B", size.width, size.height, 8, colour_type, 0, 0, 0)
    parts = _chunk(b"IHDR", header), palette, _chunk(b"IDAT", body), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _filtered(rows: _Pixels) -> Iterator[_Pixels]:
    """The rows in bands, with a filter for each: none for drawn content, a difference for photographs."""
    for top in range(0, len(rows), _BAND):
        end = min(top + _BAND, len(rows))
        middle = max(1, (top + end - _SAMPLE) // 2)
        chosen = _best_filter(rows[middle - 1 : min(middle + _SAMPLE, end)])
        if chosen == _NONE:
            yield rows[top:end]
            continue
        first = max(top, 1)  # nothing above the first row
        yield rows[top:first]
        yield _difference(rows[first - 1 : end], chosen)


def _best_filter(sample: _Pixels) -> int:
    """The filter that compresses the sample best. Its first row serves only as the row above the second."""
    best, least = _NONE, len(zlib_ng.compress(np.ascontiguousarray(sample[1:]).data, _LEVEL)) * _WORTH
    if least < sample[1:].size * _DRAWN:
        return best
    for kind in (_SUB, _UP):
        size = len(zlib_ng.compress(_difference(sample, kind).data, _LEVEL))
        if size < least:
            best, least = kind, size
    return best


def _difference(rows: _Pixels, kind: int) -> _Pixels:
    """All rows but the first as differences from the left (Sub) or upper (Up) neighbour, with the filter byte."""
    result = rows[1:].copy()
    if kind == _SUB:
        result[:, 4:] -= rows[1:, 1:-3]
    else:
        result[:, 1:] -= rows[:-1, 1:]
    result[:, 0] = kind
    return result


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
