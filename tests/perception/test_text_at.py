"""What lies at a point, and which label names it."""

from __future__ import annotations

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.perception.text_at import label_for, text_at

SAVE = TextBox(text="Save", box=Rect(100, 100, 32, 12))
LONG = TextBox(text="Save all of it", box=Rect(90, 90, 200, 40))
CITY = TextBox(text="City", box=Rect(10, 200, 30, 12))
NOTES = TextBox(text="Notes", box=Rect(10, 260, 40, 12))


def test_the_text_under_the_point_goes_before_one_near_it() -> None:
    assert text_at([LONG, SAVE], NativePoint(110, 105)) is SAVE
    assert text_at([SAVE], NativePoint(90, 106)) is SAVE
    assert text_at([SAVE], NativePoint(140, 118)) is SAVE
    assert text_at([SAVE], NativePoint(160, 106)) is None
    assert text_at([], NativePoint(0, 0)) is None


def test_a_label_is_left_in_the_row_or_right_above() -> None:
    assert label_for([CITY, NOTES], NativePoint(120, 206)) is CITY
    assert label_for([CITY, NOTES], NativePoint(60, 300)) is NOTES
    assert label_for([CITY, NOTES], NativePoint(700, 500)) is None
