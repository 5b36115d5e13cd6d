"""Builds frames from captured pixels (id, geometry, pointer), and finds where two frames differ."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

from operator_console.computers.model_image import sent_size
from operator_console.desktop.picture_changes import changed_places
from operator_console.desktop.screen_similarity import similar
from operator_console.domain.frames import Frame, ImageNeeds, StackedWindow, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, Rect, ScreenPoint, Size
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.hidden_areas import HiddenArea

_COLOUR = np.uint32(0x00FFFFFF)
_BAND = 16


def fingerprint(pixels: memoryview, size: Size) -> str:
    """The size and a 64-bit hash of the colours, in hex. The unused fourth byte of each pixel is ignored.

    The hash is CRC-32 and Adler-32, which processors have instructions for. It is not cryptographic.
    """
    rows: npt.NDArray[np.uint32] = np.frombuffer(pixels, dtype=np.uint32).reshape(size.height, size.width)
    colours = np.empty((min(_BAND, size.height), size.width), dtype=np.uint32)
    crc, adler = 0, 1
    # In bands that fit in the processor's cache: a temporary of the whole picture costs ten times the arithmetic.
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
    hidden: tuple[HiddenArea, ...] = (),
    apart: tuple[WindowInfo, ...] = (),
    frame_id: str = "",
) -> Frame:
    """A frame of BGRX pixels.

    Args:
        pixels: rows of `native` without padding.
        native: size in pixels; one pixel is one input unit.
        origin: position of pixel (0, 0) on the desktop.
        target: what was captured.
        needs: limits that set the size sent to the model.
        taken_s: monotonic time of the capture; None: now.
        stack: windows that input could reach, bottom first; None if unknown.
        focus: window with the keyboard focus.
        focus_in_target: whether keys would reach the target.
        pointer: pointer position on the desktop, None if unknown.
        title: title of the target.
        covered: which part of the picture could not be read, as a sentence.
        hidden: which areas are black in `pixels`.
        apart: windows of the target's program that are not in the picture.
        frame_id: the id, if the caller knows it; "" computes the fingerprint.
    """
    view = memoryview(pixels).cast("B").toreadonly()
    geometry = FrameGeometry(origin=origin, native=native, sent=sent_size(native, needs))
    return Frame(
        frame_id=frame_id or fingerprint(view, native),
        pixels=view,
        geometry=geometry,
        target=target,
        taken_s=time.monotonic() if taken_s is None else taken_s,
        stack=stack,
        focus=focus,
        focus_in_target=focus_in_target,
        pointer=geometry.from_screen(pointer) if pointer is not None else None,
        pointer_screen=pointer,
        title=title,
        covered=covered,
        hidden=hidden,
        apart=apart,
    )


def still_shows(now: Frame, checks: Sequence[ScreenCheck]) -> bool:
    """Whether each part of a frame still looks as it did: similar, not equal. A part beyond its edges does not."""
    whole = Rect(0, 0, now.geometry.native.width, now.geometry.native.height)
    return all(
        check.region.intersect(whole) == check.region
        and similar(check.pixels, check.as_seen(now.crop(check.region)), check.region.size)
        for check in checks
    )


def places_that_differ(before: Frame, after: Frame) -> tuple[Rect, ...] | None:
    """The changed rectangles, in native pixels of the frames; None if their sizes differ."""
    native = before.geometry.native
    if native != after.geometry.native:
        return None
    return changed_places(before.pixels, after.pixels, native)
