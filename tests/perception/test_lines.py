"""Cutting detected areas into pieces: gaps, borders, words, order."""

from __future__ import annotations

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.lines import Piece, pieces, reading_order, without_doubles, words
from tests.perception.drawing import bgrx, picture


def test_a_menu_is_cut_at_its_gaps_and_a_sentence_is_not() -> None:
    image = bgrx(picture([("File", 20, 20), ("Edit", 80, 20), ("Save all of it", 140, 20)]))
    found = pieces(image, Rect(10, 14, 300, 28))
    assert len(found) == 3
    assert [piece.box.x // 10 for piece in found] == [2, 8, 14]
    assert all(10 <= piece.box.height <= 16 for piece in found), "drawn in to the ink"


def test_a_buttons_border_is_no_part_of_its_text() -> None:
    image = bgrx(picture([("Save", 40, 34)], boxes=[(30, 30, 90, 56)]))
    (piece,) = pieces(image, Rect(29, 27, 63, 32))
    assert piece.box.x >= 38
    assert piece.box.y >= 33
    assert piece.box.height <= 16


def test_an_underline_and_a_line_below_belong_elsewhere() -> None:
    image = bgrx(picture([("Postal address", 40, 30)], boxes=[(36, 49, 300, 120)]))
    (piece,) = pieces(image, Rect(36, 27, 112, 28))
    assert piece.box.bottom <= 48


def test_light_text_on_a_dark_button() -> None:
    image = bgrx(picture([("Approve", 40, 30)], ink="#ffffff", paper="#2456c7"))
    (piece,) = pieces(image, Rect(34, 24, 90, 30))
    assert 40 <= piece.box.x <= 42


def test_an_empty_area_holds_nothing() -> None:
    image = bgrx(picture([]))
    assert pieces(image, Rect(10, 10, 100, 30)) == []
    assert pieces(image, Rect(1000, 1000, 10, 10)) == []


def test_doubles_are_dropped() -> None:
    large = Piece(box=Rect(0, 0, 100, 20), crop=Rect(0, 0, 100, 20), gaps=())
    small = Piece(box=Rect(90, 2, 8, 12), crop=Rect(90, 2, 8, 12), gaps=())
    other = Piece(box=Rect(95, 0, 50, 20), crop=Rect(95, 0, 50, 20), gaps=())
    assert without_doubles([small, large, other]) == [large, other]


def test_words_stand_between_the_widest_gaps() -> None:
    piece = Piece(box=Rect(10, 5, 100, 12), crop=Rect(10, 5, 100, 12), gaps=((20, 21), (40, 46), (60, 61), (80, 85)))
    found = words("one two three", piece, 0.9)
    assert [(part.text, part.box.x, part.box.right) for part in found] == [
        ("one", 10, 40),
        ("two", 46, 80),
        ("three", 85, 110),
    ]
    assert words("one", piece, 0.9) == ()
    assert words("a b c d e f g", piece, 0.9) == ()


def test_reading_order_is_row_by_row() -> None:
    texts = [("c", 5, 42), ("b", 200, 2), ("a", 5, 0), ("d", 90, 40)]
    boxes = [TextBox(text=text, box=Rect(x, y, 40, 12)) for text, x, y in texts]
    assert "".join(box.text for box in reading_order(boxes)) == "abcd"
