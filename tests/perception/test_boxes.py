"""The box around a point in drawn pictures; real screens are in tests/display/perception."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.perception.boxes import box_around
from tests.perception.drawing import frame, picture

BUTTON = (100, 60, 379, 95)
EXTENT = Rect(100, 60, 280, 36)
INSIDE = [(104, 64), (240, 78), (374, 90), (120, 92), (205, 72)]


def found(image: Image.Image, x: int, y: int) -> Rect | None:
    return box_around(frame(image), NativePoint(x, y))


def drawn(fill: str, paper: str, *, outline: str | None = None, radius: int = 0, words: str = "Pay now") -> Image.Image:
    image = picture([], paper=paper, size=(480, 200))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(BUTTON, radius, fill=fill, outline=outline)
    draw.text((205, 70), words, fill="#101010" if fill > "#8" else "#f0f0f0")
    return image


@pytest.mark.parametrize(
    ("fill", "paper", "outline", "radius"),
    [
        ("#3070c0", "#f4f5f7", None, 0),
        ("#3070c0", "#f4f5f7", None, 8),
        ("#3070c0", "#f4f5f7", None, 18),
        ("#ffffff", "#ffffff", "#f4f4f4", 0),
        ("#ffffff", "#ffffff", "#d0d0d0", 5),
        ("#2a2a2a", "#242424", None, 4),
        ("#1e1e1e", "#1e1e1e", "#2c2c2c", 6),
        ("#fbfbfb", "#f6f6f6", None, 0),
    ],
)
@pytest.mark.parametrize("point", INSIDE)
def test_a_box_is_found_from_any_point_inside(
    fill: str, paper: str, outline: str | None, radius: int, point: tuple[int, int]
) -> None:
    box = found(drawn(fill, paper, outline=outline, radius=radius), *point)
    if radius > 8 and not (118 <= point[0] < 362):
        return  # outside the round ends
    assert box is not None
    for ours, theirs in zip(
        (box.x, box.y, box.right, box.bottom), (EXTENT.x, EXTENT.y, EXTENT.right, EXTENT.bottom), strict=True
    ):
        assert abs(ours - theirs) <= 2, box


@pytest.mark.parametrize("point", [(40, 78), (240, 40), (240, 140), (430, 180), (98, 78)])
def test_open_background_has_no_box(point: tuple[int, int]) -> None:
    assert found(drawn("#3070c0", "#f4f5f7"), *point) is None


def test_a_gradient_does_not_hide_the_box() -> None:
    image = picture([], size=(480, 200))
    draw = ImageDraw.Draw(image)
    for row in range(36):
        level = 240 - row
        draw.line((100, 60 + row, 379, 60 + row), fill=(level, level, level))
    draw.rectangle(BUTTON, outline="#808080")
    assert found(image, 350, 90) == EXTENT


def test_running_text_has_no_box() -> None:
    lines = [("The person supervises a computer that works a desktop, and decides", 10, 10 + 20 * n) for n in range(9)]
    image = picture(lines)
    assert [found(image, x, y) for x in range(15, 460, 40) for y in range(12, 180, 13)] == [None] * (12 * 13)


def test_the_gaps_between_wide_buttons_have_no_box_and_each_button_its_own() -> None:
    image = picture([], size=(900, 400))
    draw = ImageDraw.Draw(image)
    for row in range(9):
        draw.rectangle((20, 10 + 44 * row, 879, 10 + 44 * row + 29), fill="#e0e0e8", outline="#a0a0a8")
    for row in range(9):
        assert found(image, 860, 25 + 44 * row) == Rect(20, 10 + 44 * row, 860, 30)
    assert [found(image, 400, 10 + 44 * row + 37) for row in range(8)] == [None] * 8


def test_the_inner_box_wins_over_the_one_around_it() -> None:
    image = picture([], size=(1000, 800), boxes=[(40, 20, 440, 180), (60, 40, 200, 70)])
    assert found(image, 100, 60) == Rect(60, 40, 141, 31)
    assert found(image, 300, 150) == Rect(40, 20, 401, 161)


def test_tabs_that_share_their_borders_are_told_apart() -> None:
    image = picture([], boxes=[(40, 40, 140, 70), (140, 40, 240, 70), (240, 40, 340, 70)])
    box = found(image, 200, 60)
    assert box is not None
    assert abs(box.x - 140) <= 1
    assert abs(box.right - 241) <= 1


def test_what_is_as_large_as_a_panel_is_no_box() -> None:
    assert found(picture([], size=(900, 600), boxes=[(20, 20, 880, 580)]), 450, 300) is None
    assert found(picture([], size=(900, 600), boxes=[(20, 20, 880, 250)]), 450, 100) is None


def test_a_menu_bar_is_no_box() -> None:
    words = [("File", 20, 14), ("Edit", 80, 14), ("View", 140, 14), ("Help", 200, 14)]
    assert found(picture(words, boxes=[(8, 8, 470, 36)]), 90, 22) is None


def test_a_point_outside_the_frame_has_no_box() -> None:
    assert found(picture([]), 900, 900) is None
