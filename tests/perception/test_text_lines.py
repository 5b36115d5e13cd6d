"""Splitting detected areas into segments: gaps, borders, words, order."""

from __future__ import annotations

from itertools import pairwise

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.text_lines import (
    Segment,
    chunks,
    joined,
    reading_order,
    split_area,
    without_duplicates,
    word_boxes,
)
from tests.perception.drawing import bgrx, picture


def test_a_menu_is_split_at_its_gaps_and_a_sentence_is_not() -> None:
    image = bgrx(picture([("File", 20, 20), ("Edit", 80, 20), ("Save all of it", 140, 20)]))
    found = split_area(image, Rect(10, 14, 300, 28))
    assert len(found) == 3
    assert [segment.box.x // 10 for segment in found] == [2, 8, 14]
    assert all(10 <= segment.box.height <= 16 for segment in found), "the boxes are as high as the ink"


def test_the_border_of_a_button_is_not_part_of_its_text() -> None:
    image = bgrx(picture([("Save", 40, 34)], boxes=[(30, 30, 90, 56)]))
    (segment,) = split_area(image, Rect(29, 27, 63, 32))
    assert segment.box.x >= 38
    assert segment.box.y >= 33
    assert segment.box.height <= 16


def test_a_border_below_is_not_part_of_the_text() -> None:
    image = bgrx(picture([("Postal address", 40, 30)], boxes=[(36, 49, 300, 120)]))
    (segment,) = split_area(image, Rect(36, 27, 112, 28))
    assert segment.box.bottom <= 48


def test_light_text_on_a_dark_button() -> None:
    image = bgrx(picture([("Approve", 40, 30)], ink="#ffffff", paper="#2456c7"))
    (segment,) = split_area(image, Rect(34, 24, 90, 30))
    assert 40 <= segment.box.x <= 42


def test_an_empty_area_has_no_segments() -> None:
    image = bgrx(picture([]))
    assert split_area(image, Rect(10, 10, 100, 30)) == []
    assert split_area(image, Rect(1000, 1000, 10, 10)) == []


def test_duplicates_are_dropped() -> None:
    large = Segment(box=Rect(0, 0, 100, 20), crop=Rect(0, 0, 100, 20), gaps=())
    small = Segment(box=Rect(90, 2, 8, 12), crop=Rect(90, 2, 8, 12), gaps=())
    other = Segment(box=Rect(95, 0, 50, 20), crop=Rect(95, 0, 50, 20), gaps=())
    assert without_duplicates([small, large, other]) == [large, other]


def test_the_widest_gaps_separate_the_words() -> None:
    segment = Segment(
        box=Rect(10, 5, 100, 12), crop=Rect(10, 5, 100, 12), gaps=((20, 21), (40, 46), (60, 61), (80, 85))
    )
    found = word_boxes("one two three", segment, 0.9)
    assert [(part.text, part.box.x, part.box.right) for part in found] == [
        ("one", 10, 40),
        ("two", 46, 80),
        ("three", 85, 110),
    ]
    assert word_boxes("one", segment, 0.9) == ()
    assert word_boxes("a b c d e f g", segment, 0.9) == ()


def test_reading_order_is_row_by_row() -> None:
    texts = [("c", 5, 42), ("b", 200, 2), ("a", 5, 0), ("d", 90, 40)]
    boxes = [TextBox(text=text, box=Rect(x, y, 40, 12)) for text, x, y in texts]
    assert "".join(box.text for box in reading_order(boxes)) == "abcd"


def test_a_long_line_is_cut_between_words_and_joined_again() -> None:
    words = "The person supervises a computer that works a desktop, and decides what is done"
    image = bgrx(picture([(words, 20, 40)], size=(800, 90)))
    (segment,) = split_area(image, Rect(15, 35, 700, 26))
    pieces = chunks(segment)
    assert len(pieces) >= 4
    assert [piece.box.right <= after.box.x for piece, after in pairwise(pieces)] == [True] * (len(pieces) - 1)
    assert (pieces[0].box.x, pieces[-1].box.right) == (segment.box.x, segment.box.right)
    assert all(piece.box.width <= 12 * segment.box.height for piece in pieces)


def test_a_short_line_and_a_long_word_stay_whole() -> None:
    for words in ("Delete everything", "Donaudampfschifffahrtsgesellschaft"):
        image = bgrx(picture([(words, 20, 40)], size=(480, 90)))
        (segment,) = split_area(image, Rect(15, 35, 300, 26))
        assert len(chunks(segment)) <= 2
        assert " " not in joined([("x", piece.box) for piece in chunks(segment)]) or words.count(" ")


def test_pieces_are_joined_with_a_space_only_where_there_is_one() -> None:
    assert joined([("Delete", Rect(0, 0, 60, 12)), ("all", Rect(65, 0, 30, 12))]) == "Delete all"
    assert joined([("every", Rect(0, 0, 60, 12)), ("thing", Rect(61, 0, 50, 12))]) == "everything"
    assert joined([("删除", Rect(0, 0, 40, 20)), ("文件", Rect(46, 0, 40, 20))]) == "删除文件"
