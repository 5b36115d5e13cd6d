"""Where the practice window stands on a screen that it shares with the console's window. Pure functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from operator_console.domain.geometry import Rect, Size

WHOLE, LEAST = Size(780, 580), Size(600, 500)
"""The client area that the window likes, and the least in which everything in it can be used."""
FRAME_TOP, FRAME_SIDE = 28, 4
"""Upper estimate of a window manager's title bar and borders."""
_STEP = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A screen and what must stay visible on it, in the units of window positions.

    Attributes:
        available: the screen without the desktop's own panels.
        keep_clear: what the practice window must not cover: Start, Approve and Stop.
    """

    available: Rect
    keep_clear: tuple[Rect, ...] = ()


def place_window(screen: Screen) -> Rect:
    """The client area for the practice window: as large as it likes, or smaller where only that covers nothing.

    It stands near the middle of the screen. If it covers something everywhere, it covers as little as it can.
    """
    best, covered = None, float("inf")
    for size in _sizes():
        places = _places(screen, size)
        now = min(places, key=lambda rect: (_covered(screen, rect), _off_centre(screen, rect)))
        if _covered(screen, now) == 0:
            return _client(now)
        if _covered(screen, now) < covered:
            best, covered = now, _covered(screen, now)
    assert best is not None
    return _client(best)


def _sizes() -> Iterable[Size]:
    widths = range(WHOLE.width, LEAST.width - 1, -_STEP)
    heights = range(WHOLE.height, LEAST.height - 1, -_STEP)
    sizes = (Size(width, height) for width, height in itertools.product(widths, heights))
    return sorted(sizes, key=lambda size: -size.width * size.height)


def _places(screen: Screen, size: Size) -> list[Rect]:
    """Whole windows, frames included: at the sides of the screen and of what is kept clear, and in the middle."""
    area = screen.available
    width = min(size.width + 2 * FRAME_SIDE, area.width)
    height = min(size.height + FRAME_TOP + FRAME_SIDE, area.height)
    right, bottom = area.x + area.width - width, area.y + area.height - height
    xs, ys = {area.x, right, (area.x + right) // 2}, {area.y, bottom, (area.y + bottom) // 2}
    for clear in screen.keep_clear:
        xs |= {clear.x - width, clear.x + clear.width}
        ys |= {clear.y - height, clear.y + clear.height}
    return [
        Rect(x, y, width, height)
        for x, y in itertools.product(sorted(xs), sorted(ys))
        if area.x <= x <= right and area.y <= y <= bottom
    ]


def _covered(screen: Screen, rect: Rect) -> int:
    """How many pixels of what is kept clear it covers."""
    parts = (rect.intersect(clear) for clear in screen.keep_clear)
    return sum(part.width * part.height for part in parts if not part.empty)


def _off_centre(screen: Screen, rect: Rect) -> int:
    area = screen.available
    dx = (rect.x + rect.width / 2) - (area.x + area.width / 2)
    dy = (rect.y + rect.height / 2) - (area.y + area.height / 2)
    return round(dx * dx + dy * dy)


def _client(rect: Rect) -> Rect:
    return Rect(
        rect.x + FRAME_SIDE, rect.y + FRAME_TOP, rect.width - 2 * FRAME_SIDE, rect.height - FRAME_TOP - FRAME_SIDE
    )
