"""Conversions between the four coordinate spaces land on the pixel that contains the named point."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.errors import OutOfRange
from operator_console.domain.geometry import (
    FrameGeometry,
    GridPoint,
    NativePoint,
    Rect,
    ScreenPoint,
    SentPoint,
    Size,
    fit_within,
)

SIZES = st.builds(Size, st.integers(1, 7680), st.integers(1, 4320))


ORIGIN = ScreenPoint(0, 0)


def geometry(native: Size, sent: Size | None = None, origin: ScreenPoint = ORIGIN) -> FrameGeometry:
    return FrameGeometry(origin=origin, native=native, sent=sent or native)


@given(SIZES, st.floats(0, 1000), st.floats(0, 1000))
def test_a_grid_point_becomes_the_pixel_that_contains_it(size: Size, x: float, y: float) -> None:
    point = geometry(size).from_grid(GridPoint(x, y))
    assert abs(point.x + 0.5 - x * size.width / 1000) <= 0.5 + 1e-6
    assert abs(point.y + 0.5 - y * size.height / 1000) <= 0.5 + 1e-6
    assert 0 <= point.x < size.width
    assert 0 <= point.y < size.height


@given(SIZES, st.data())
def test_a_sent_pixel_adds_at_most_half_a_native_pixel(native: Size, data: st.DataObject) -> None:
    sent = fit_within(native, long_edge=data.draw(st.integers(200, 2576)))
    point = SentPoint(data.draw(st.integers(0, sent.width - 1)), data.draw(st.integers(0, sent.height - 1)))
    landed = geometry(native, sent).from_sent(point)
    assert abs(landed.x + 0.5 - (point.x + 0.5) * native.width / sent.width) <= 0.5 + 1e-6
    assert abs(landed.y + 0.5 - (point.y + 0.5) * native.height / sent.height) <= 0.5 + 1e-6


@given(SIZES, st.data())
def test_a_native_pixel_survives_the_way_to_the_grid_and_back(native: Size, data: st.DataObject) -> None:
    point = NativePoint(data.draw(st.integers(0, native.width - 1)), data.draw(st.integers(0, native.height - 1)))
    frame = geometry(native)
    assert frame.from_grid(frame.to_grid(point)) == point


def test_zero_is_a_coordinate_like_any_other() -> None:
    assert geometry(Size(1440, 900)).from_grid(GridPoint(0, 0)) == NativePoint(0, 0)


def test_the_closing_edge_names_the_last_pixel() -> None:
    assert geometry(Size(1440, 900)).from_grid(GridPoint(1000, 1000)) == NativePoint(1439, 899)


@pytest.mark.parametrize("value", [-0.1, 1000.1, math.nan, math.inf])
def test_numbers_outside_the_grid_are_refused_and_never_clamped(value: float) -> None:
    with pytest.raises(OutOfRange):
        geometry(Size(1440, 900)).from_grid(GridPoint(value, 10))
    with pytest.raises(OutOfRange):
        geometry(Size(1440, 900)).from_grid(GridPoint(10, value))


def test_a_negative_origin_shifts_input_units() -> None:
    frame = geometry(Size(1280, 1024), origin=ScreenPoint(-1280, -200))
    assert frame.to_screen(NativePoint(0, 0)) == ScreenPoint(-1280, -200)
    assert frame.to_screen(NativePoint(1279, 1023)) == ScreenPoint(-1, 823)


def test_a_point_that_is_not_of_the_capture_has_no_place_on_the_screen() -> None:
    with pytest.raises(OutOfRange):
        geometry(Size(10, 10)).to_screen(NativePoint(10, 0))


def test_input_units_are_logical_pixels_where_the_platform_has_them() -> None:
    frame = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(2880, 1800), sent=Size(1440, 900), input_scale=0.5)
    assert frame.to_screen(NativePoint(2879, 1799)) == ScreenPoint(1439, 899)


@pytest.mark.parametrize(
    ("scale", "native", "screen"),
    [(0.5, Rect(3, 2, 4, 5), Rect(101, 51, 3, 3)), (1.0, Rect(3, 2, 4, 5), Rect(103, 52, 4, 5)),
     (2.0, Rect(3, 2, 4, 5), Rect(106, 54, 8, 10))],
)  # fmt: skip
def test_a_rectangle_becomes_the_input_units_and_the_pixels_that_it_touches(
    scale: float, native: Rect, screen: Rect
) -> None:
    frame = replace(geometry(Size(200, 100), origin=ScreenPoint(100, 50)), input_scale=scale)
    assert frame.rect_to_screen(native) == screen
    back = frame.rect_from_screen(screen)
    assert back.intersect(native) == native
    assert frame.rect_to_screen(back) == screen


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_point_in_input_units_is_found_in_the_picture_again(scale: float) -> None:
    frame = replace(geometry(Size(200, 100), origin=ScreenPoint(100, 50)), input_scale=scale)
    assert frame.from_screen(frame.to_screen(NativePoint(199, 99))) == NativePoint(199, 99)
    assert frame.from_screen(ScreenPoint(99, 50)) is None


def test_nothing_is_scaled_up() -> None:
    assert fit_within(Size(800, 600), long_edge=1568) == Size(800, 600)


@given(SIZES, st.integers(50, 4000), st.integers(10_000, 4_000_000))
def test_a_fitted_size_respects_both_limits(native: Size, edge: int, pixels: int) -> None:
    size = fit_within(native, long_edge=edge, pixels=pixels)
    assert max(size.width, size.height) <= max(edge, 1)
    assert size.width * size.height <= pixels or min(size.width, size.height) == 1


def test_a_square_around_a_point_is_cut_at_the_edge() -> None:
    assert Rect.around(NativePoint(5, 50), 20, Size(100, 60)) == Rect(0, 30, 25, 30)


def test_rectangles_that_do_not_touch_share_nothing() -> None:
    assert Rect(0, 0, 10, 10).intersect(Rect(10, 0, 5, 5)).empty
    assert not Rect(0, 0, 10, 10).intersect(Rect(9, 9, 5, 5)).empty


def test_a_union_holds_both_and_nothing_of_what_is_empty() -> None:
    one, other = Rect(-5, 3, 2, 2), Rect(10, 0, 4, 4)
    assert one.union(other) == other.union(one) == Rect(-5, 0, 19, 5)
    for empty in (Rect(0, 0, 0, 0), Rect(100, 100, 0, 7)):
        assert one.union(empty) == empty.union(one) == one
