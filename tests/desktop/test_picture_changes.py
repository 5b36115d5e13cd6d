"""Exact differences: nothing, one pixel, everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from operator_console.desktop.picture_changes import (
    changed_box,
    changed_places,
    differing_box,
    same,
)
from operator_console.domain.geometry import Rect, Size

SIZE = Size(100, 70)
PLAIN = bytes(SIZE.width * SIZE.height * 4)


def with_pixels(*places: tuple[int, int]) -> bytes:
    pixels = bytearray(PLAIN)
    for x, y in places:
        pixels[(y * SIZE.width + x) * 4] = 1
    return bytes(pixels)


def test_equal_pictures_have_no_change() -> None:
    assert changed_box(PLAIN, bytearray(PLAIN), SIZE) is None
    assert changed_places(PLAIN, PLAIN, SIZE) == ()


def test_the_same_is_told_across_kinds_of_memory() -> None:
    other = with_pixels((99, 69))
    for kind in (bytes, bytearray, memoryview):
        assert same(memoryview(PLAIN), kind(PLAIN))
        assert not same(memoryview(PLAIN), kind(other))


def test_the_fourth_byte_is_no_change() -> None:
    other = bytearray(PLAIN)
    other[3] = 255
    assert changed_box(PLAIN, other, SIZE) is None


def test_fourth_bytes_count_where_bytes_are_compared() -> None:
    other = bytearray(PLAIN)
    other[(7 * SIZE.width + 5) * 4 + 3] = 255
    assert differing_box(PLAIN, PLAIN, SIZE) is None
    assert differing_box(PLAIN, other, SIZE) == Rect(5, 7, 1, 1)


TALL = Size(300, 1000)  # read in several bands
EMPTY = bytes(TALL.width * TALL.height * 4)


@given(
    places=st.lists(
        st.tuples(st.integers(0, TALL.width - 1), st.integers(0, TALL.height - 1)), min_size=1, max_size=4, unique=True
    )
)
def test_the_box_is_the_smallest_in_a_large_picture_too(places: list[tuple[int, int]]) -> None:
    other = bytearray(EMPTY)
    for x, y in places:
        other[(y * TALL.width + x) * 4] = 1
    xs, ys = [x for x, _ in places], [y for _, y in places]
    expected = Rect(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    assert differing_box(EMPTY, other, TALL) == changed_box(EMPTY, other, TALL) == expected


@given(
    places=st.lists(
        st.tuples(st.integers(0, SIZE.width - 1), st.integers(0, SIZE.height - 1)), min_size=1, max_size=5, unique=True
    )
)
def test_the_box_is_the_smallest_that_holds_all(places: list[tuple[int, int]]) -> None:
    xs, ys = [x for x, _ in places], [y for _, y in places]
    expected = Rect(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    assert changed_box(PLAIN, with_pixels(*places), SIZE) == expected
    told = changed_places(PLAIN, with_pixels(*places), SIZE)
    assert all(sum(place.contains(x, y) for place in told) == 1 for x, y in places)


def test_places_far_apart_are_told_apart_and_tight() -> None:
    size = Size(400, 300)
    plain = bytes(size.width * size.height * 4)
    pixels = bytearray(plain)
    for x, y in ((10, 10), (12, 25), (390, 280)):
        pixels[(y * size.width + x) * 4] = 1
    assert changed_places(plain, pixels, size) == (Rect(10, 10, 3, 16), Rect(390, 280, 1, 1))
    assert changed_places(plain, plain, size) == ()


@given(
    points=st.lists(st.tuples(st.integers(0, 499), st.integers(0, 399)), min_size=1, max_size=12, unique=True),
)
def test_every_changed_pixel_lies_in_one_place(points: list[tuple[int, int]]) -> None:
    size = Size(500, 400)
    pixels = bytearray(size.width * size.height * 4)
    for x, y in points:
        pixels[(y * size.width + x) * 4] = 1
    places = changed_places(bytes(len(pixels)), pixels, size)
    for x, y in points:
        assert sum(place.contains(x, y) for place in places) >= 1
    box = changed_box(bytes(len(pixels)), pixels, size)
    assert box is not None
    assert all(place.intersect(box) == place for place in places)
