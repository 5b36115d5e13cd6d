"""Which accessible top-level a window is, and where its coordinates begin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.bus_applications import (
    Offset,
    TopLevel,
    best_match,
    offset_of,
    without_shadow,
)

WINDOW = Rect(100, 120, 400, 300)


def top(x: int, y: int, width: int, height: int, name: str = "", *, relative: bool = False) -> TopLevel:
    return TopLevel(name=name, extents=Rect(x, y, width, height), window_relative=relative)


@pytest.mark.parametrize(
    ("found", "offset"),
    [
        (top(100, 120, 400, 300), Offset(0, 0)),
        (top(99, 100, 402, 321), Offset(0, 0)),
        (top(0, 0, 400, 300), Offset(100, 120)),
        (top(0, 0, 400, 300, relative=True), Offset(100, 120)),
        (top(0, 0, 352, 252, relative=True), Offset(124, 144)),
    ],
    ids=["client area", "with decorations", "unknown place", "GTK 4", "GTK 4 with a shadow"],
)
def test_a_top_level_of_the_same_place_is_the_window(found: TopLevel, offset: Offset) -> None:
    assert best_match([top(700, 0, 30, 30), found], WINDOW, "") == 1
    assert offset_of(found, WINDOW) == offset


def test_a_title_decides_between_windows_of_one_size() -> None:
    tops = [top(0, 0, 400, 300, "Mail", relative=True), top(0, 0, 400, 300, "Diary", relative=True)]
    assert best_match(tops, WINDOW, "Diary") == 1


def test_the_focus_decides_between_windows_that_are_alike_otherwise() -> None:
    tops = [top(100, 120, 400, 300, "Diary"), replace(top(100, 120, 400, 300, "Diary"), active=True)]
    assert best_match(tops, WINDOW, "Diary", active=True) == 1
    assert best_match(tops, WINDOW, "Diary", active=False) == 0


def test_a_menu_is_no_top_level_that_only_holds_it() -> None:
    menu = Rect(110, 150, 90, 60)
    assert best_match([top(100, 120, 400, 300, "Diary")], menu, "") is None


def test_the_nearest_of_two_places_is_chosen() -> None:
    assert best_match([top(80, 100, 440, 340), top(100, 120, 400, 300)], WINDOW, "") == 1


def test_a_title_alone_is_enough_only_without_extents() -> None:
    assert best_match([TopLevel(name="Diary", extents=None)], WINDOW, "Diary") == 0
    assert best_match([top(500, 500, 20, 20, "Diary")], WINDOW, "Diary") is None


def test_a_shadow_that_passes_input_on_is_no_part_of_the_window() -> None:
    takes_input = Rect(112, 129, 376, 276)  # 24 px of shadow above, 33 below, less an edge of 12
    assert without_shadow(WINDOW, [takes_input]) == takes_input
    assert offset_of(top(0, 0, 352, 252, relative=True), takes_input) == Offset(124, 141)


def test_a_window_with_a_frame_or_of_many_parts_is_taken_as_it_is() -> None:
    assert without_shadow(WINDOW, [Rect(99, 100, 402, 321)]) == WINDOW
    assert without_shadow(WINDOW, [Rect(100, 120, 200, 300), Rect(350, 120, 50, 300)]) == WINDOW
