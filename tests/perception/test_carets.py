"""Telling a text caret by its blinking."""

from __future__ import annotations

import pytest

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect
from operator_console.perception.carets import caret_between
from tests.perception.drawing import frame, picture

FIELD = (100, 32, 300, 62)
CARET = Rect(108, 38, 1, 18)
CLOCK = Rect(20, 150, 40, 12)


def shows(*bars: Rect, words: str = "", fill: str = "#000000") -> Frame:
    """A field with bars of a colour."""
    image = picture([(words, 109, 40)], boxes=[FIELD])
    for bar in bars:
        image.paste(fill, (bar.x, bar.y, bar.right, bar.bottom))
    return frame(image)


@pytest.mark.parametrize("words", ["", "Lille"])
def test_a_bar_that_appears_or_disappears_is_the_caret(words: str) -> None:
    shown, hidden = shows(CARET, words=words), shows(words=words)
    assert caret_between(hidden, shown) == caret_between(shown, hidden) == CARET


def test_a_caret_is_found_while_something_else_changes_elsewhere() -> None:
    assert caret_between(shows(CLOCK), shows(CARET)) == CARET


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(shows(CARET), shows(CARET), id="nothing changes"),
        pytest.param(shows(), shows(CLOCK), id="something wide changes"),
        pytest.param(shows(), shows(Rect(108, 40, 1, 4)), id="a dot changes"),
        pytest.param(shows(), shows(Rect(108, 10, 1, 90)), id="a long line changes"),
        pytest.param(shows(), shows(CARET, Rect(208, 38, 1, 18)), id="two bars change"),
        pytest.param(shows(), shows(Rect(108, 38, 1, 8), Rect(108, 48, 1, 8)), id="two dots change together"),
        pytest.param(
            shows(Rect(101, 33, 50, 29), fill="#3070d0"), shows(Rect(101, 33, 52, 29), fill="#3070d0"), id="a bar grows"
        ),
        pytest.param(shows(), frame(picture([], size=(470, 200))), id="another size"),
        pytest.param(shows(Rect(0, 40, 1, 18)), shows(), id="at the edge of the picture"),
    ],
)
def test_other_changes_show_no_caret(before: Frame, now: Frame) -> None:
    assert caret_between(before, now) is None
