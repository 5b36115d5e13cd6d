"""Makes frames: what every computer does with the pixels it grabbed (fast id, sent size, geometry).

No capture here, and no encoding (encode.py). Called by the computers of this room, the fake one included.
"""

from __future__ import annotations

import functools
import time

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import Frame, ImageNeeds, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size, fit_within

_COLOUR = np.uint32(0x00FFFFFF)
_BAND = 32
_TWO_COLOURS = np.uint64(0x00FFFFFF_00FFFFFF)


def sent_size(native: Size, needs: ImageNeeds) -> Size:
    """The size the model gets: within the limits, never larger than native, sides multiples of what is asked.

    A side shorter than the multiple becomes one multiple (the only case in which a picture grows).
    """
    size = fit_within(native, long_edge=needs.long_edge, pixels=needs.pixels)
    step = max(1, needs.multiple_of)
    return Size(max(step, size.width // step * step), max(step, size.height // step * step))


def fingerprint(pixels: memoryview, size: Size) -> str:
    """A 64-bit hash of the colours in hex; the unused fourth byte does not count.

    Multilinear over fixed random weights: rows first, then the row sums. Not cryptographic; the same in every process.
    """
    two = size.width % 2 == 0  # two pixels at a time
    words: npt.NDArray[np.unsignedinteger] = np.frombuffer(pixels, dtype=np.uint64 if two else np.uint32)
    words = words.reshape(size.height, -1)
    columns, rows = _weights(words.shape[1], size.height)
    row_sums = np.empty(size.height, dtype=np.uint64)
    # In bands that stay in the processor's cache: a temporary of the whole picture costs ten times the arithmetic.
    for top in range(0, size.height, _BAND):
        band = words[top : top + _BAND]
        colours = np.bitwise_and(band, _TWO_COLOURS if two else _COLOUR).astype(np.uint64, copy=False)
        np.einsum("ij,j->i", colours, columns, out=row_sums[top : top + _BAND])
    value = int(np.dot(row_sums ^ (row_sums >> np.uint64(29)), rows))
    return f"{size.width:x}x{size.height:x}-{value:016x}"


@functools.lru_cache(maxsize=8)
def _weights(width: int, height: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    # A fixed seed: ids are compared across processes and across runs.
    source = np.random.default_rng(0x0F0F5EED)
    top = np.iinfo(np.uint64).max
    columns = source.integers(1, top, size=width, dtype=np.uint64) | np.uint64(1)
    return columns, source.integers(1, top, size=height, dtype=np.uint64) | np.uint64(1)


def make_frame(  # noqa: PLR0913 - a frame has this many facts, all keyword-only
    *,
    pixels: bytes | bytearray | memoryview,
    native: Size,
    origin: ScreenPoint,
    target: TargetRef,
    needs: ImageNeeds,
    taken_s: float | None = None,
    focus: WindowInfo | None = None,
    focus_in_target: bool = True,
    pointer: ScreenPoint | None = None,
    title: str = "",
    covered: str = "",
) -> Frame:
    """A Frame of BGRX `pixels` whose native pixel (0, 0) lies at `origin` in input units (scale 1)."""
    view = memoryview(pixels).cast("B").toreadonly()
    inside = None
    if pointer is not None:
        x, y = pointer.x - origin.x, pointer.y - origin.y
        inside = NativePoint(x, y) if 0 <= x < native.width and 0 <= y < native.height else None
    return Frame(
        frame_id=fingerprint(view, native),
        pixels=view,
        geometry=FrameGeometry(origin=origin, native=native, sent=sent_size(native, needs)),
        target=target,
        taken_s=time.monotonic() if taken_s is None else taken_s,
        focus=focus,
        focus_in_target=focus_in_target,
        pointer=inside,
        pointer_screen=pointer,
        title=title,
        covered=covered,
    )
