"""Which places on the screen match a text."""

from __future__ import annotations

import pytest

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.providers.runbook.text_matching import find, nearest, neighbour


def box(text: str, x: int = 0, y: int = 0, confidence: float = 1.0) -> TextBox:
    """A text with characters of 8 x 12 pixels and known words."""
    at, parts = x, []
    for word in text.split():
        parts.append(TextBox(text=word, box=Rect(at, y, 8 * len(word), 12)))
        at += 8 * (len(word) + 1)
    whole = Rect(x, y, 8 * len(text), 12)
    return TextBox(text=text, box=whole, confidence=confidence, parts=tuple(parts) if len(parts) > 1 else ())


def test_the_whole_text_goes_before_words_of_a_longer_one() -> None:
    button = box("Save", 300, 300)
    assert find([box("Please Save your work"), button], "Save") == (button,)


def test_case_decides_before_it_is_ignored() -> None:
    small, large = box("save", 0), box("Save", 100)
    assert find([small, large], "Save") == (large,)
    assert find([small], "Save") == (small,)


def test_colons_dots_and_stars_at_the_end_are_nothing() -> None:
    assert len(find([box("First name: *")], "First name")) == 1
    assert len(find([box("Save as…")], "Save as...")) == 1


@pytest.mark.parametrize(("shown", "wanted"), [("Go to...", "Go to…"), ("Go to…", "Go to...")])
def test_three_dots_are_an_ellipsis(shown: str, wanted: str) -> None:
    other = box("Go to", 100)
    assert find([box(shown), other], wanted) == (box(shown),)
    assert len(find([box(f"{shown} 7 pages")], f"{wanted} 7 pages")) == 1


def test_equal_texts_are_ambiguous() -> None:
    assert len(find([box("Save", 0), box("Cancel", 100), box("Save", 200)], "Save")) == 2


def test_a_word_inside_a_text_has_its_own_box() -> None:
    (place,) = find([box("read the Terms and conditions here", 100, 50)], "terms and conditions")
    assert place.box == Rect(100 + 8 * 9, 50, 8 * 20, 12)


def test_a_word_is_no_part_of_another_word() -> None:
    assert find([box("Undelete everything")], "Delete") == ()
    assert find([box("Undelete")], "Delete") == ()
    assert find([box("Saved 3 times")], "Saved 2 times") == ()
    assert find([box("Save")], "Saved") == ()


def test_scripts_without_spaces_are_found_inside() -> None:
    (place,) = find([box("请保存文件", 0)], "保存")
    assert 4 <= place.box.x <= 12
    assert place.box.width == 16


def test_neighbours_in_a_row_are_joined() -> None:
    (place,) = find([box("Submit", 0), box("report", 8 * 6 + 20)], "Submit report")
    assert place.box == Rect(0, 0, 8 * 12 + 20, 12)
    assert find([box("Submit", 0), box("report", 0, 200)], "Submit report") == ()


@pytest.mark.parametrize(("read", "wanted"), [("Zazółc gesla", "Zażółć gęślą"), ("0K all", "OK all"), ("FiIe", "File")])
def test_what_a_reader_confuses_is_forgiven(read: str, wanted: str) -> None:
    assert len(find([box(read)], wanted)) == 1


def test_short_texts_are_not_forgiven() -> None:
    assert find([box("l")], "1") == ()
    assert find([box("0")], "o") == ()


def test_a_weak_reading_does_not_make_a_sure_one_ambiguous() -> None:
    sure, weak = box("1", 0, confidence=0.99), box("1", 100, confidence=0.65)
    assert find([weak, sure], "1") == (sure,)
    assert find([weak], "1") == (weak,)


@pytest.mark.parametrize("wanted", ["", " ", "…", ":"])
def test_nothing_names_nothing(wanted: str) -> None:
    assert find([box("Save"), box(":")], wanted) in ((), (box(":"),))


def test_near_and_neighbour() -> None:
    first, second, mark = box("Save", 0, 0), box("Save", 0, 300), box("Sketch", 60, 310)
    assert nearest([first, second], [mark]) is second
    assert neighbour([first, second, mark], second) is mark
    assert neighbour([first], first) is None
