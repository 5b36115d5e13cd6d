"""Makes frames of grabbed pixels (fast id, sent size, geometry), and compares two of them. No capture, no encoding."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

from operator_console.desktop.changes import changed_places
from operator_console.domain.frames import Frame, ImageNeeds, StackedWindow, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size, fit_within

_COLOUR = np.uint32(0x00FFFFFF)
_BAND = 16


def sent_size(native: Size, needs: ImageNeeds) -> Size:
    """The size the model gets: within the limits, never larger than native, sides multiples of what is asked.

    A side shorter than the multiple becomes one multiple (the only case in which a picture grows).
    """
    size = fit_within(native, long_edge=needs.long_edge, pixels=needs.pixels)
    step = max(1, needs.multiple_of)
    return Size(max(step, size.width // step * step), max(step, size.height // step * step))


def fingerprint(pixels: memoryview, size: Size) -> str:
    """A 64-bit hash of the colours in hex; the unused fourth byte does not count.

    CRC-32 and Adler-32, which processors have instructions for. Not cryptographic; the same in every process.
    """
    rows: npt.NDArray[np.uint32] = np.frombuffer(pixels, dtype=np.uint32).reshape(size.height, size.width)
    colours = np.empty((min(_BAND, size.height), size.width), dtype=np.uint32)
    crc, adler = 0, 1
    # In bands that stay in the processor's cache: a temporary of the whole picture costs ten times the arithmetic.
    for top in range(0, size.height, _BAND):
        band = rows[top : top + _BAND]
        part = np.bitwise_and(band, _COLOUR, out=colours[: len(band)]).data
        crc, adler = zlib_ng.crc32(part, crc), zlib_ng.adler32(part, adler)
    return f"{size.width:x}x{size.height:x}-{crc:08x}{adler:08x}"


def make_frame(  # noqa: PLR0913 - a frame has this many facts, all keyword-only
    *,
    pixels: bytes | bytearray | memoryview,
    native: Size,
    origin: ScreenPoint,
    target: TargetRef,
    needs: ImageNeeds,
    taken_s: float | None = None,
    stack: tuple[StackedWindow, ...] | None = None,
    focus: WindowInfo | None = None,
    focus_in_target: bool = True,
    pointer: ScreenPoint | None = None,
    title: str = "",
    covered: str = "",
    frame_id: str = "",
) -> Frame:
    """A Frame of BGRX `pixels` whose native pixel (0, 0) lies at `origin` in input units (scale 1).

    `frame_id` is for who knows already whether the picture is another one; by default its fingerprint is taken.
    """
    view = memoryview(pixels).cast("B").toreadonly()
    inside = None
    if pointer is not None:
        x, y = pointer.x - origin.x, pointer.y - origin.y
        inside = NativePoint(x, y) if 0 <= x < native.width and 0 <= y < native.height else None
    return Frame(
        frame_id=frame_id or fingerprint(view, native),
        pixels=view,
        geometry=FrameGeometry(origin=origin, native=native, sent=sent_size(native, needs)),
        target=target,
        taken_s=time.monotonic() if taken_s is None else taken_s,
        stack=stack,
        focus=focus,
        focus_in_target=focus_in_target,
        pointer=inside,
        pointer_screen=pointer,
        title=title,
        covered=covered,
    )


def places_that_differ(before: Frame, after: Frame) -> tuple[Rect, ...] | None:
    """The places that changed, none where nothing did; None where the target has another size."""
    native = before.geometry.native
    if native != after.geometry.native:
        return None
    return changed_places(before.pixels, after.pixels, native)
