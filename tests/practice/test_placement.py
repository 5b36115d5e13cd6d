"""The practice window covers neither Start nor Approve nor Stop, at the sizes that people have."""

from __future__ import annotations

import pytest

from operator_console.domain.geometry import Rect, Size
from operator_console.practice.placement import LEAST, WHOLE, Screen, place_window

COLUMN, SIDE, HEADER = 272, 360, 48


def console_on(width: int, height: int) -> Screen:
    """A screen with the console's window in its corner, as large as it opens there."""
    window = Rect(8, 28, min(1440, width - 16), min(900, height - 48))
    start = Rect(window.x + 16, window.bottom - 56, COLUMN - 32, 40)
    header = Rect(window.x, window.y, window.width, HEADER)
    right = Rect(window.right - SIDE, window.y, SIDE, window.height)
    return Screen(available=Rect(0, 0, width, height), keep_clear=(start, header, right))


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (2560, 1440), (1366, 768)])
def test_it_covers_nothing_that_is_needed(size: tuple[int, int]) -> None:
    screen = console_on(*size)
    placed = place_window(screen)
    assert all(placed.intersect(clear).empty for clear in screen.keep_clear)
    assert placed.intersect(screen.available) == placed
    assert placed.width >= LEAST.width
    assert placed.height >= LEAST.height


def test_it_has_the_size_it_likes_where_there_is_room() -> None:
    assert place_window(console_on(2560, 1440)).size == WHOLE
    assert place_window(Screen(available=Rect(0, 0, 1280, 720))).centre == pytest.approx((640, 372), abs=12)


def test_where_it_must_cover_something_it_covers_as_little_as_it_can() -> None:
    available = Rect(0, 0, 800, 600)
    left = place_window(Screen(available=available, keep_clear=(Rect(760, 0, 40, 600), Rect(0, 0, 240, 600))))
    assert left.size == Size(LEAST.width, left.height)
    assert left.right <= 800 - 4
    assert left.x < 240
