"""Finding a label's field by its pixels."""

from __future__ import annotations

import pytest

from operator_console.domain.geometry import Rect
from operator_console.perception.fields import field_of
from tests.perception.drawing import frame, picture

LABEL = Rect(20, 42, 34, 11)


def test_beside_the_label() -> None:
    image = picture([("City", 20, 40)], boxes=[(100, 32, 300, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 199, 29)


def test_beside_the_label_with_text_in_it() -> None:
    image = picture([("City", 20, 40), ("Oslo and what is around it", 108, 40)], boxes=[(100, 32, 330, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 229, 29)


def test_a_field_as_white_as_its_window_is_seen_by_its_border() -> None:
    image = picture([("City", 20, 40)], paper="#ffffff", boxes=[(100, 32, 300, 62)])
    assert field_of(frame(image), LABEL) == Rect(101, 33, 199, 29)


def test_below_the_label() -> None:
    image = picture([("City", 20, 40)], boxes=[(18, 60, 300, 120)])
    assert field_of(frame(image), LABEL) == Rect(19, 61, 281, 59)


def test_the_near_one_below_goes_before_a_far_one_beside() -> None:
    image = picture([("City", 20, 40)], boxes=[(18, 60, 200, 120), (330, 20, 470, 150)])
    assert field_of(frame(image), LABEL) == Rect(19, 61, 181, 59)


def test_in_one_row_goes_before_what_stands_below() -> None:
    image = picture([("City", 20, 40)], boxes=[(120, 33, 300, 63), (18, 68, 200, 98)])
    assert field_of(frame(image), LABEL) == Rect(121, 34, 179, 29)


def test_a_placeholder_names_the_field_it_stands_in() -> None:
    image = picture([("City", 20, 40), ("Go", 226, 40)], boxes=[(14, 34, 200, 62), (212, 34, 272, 62)])
    assert field_of(frame(image), LABEL) == Rect(15, 35, 185, 27)


@pytest.mark.parametrize("edge", [(0, 0), (446, 189), (0, 189), (446, 0)])
def test_no_field_and_the_edges_of_the_picture(edge: tuple[int, int]) -> None:
    image = picture([("City", *edge)])
    assert field_of(frame(image), Rect(*edge, 34, 11)) is None


def test_a_rule_is_no_field() -> None:
    image = picture([("City", 20, 40)], boxes=[(100, 20, 101, 150)])
    assert field_of(frame(image), LABEL) is None
