"""Finding the field of a label in the pixels of a frame."""

from __future__ import annotations

import pytest

from operator_console.domain.geometry import Rect
from operator_console.perception.fields import field_of
from tests.perception.drawing import frame, picture

LABEL = Rect(20, 42, 34, 11)


def test_a_field_beside_its_label() -> None:
    image = picture([("City", 20, 40)], boxes=[(100, 32, 300, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 199, 29)


def test_a_field_beside_its_label_with_text_in_it() -> None:
    image = picture([("City", 20, 40), ("Oslo and what is around it", 108, 40)], boxes=[(100, 32, 330, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 229, 29)


def test_a_white_field_in_a_white_window_is_found_by_its_border() -> None:
    image = picture([("City", 20, 40)], paper="#ffffff", boxes=[(100, 32, 300, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 199, 29)


def test_a_field_below_its_label() -> None:
    image = picture([("City", 20, 40)], boxes=[(18, 60, 300, 120)])
    assert field_of(frame(image), LABEL) == Rect(19, 61, 281, 59)


def test_a_near_field_below_wins_over_a_far_one_beside() -> None:
    image = picture([("City", 20, 40)], boxes=[(18, 60, 200, 120), (330, 20, 470, 150)])
    assert field_of(frame(image), LABEL) == Rect(19, 61, 181, 59)


def test_a_field_in_the_same_row_wins_over_one_below() -> None:
    image = picture([("City", 20, 40)], boxes=[(120, 33, 300, 63), (18, 68, 200, 98)])
    assert field_of(frame(image), LABEL) == Rect(121, 34, 179, 29)


def test_a_placeholder_belongs_to_the_field_around_it() -> None:
    image = picture([("City", 20, 40), ("Go", 226, 40)], boxes=[(14, 34, 200, 62), (212, 34, 272, 62)])
    assert field_of(frame(image), LABEL) == Rect(15, 35, 185, 27)


@pytest.mark.parametrize("edge", [(0, 0), (446, 189), (0, 189), (446, 0)])
def test_a_label_at_a_corner_of_the_picture_without_a_field(edge: tuple[int, int]) -> None:
    image = picture([("City", *edge)])
    assert field_of(frame(image), Rect(*edge, 34, 11)) is None


def test_a_vertical_line_is_not_a_field() -> None:
    image = picture([("City", 20, 40)], boxes=[(100, 20, 101, 150)])
    assert field_of(frame(image), LABEL) is None
