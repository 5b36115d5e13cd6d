"""Where numbers stand on the picture, and that boxes leave what they name as it is."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from operator_console.domain.element_marks import MARK_COLOURS
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import Rect, Size
from operator_console.providers.structured.marks import Canvas, draw_marks, place_tags
from operator_console.providers.structured.numbered_elements import Numbered
from tests.providers.conftest import frame, picture
from tests.providers.structured.screens import element

SIZE = Size(600, 400)
ROWS = [Rect(40, 40 + 22 * i, 300, 22) for i in range(10)]


def rows(ink: str, paper: str) -> Image.Image:
    """Rows of text without room between them."""
    image = Image.new("RGB", (SIZE.width, SIZE.height), paper)
    pen = ImageDraw.Draw(image)
    for i, row in enumerate(ROWS):
        pen.text((row.x + 6, row.y + 3), f"Row number {i} of a list", fill=ink, font=ImageFont.load_default(14))
    return image


def as_picture(image: Image.Image) -> Picture:
    out = io.BytesIO()
    image.save(out, "PNG")
    return Picture(data=out.getvalue(), mime_type="image/png", size=Size(*image.size), digest="")


def canvas(image: Image.Image, native: Size = SIZE) -> Canvas:
    return Canvas.of(as_picture(image), frame(native))


def numbered(boxes: list[Rect]) -> list[Numbered]:
    return [
        Numbered(number=i + 1, element=element(f"Row {i}", (b.x, b.y, b.width, b.height)), box=b)
        for i, b in enumerate(boxes)
    ]


@pytest.mark.parametrize(("ink", "paper"), [("black", "white"), ("white", "#202124")])
def test_no_tag_covers_text_or_another_tag_and_all_are_in_the_picture(ink: str, paper: str) -> None:
    image = rows(ink, paper)
    drawn = np.asarray(image.convert("L")).astype(int)
    text = np.abs(drawn - drawn[0, 0]) > 40
    marked = draw_marks(canvas(image), numbered(ROWS), None)
    taken = np.zeros(text.shape, dtype=int)
    for mark in marked.marks:
        assert Rect(0, 0, SIZE.width, SIZE.height).intersect(mark.tag) == mark.tag
        part = np.s_[mark.tag.y : mark.tag.bottom, mark.tag.x : mark.tag.right]
        assert not text[part].any(), mark
        taken[part] += 1
        others = [row for row in ROWS if row != mark.box]
        assert all(mark.tag.intersect(row).empty for row in others), "it would seem to name that"
    assert taken.max() == 1
    with Image.open(io.BytesIO(marked.picture.data)) as after:
        inside = np.asarray(after.convert("L")).astype(int)
    for row in ROWS:
        # But for the frames of its neighbours, which run along its edges, and what JPEG makes of the picture.
        part = np.s_[row.y + 3 : row.bottom - 3, row.x + 3 : row.right - 3]
        assert np.abs(inside[part] - drawn[part]).mean() < 6


def test_the_picture_is_reduced_but_marks_are_in_native_pixels() -> None:
    native = Size(1200, 800)
    (mark,) = draw_marks(canvas(rows("black", "white"), native), numbered([Rect(80, 80, 600, 44)]), None).marks
    assert mark.box == Rect(80, 80, 600, 44)
    assert mark.tag.bottom <= 80
    assert mark.tag.x in range(76, 84)


def test_a_picture_without_elements_is_left_as_it_is() -> None:
    plain = picture()
    assert draw_marks(Canvas.of(plain, frame()), [], 10).picture is plain


def test_marks_are_drawn_on_the_pixels_of_the_frame_as_on_the_picture_of_it() -> None:
    image = rows("#804020", "white")
    blue, green, red = image.split()[::-1]
    pixels = Image.merge("RGBX", (blue, green, red, red)).tobytes()
    seen = replace(frame(SIZE), pixels=memoryview(pixels))
    drawn = draw_marks(Canvas.of(as_picture(image), seen), numbered(ROWS), None)
    assert drawn == draw_marks(canvas(image), numbered(ROWS), None)
    assert drawn.picture.size == SIZE
    few = replace(as_picture(image.quantize(2).convert("RGB")), reduced=True)
    assert draw_marks(Canvas.of(few, seen), numbered(ROWS), None).picture.digest != drawn.picture.digest


def test_more_bytes_than_allowed_cost_quality() -> None:
    noise = Image.effect_noise((600, 400), 90).convert("RGB")
    free = draw_marks(canvas(noise), numbered(ROWS), None).picture
    bound = draw_marks(canvas(noise), numbered(ROWS), len(free.data) - 1).picture
    assert len(bound.data) < len(free.data)
    assert bound.size == free.size


def test_tags_of_a_full_screen_are_placed_inside_it() -> None:
    (tag,) = place_tags(np.zeros((40, 30), dtype=np.uint8), [Rect(0, 0, 30, 40)], [Size(12, 10)])
    assert Rect(0, 0, 30, 40).intersect(tag) == tag


def test_digits_can_be_read_on_each_colour() -> None:
    def brightness(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    # WCAG 2.2, contrast ratio
    assert all(1.05 / (brightness(colour) + 0.05) >= 6 for colour in MARK_COLOURS)
