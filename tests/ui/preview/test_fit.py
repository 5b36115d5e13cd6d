"""A native pixel and the device pixel it is drawn on are the same place, at every zoom and scale."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as some

from operator_console.domain.geometry import NativePoint, Size
from operator_console.ui.preview.fit import Box, DevicePoint, Fit, place_label

sizes = some.builds(Size, some.integers(1, 4000), some.integers(1, 3000))


@given(sizes, some.integers(60, 6000), some.integers(60, 4000), some.data())
def test_a_point_is_drawn_within_half_a_pixel_of_its_place(
    native: Size, width: int, height: int, data: some.DataObject
) -> None:
    fit = Fit.within(native, width, height, margin=8, largest=2.0)
    x, y = data.draw(some.integers(0, native.width - 1)), data.draw(some.integers(0, native.height - 1))
    at = fit.to_device(NativePoint(x, y))
    assert abs(at.x - (fit.x + (x + 0.5) * fit.width / native.width)) <= 0.5
    assert abs(at.y - (fit.y + (y + 0.5) * fit.height / native.height)) <= 0.5
    assert fit.x <= at.x <= fit.x + fit.width
    assert fit.y <= at.y <= fit.y + fit.height


@given(sizes, some.integers(0, 2000), some.integers(0, 1000), some.data())
def test_where_the_picture_is_not_made_smaller_a_click_on_the_dot_names_the_pixel(
    native: Size, wider: int, higher: int, data: some.DataObject
) -> None:
    fit = Fit.within(native, native.width + wider, native.height + higher, largest=2.0)
    assert fit.width >= native.width
    assert fit.height >= native.height
    point = NativePoint(data.draw(some.integers(0, native.width - 1)), data.draw(some.integers(0, native.height - 1)))
    at = fit.to_device(point)
    assert fit.to_native(at.x, at.y) == point


@given(sizes, some.integers(60, 6000), some.integers(60, 4000))
def test_the_picture_keeps_its_shape_and_stays_inside(native: Size, width: int, height: int) -> None:
    fit = Fit.within(native, width, height, margin=8, largest=2.0)
    assert fit.x >= 0
    assert fit.y >= 0
    assert fit.x + fit.width <= width
    assert fit.y + fit.height <= height
    if min(fit.width, fit.height) > 40:
        assert math.isclose(fit.width / fit.height, native.width / native.height, rel_tol=0.05)


@given(sizes, some.integers(60, 6000), some.integers(60, 4000))
def test_it_is_enlarged_by_whole_multiples_only(native: Size, width: int, height: int) -> None:
    fit = Fit.within(native, width, height, largest=2.0)
    if native.width <= width and native.height <= height:
        assert (fit.width, fit.height) in {(n * native.width, n * native.height) for n in (1, 2)}
        assert fit.zoom == 2 or 2 * native.width > width or 2 * native.height > height
    else:
        assert fit.zoom <= 1


def test_beside_the_picture_there_is_no_pixel() -> None:
    fit = Fit.within(Size(100, 100), 300, 200)
    assert fit.to_native(0, 0) is None
    assert fit.to_native(fit.x, fit.y) == NativePoint(0, 0)


@given(some.floats(0, 800), some.floats(0, 600), some.floats(20, 300))
def test_labels_stay_inside_and_off_their_target(x: float, y: float, width: float) -> None:
    bounds = Box(0, 0, 800, 600)
    box = place_label(DevicePoint(x, y), (width, 20), clear=24, bounds=bounds)
    assert box.outside(bounds) < 1e-6 * box.width * box.height + 1e-9
    assert box.overlap(Box(x - 6, y - 6, 12, 12)) == 0


def test_two_labels_at_one_place_do_not_cover_each_other() -> None:
    bounds, at = Box(0, 0, 800, 600), DevicePoint(400, 300)
    first = place_label(at, (120, 20), clear=24, bounds=bounds)
    second = place_label(at, (120, 20), clear=24, bounds=bounds, taken=(first,))
    assert first.overlap(second) == 0
