"""The pictures of a page: each distinct one once, made smaller where all of them together would be slow to open.

Re-encoding runs in threads, a few pictures ahead of the page, so that memory does not grow with their number.
"""

from __future__ import annotations

import base64
import io
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from PIL import Image

LIGHT_PAGE_BYTES = 40_000_000
"""Pictures of this size together are put into the page as they were recorded."""
_SMALLEST_SHARE = 60_000
_SHOWN_TYPES = frozenset(("image/png", "image/jpeg", "image/webp"))
"""What browsers show; the type comes from a file, and others (SVG) could do more than show a picture."""


class _Encoding(NamedTuple):
    """As WebP has it. Of a lossless picture, `quality` is the effort."""

    lossless: bool
    quality: int
    method: int


_QUICK, _SMALL, _LOSSY = _Encoding(True, 20, 1), _Encoding(True, 50, 2), _Encoding(False, 82, 2)
"""A screen full of text takes more than twice as long to encode small than quickly, and is half as large then. More
effort only takes longer."""
_TOO_LARGE = 4
"""A picture that is larger than so many shares, encoded quickly, is too large encoded small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPicture:
    """A picture in the record."""

    digest: str
    mime_type: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPicture:
    """A picture in the page. `address`: of its data; `lossy`: its colours differ slightly from those recorded."""

    address: str
    lossy: bool = False


@contextmanager
def embedded(
    pictures: Sequence[RecordedPicture], read: Callable[[str], bytes | None]
) -> Iterator[Iterator[ShownPicture | None]]:
    """The pictures in their order, as data addresses; None for one that is missing or is no picture.

    Args:
        pictures: the distinct pictures in the order of the page.
        read: gives the encoded picture with a digest; called in this thread.
    """
    total = sum(picture.size_bytes for picture in pictures)
    share = None if total <= LIGHT_PAGE_BYTES else max(_SMALLEST_SHARE, LIGHT_PAGE_BYTES // len(pictures))
    workers = max(1, min(4, os.cpu_count() or 1))
    with ThreadPoolExecutor(workers, thread_name_prefix="export") as pool:
        try:
            yield _in_order(pictures, read, share, pool, ahead=2 * workers)
        finally:
            pool.shutdown(cancel_futures=True)


def _in_order(
    pictures: Sequence[RecordedPicture],
    read: Callable[[str], bytes | None],
    share: int | None,
    pool: ThreadPoolExecutor,
    ahead: int,
) -> Iterator[ShownPicture | None]:
    waiting: deque[Future[ShownPicture | None]] = deque()
    for picture in pictures:
        data = read(picture.digest)
        waiting.append(pool.submit(_shown, data, picture.mime_type, share))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _shown(data: bytes | None, mime_type: str, share: int | None) -> ShownPicture | None:
    if data is None or mime_type not in _SHOWN_TYPES:
        return None
    if share is None or len(data) <= share:
        return ShownPicture(address=_data_address(data, mime_type))
    smaller, lossy = _reduced(data, mime_type, share)
    if len(smaller) >= len(data):
        return ShownPicture(address=_data_address(data, mime_type))
    return ShownPicture(address=_data_address(smaller, "image/webp"), lossy=lossy)


def _reduced(data: bytes, mime_type: str, share: int) -> tuple[bytes, bool]:
    """The picture as WebP: without loss where that is small enough, as for most screens, and whether it lost detail."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            pixels = picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return data, False  # the browser shows what it can
    exact = data
    if mime_type != "image/jpeg":
        exact = _webp(pixels, _QUICK)
        if share < len(exact) <= _TOO_LARGE * share:
            exact = _webp(pixels, _SMALL)
    if len(exact) <= 2 * share:
        return exact, False
    close = _webp(pixels, _LOSSY)
    return (exact, False) if len(exact) <= len(close) else (close, True)


def _webp(pixels: Image.Image, how: _Encoding) -> bytes:
    encoded = io.BytesIO()
    pixels.save(encoded, "WEBP", lossless=how.lossless, quality=how.quality, method=how.method)
    return encoded.getvalue()


def _data_address(data: bytes, mime_type: str) -> Markup:
    """As markup, which a page takes as it is: escaping it would copy it several times."""
    assert mime_type in _SHOWN_TYPES
    return Markup(f"data:{mime_type};base64,{base64.b64encode(data).decode('ascii')}")  # noqa: S704 - needs no escaping


def named(pictures: Sequence[RecordedPicture], names: Callable[[str], str | None]) -> Iterator[ShownPicture | None]:
    """The pictures in their order, as files beside the page; `names` gives the relative path by the digest."""
    for picture in pictures:
        name = names(picture.digest) if picture.mime_type in _SHOWN_TYPES else None
        yield None if name is None else ShownPicture(address=name)
