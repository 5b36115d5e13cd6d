"""Zooming and panning keep a click on the pixel that it is on, whatever part of the picture is shown."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from operator_console.domain.geometry import NativePoint, Size
from operator_console.ui.preview.viewpoint import (
    SCALES,
    Viewpoint,
    nearest_scale,
    next_scale,
    zoomed,
)

natives = some.builds(Size, some.integers(1, 4000), some.integers(1, 3000))
rooms = some.builds(Size, some.integers(60, 4000), some.integers(60, 2500))
scales = some.sampled_from(SCALES)
places = some.floats(-500, 4500)
views = some.builds(Viewpoint, scale=scales, x=places, y=places)
large = some.builds(Viewpoint, scale=some.sampled_from([each for each in SCALES if each >= 1]), x=places, y=places)


def pixel_of(native: Size, data: some.DataObject) -> NativePoint:
    return NativePoint(data.draw(some.integers(0, native.width - 1)), data.draw(some.integers(0, native.height - 1)))


@given(natives, rooms, large, some.integers(0, 30), some.data())
def test_from_actual_size_on_a_click_on_the_dot_names_the_pixel(
    native: Size, room: Size, view: Viewpoint, margin: int, data: some.DataObject
) -> None:
    fit, point = view.fit(native, room, margin=margin), pixel_of(native, data)
    at = fit.to_device(point)
    assert fit.to_native(at.x, at.y) == point


@given(natives, rooms, views, some.data())
def test_at_every_zoom_the_pixel_that_a_click_on_the_dot_names_is_drawn_there(
    native: Size, room: Size, view: Viewpoint, data: some.DataObject
) -> None:
    """Below actual size several pixels share a device pixel."""
    fit, point = view.fit(native, room), pixel_of(native, data)
    at = fit.to_device(point)
    named = fit.to_native(at.x, at.y)
    assert named is not None
    assert fit.to_device(named) == at
    assert abs(named.x - point.x) <= math.ceil(native.width / fit.width)
    assert abs(named.y - point.y) <= math.ceil(native.height / fit.height)


@given(natives, rooms, views, scales, some.data())
def test_zooming_keeps_what_is_under_the_pointer(
    native: Size, room: Size, view: Viewpoint, scale: float, data: some.DataObject
) -> None:
    before = view.fit(native, room)
    at = (data.draw(some.integers(0, room.width - 1)) + 0.5, data.draw(some.integers(0, room.height - 1)) + 0.5)
    under = before.to_native(*at)
    far = 10**7  # no edge of the picture is kept at the edge of the preview
    after = zoomed(before, scale, at, room).fit(native, room, margin=far)
    if under is None or after.width <= room.width or after.height <= room.height:
        return  # a picture that is smaller than the preview is centred
    kept = after.to_native(*at)
    if scale >= 1:
        assert kept == under
    else:
        x, y = ((at[0] - before.x) / before.width, (at[1] - before.y) / before.height)
        assert abs(after.x + x * after.width - at[0]) <= 0.5
        assert abs(after.y + y * after.height - at[1]) <= 0.5


@given(natives, rooms, views, some.integers(0, 30))
def test_the_preview_is_filled_or_the_picture_is_in_its_middle(
    native: Size, room: Size, view: Viewpoint, margin: int
) -> None:
    fit = view.fit(native, room, margin=margin)
    for begin, drawn, side in ((fit.x, fit.width, room.width), (fit.y, fit.height, room.height)):
        if drawn <= side:
            assert abs(2 * begin + drawn - side) <= 1
        else:
            assert begin <= margin
            assert begin + drawn >= side - margin


@given(natives, rooms, views, some.integers(0, 30))
def test_what_is_shown_stays_as_it_is_until_something_moves_it(
    native: Size, room: Size, view: Viewpoint, margin: int
) -> None:
    fit = view.fit(native, room, margin=margin)
    assert Viewpoint.of(fit, room, view.scale).fit(native, room, margin=margin) == fit


@given(natives, rooms, views, some.integers(-900, 900), some.integers(-900, 900))
def test_panning_moves_the_picture_by_these_pixels(
    native: Size, room: Size, view: Viewpoint, across: int, down: int
) -> None:
    fit = view.fit(native, room, margin=10**7)
    after = view.panned(fit, room, across, down).fit(native, room, margin=10**7)
    assert after.x - fit.x == (across if fit.width > room.width else 0)
    assert after.y - fit.y == (down if fit.height > room.height else 0)


@given(natives, rooms, views, some.data())
def test_a_point_that_is_out_of_sight_is_brought_into_it(
    native: Size, room: Size, view: Viewpoint, data: some.DataObject
) -> None:
    fit, point = view.fit(native, room), pixel_of(native, data)
    shown = view.revealing(fit, room, point, clear=20).fit(native, room).to_device(point)
    assert -1 <= shown.x <= room.width + 1
    assert -1 <= shown.y <= room.height + 1


def test_a_point_in_sight_moves_nothing() -> None:
    view, native, room = Viewpoint(scale=2.0, x=200, y=150), Size(400, 300), Size(400, 300)
    fit = view.fit(native, room)
    assert view.revealing(fit, room, NativePoint(200, 150), clear=20) == view


@given(some.floats(0.01, 30))
def test_steps_in_and_out_go_to_the_next_of_the_scales(scale: float) -> None:
    further, back = next_scale(scale, 1), next_scale(scale, -1)
    assert further in SCALES
    assert back in SCALES
    assert further > scale or further == SCALES[-1]
    assert back < scale or back == SCALES[0]


@pytest.mark.parametrize(
    ("scale", "into", "out"),
    [(1.0, 2.0, 0.841), (0.9995, 2.0, 0.841), (0.95, 1.0, 0.841), (2.0, 3.0, 1.0), (16.0, 16.0, 12.0)],
)
def test_some_steps(scale: float, into: float, out: float) -> None:
    assert (next_scale(scale, 1), next_scale(scale, -1)) == (into, out)


def test_enlarged_only_by_whole_multiples() -> None:
    assert list(SCALES) == sorted(set(SCALES))
    assert all(each == round(each) for each in SCALES if each > 1)
    assert [nearest_scale(each) for each in (0.0, 0.83, 1.2, 1.6, 99)] == [SCALES[0], 0.841, 1.0, 2.0, 16.0]
