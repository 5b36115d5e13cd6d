"""The pixel that is hit is never more than half a native pixel from the point that a model names.

Every number of every dialect, on common screen sizes, in exact fractions; with negative origins and fractional scales.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.geometry import (
    FrameGeometry,
    GridPoint,
    NativePoint,
    ScreenPoint,
    SentPoint,
    Size,
    fit_within,
)

HALF = Fraction(1, 2)
LANDSCAPE = [
    (1024, 768), (1280, 800), (1366, 768), (1440, 900), (1920, 1080), (2560, 1440), (2560, 1600), (3440, 1440),
    (3840, 2160), (5120, 2880), (7680, 4320),
]  # fmt: skip
SIZES = [Size(*sides) for sides in LANDSCAPE] + [Size(height, width) for width, height in LANDSCAPE[1::3]]
LIMITS = {"gemini": (1600, 1440 * 900), "a long edge": (1568, None), "a budget of pixels": (None, 1_150_000)}
SCALES = [Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(4, 7), Fraction(100, 175)]


def apart(pixel: int, named: Fraction) -> Fraction:
    """From a pixel's centre to the named point."""
    return abs(pixel + HALF - named)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width}x{size.height}")
def test_every_number_of_the_grid(size: Size) -> None:
    frame = FrameGeometry(origin=ScreenPoint(-1920, -333), native=size, sent=size)
    for number in range(1001):
        landed = frame.from_grid(GridPoint(number, number))
        assert apart(landed.x, Fraction(number * size.width, 1000)) <= HALF
        assert apart(landed.y, Fraction(number * size.height, 1000)) <= HALF
        screen = frame.to_screen(landed)
        assert (screen.x, screen.y) == (landed.x - 1920, landed.y - 333)


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width}x{size.height}")
def test_every_pixel_of_the_picture_that_was_sent(size: Size, limits: tuple[int | None, int | None]) -> None:
    long_edge, pixels = limits
    sent = fit_within(size, long_edge=long_edge, pixels=pixels)
    frame = FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=sent)
    seen = set()
    for number in range(max(sent.width, sent.height)):
        x, y = min(number, sent.width - 1), min(number, sent.height - 1)
        landed = frame.from_sent(SentPoint(x, y))
        assert apart(landed.x, (x + HALF) * Fraction(size.width, sent.width)) <= HALF
        assert apart(landed.y, (y + HALF) * Fraction(size.height, sent.height)) <= HALF
        back = frame.to_sent(landed)
        assert (round(back.x), round(back.y)) == (x, y)  # what it points at is drawn there
        seen.add(landed.x)
    assert len(seen) == sent.width  # no two columns of the picture name the same pixel


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(
    size=st.sampled_from(SIZES), x=st.integers(0, 1000), y=st.integers(0, 1000),
    left=st.integers(-9000, 9000), top=st.integers(-9000, 9000),
)  # fmt: skip
def test_input_units_of_scaled_monitors(scale: Fraction, size: Size, x: int, y: int, left: int, top: int) -> None:
    """The unit that is sent holds the pixel's centre: nothing is lost but what the system's own units cannot say."""
    frame = FrameGeometry(origin=ScreenPoint(left, top), native=size, sent=size, input_scale=float(scale))
    landed = frame.from_grid(GridPoint(x, y))
    screen = frame.to_screen(landed)
    slack = Fraction(1, 10**6)
    assert apart(screen.x, left + (landed.x + HALF) * scale) <= HALF + slack
    assert apart(screen.y, top + (landed.y + HALF) * scale) <= HALF + slack
    assert left <= screen.x <= left + size.width * scale
    assert top <= screen.y <= top + size.height * scale


def test_neighbouring_monitors_of_mixed_scale_share_no_place() -> None:
    """A portrait one at 150 % left of and above the primary, which is at 100 %, and one at 200 % to its right."""
    monitors = [
        FrameGeometry(
            origin=ScreenPoint(-1080, -400), native=Size(1620, 2880), sent=Size(810, 1440), input_scale=2 / 3
        ),
        FrameGeometry(origin=ScreenPoint(0, 0), native=Size(1920, 1080), sent=Size(1440, 810)),
        FrameGeometry(origin=ScreenPoint(1920, 0), native=Size(3840, 2160), sent=Size(1440, 810), input_scale=0.5),
    ]
    corners = [
        [frame.to_screen(NativePoint(x, y)) for x in (0, frame.native.width - 1) for y in (0, frame.native.height - 1)]
        for frame in monitors
    ]
    assert corners[0] == [
        ScreenPoint(-1080, -400),
        ScreenPoint(-1080, 1519),
        ScreenPoint(-1, -400),
        ScreenPoint(-1, 1519),
    ]
    assert corners[1] == [ScreenPoint(0, 0), ScreenPoint(0, 1079), ScreenPoint(1919, 0), ScreenPoint(1919, 1079)]
    assert corners[2] == [ScreenPoint(1920, 0), ScreenPoint(1920, 1079), ScreenPoint(3839, 0), ScreenPoint(3839, 1079)]
