"""The comparison on drawn examples; real applications: tests/display/desktop/test_screen_similarity_apps.py."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from operator_console.desktop.screen_similarity import SIMILAR_FROM, score, similar
from operator_console.domain.geometry import Size

SIZE = Size(96, 96)
GREY, WHITE, BLACK = (236, 236, 236), (255, 255, 255), (20, 20, 20)


def crop(
    draw: ImageDraw.ImageDraw,
    label: str = "Save",
    *,
    at: tuple[int, int] = (16, 34),
    fill: tuple[int, int, int] = WHITE,
) -> None:
    """A button with a label, as an application draws it."""
    x, y = at
    draw.rounded_rectangle((x, y, x + 64, y + 28), radius=4, fill=fill, outline=(130, 130, 130))
    draw.text((x + 18, y + 8), label, fill=BLACK)


def picture(
    *steps: str, fill: tuple[int, int, int] = WHITE, at: tuple[int, int] = (16, 34), label: str = "Save"
) -> bytes:
    image = Image.new("RGB", (SIZE.width, SIZE.height), GREY)
    draw = ImageDraw.Draw(image)
    if "button" in steps:
        crop(draw, label, at=at, fill=fill)
    if "caret" in steps:
        draw.line((30, 38, 30, 58), fill=BLACK)
    if "ring" in steps:
        draw.rounded_rectangle((at[0] - 2, at[1] - 2, at[0] + 66, at[1] + 30), radius=6, outline=(20, 90, 220), width=2)
    if "text" in steps:
        draw.text((20, 10), "typed words", fill=BLACK)
    if "dialog" in steps:
        draw.rectangle((0, 0, 95, 95), fill=(250, 250, 250), outline=(90, 90, 90))
        draw.text((8, 12), "Delete all\nthese files?", fill=BLACK)
        draw.rectangle((8, 60, 40, 80), outline=(90, 90, 90))
        draw.rectangle((50, 60, 88, 80), outline=(90, 90, 90))
    return image.convert("RGBA").tobytes("raw", "BGRA")


BUTTON = picture("button")


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("the same", BUTTON),
        ("hovered", picture("button", fill=(220, 230, 250))),
        ("pressed: darker, moved by a pixel", picture("button", fill=(190, 190, 190), at=(17, 35))),
        ("focus ring", picture("button", "ring")),
        ("caret", picture("button", "caret")),
        ("text typed beside it", picture("button", "text")),
    ],
)
def test_what_input_itself_does_is_no_mismatch(name: str, after: bytes) -> None:
    assert similar(BUTTON, after, SIZE), (name, score(BUTTON, after, SIZE))


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("a dialog over it", picture("dialog")),
        ("gone", picture()),
        ("moved away", picture("button", at=(16, 62))),
        ("moved sideways", picture("button", at=(30, 34))),
    ],
)
def test_another_layout_is_a_mismatch(name: str, after: bytes) -> None:
    assert not similar(BUTTON, after, SIZE), (name, score(BUTTON, after, SIZE))


def test_text_typed_into_a_blank_page_is_no_mismatch() -> None:
    assert similar(picture(), picture("text"), SIZE)


def test_a_dialog_over_a_blank_page_is_a_mismatch() -> None:
    assert not similar(picture(), picture("dialog"), SIZE)


def test_another_shade_of_a_blank_place_is_a_mismatch_only_when_it_is_far_off() -> None:
    def flat(level: int) -> bytes:
        return bytes((level, level, level, 0)) * (SIZE.width * SIZE.height)

    assert similar(flat(255), flat(235), SIZE)
    assert not similar(flat(255), flat(20), SIZE)


def test_a_crop_at_the_rim_may_be_thin() -> None:
    thin = Size(2, 40)
    assert similar(b"\xff\xff\xff\x00" * 80, b"\xf0\xf0\xf0\x00" * 80, thin)
    assert not similar(b"\xff\xff\xff\x00" * 80, b"\x00\x00\x00\x00" * 80, thin)


def test_the_unused_fourth_byte_does_not_count() -> None:
    other = bytearray(BUTTON)
    other[3::4] = b"\x7f" * (SIZE.width * SIZE.height)
    assert score(BUTTON, bytes(other), SIZE) == 1.0


def test_bytes_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        score(BUTTON[:-4], BUTTON, SIZE)


def test_the_threshold_lies_between_the_examples() -> None:
    assert 0.0 < SIMILAR_FROM < 1.0


# Hue and chroma

BLUE, RED, GREEN, PURPLE = (48, 112, 192), (208, 32, 32), (38, 130, 38), (120, 84, 190)
ACCENT = (53, 132, 228)


def luma(colour: tuple[int, int, int]) -> int:
    red, green, blue = colour
    return (blue * 29 + green * 150 + red * 77) >> 8


def of_luma(level: int, colour: tuple[int, int, int]) -> tuple[int, int, int]:
    """The colour made lighter or darker until its brightness is `level`."""
    for step in range(-255, 256):
        red, green, blue = (min(255, max(0, channel + step)) for channel in colour)
        if luma((red, green, blue)) >= level:
            return red, green, blue
    raise AssertionError(level)


def flat(colour: tuple[int, int, int], size: Size = SIZE) -> bytes:
    return bytes((*reversed(colour), 0)) * (size.width * size.height)


def drawn(*rectangles: tuple[tuple[int, int, int, int], tuple[int, int, int]], ground: tuple[int, int, int]) -> bytes:
    """Filled rectangles (left, top, right, bottom) on a ground."""
    image = Image.new("RGB", (SIZE.width, SIZE.height), ground)
    for box, colour in rectangles:
        ImageDraw.Draw(image).rectangle(box, fill=colour)
    return image.convert("RGBA").tobytes("raw", "BGRA")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BLUE, RED),
        (BLUE, GREEN),
        (GREEN, RED),
        (RED, PURPLE),
        ((48, 112, 192), (192, 80, 160)),
        ((200, 160, 40), (60, 180, 200)),
        ((128, 128, 128), RED),
    ],
)
def test_a_flat_place_in_another_hue_of_equal_brightness_is_a_mismatch(
    first: tuple[int, int, int], second: tuple[int, int, int]
) -> None:
    other = of_luma(luma(first), second)
    assert abs(luma(first) - luma(other)) <= 3
    assert not similar(flat(first), flat(other), SIZE), (first, other)
    assert not similar(flat(other), flat(first), SIZE), (first, other)


@pytest.mark.parametrize("box", [(16, 34, 80, 62), (36, 36, 60, 60), (40, 40, 56, 56), (0, 0, 47, 95)])
def test_a_control_in_another_hue_of_equal_brightness_is_a_mismatch(box: tuple[int, int, int, int]) -> None:
    before = drawn((box, BLUE), ground=GREY)
    assert not similar(before, drawn((box, of_luma(luma(BLUE), RED)), ground=GREY), SIZE)


def test_a_coloured_popup_over_a_labelled_place_of_another_hue_is_a_mismatch() -> None:
    before = picture("button", fill=BLUE)
    after = Image.frombytes("RGBA", (96, 96), before, "raw", "BGRA").convert("RGB")
    ImageDraw.Draw(after).rectangle((10, 30, 86, 66), fill=of_luma(luma(BLUE), RED))
    assert not similar(before, after.convert("RGBA").tobytes("raw", "BGRA"), SIZE)


def lighter(colour: tuple[int, int, int], by: int) -> tuple[int, int, int]:
    red, green, blue = (min(255, max(0, channel + by)) for channel in colour)
    return red, green, blue


@pytest.mark.parametrize("colour", [BLUE, RED, GREEN, PURPLE, ACCENT, (230, 97, 0), (190, 140, 20)])
@pytest.mark.parametrize("by", [-30, -18, 18, 30])
def test_a_coloured_control_that_is_hovered_or_pressed_is_no_mismatch(colour: tuple[int, int, int], by: int) -> None:
    box = (16, 34, 80, 62)
    assert similar(drawn((box, colour), ground=GREY), drawn((box, lighter(colour, by)), ground=GREY), SIZE)
    assert similar(flat(colour), flat(lighter(colour, by)), SIZE)


@pytest.mark.parametrize("tint", [(229, 241, 251), (204, 232, 255), (232, 240, 254), (245, 240, 230), (222, 222, 222)])
def test_the_tint_of_what_is_hovered_is_no_mismatch(tint: tuple[int, int, int]) -> None:
    assert similar(flat(WHITE), flat(tint), SIZE)
    assert similar(picture("button"), picture("button", fill=tint), SIZE)


def rows(selected: int | None = None, *, colour: tuple[int, int, int] = ACCENT) -> bytes:
    """A list of lines of text, one of them selected."""
    image = Image.new("RGB", (96, 96), WHITE)
    draw = ImageDraw.Draw(image)
    for row, text in enumerate(("Inbox of today", "Drafts and notes", "Sent messages", "Archive 2024")):
        chosen = row == selected
        if chosen:
            draw.rectangle((0, row * 24, 95, row * 24 + 23), fill=colour)
        draw.text((6, row * 24 + 6), text, fill=WHITE if chosen else BLACK)
    return image.convert("RGBA").tobytes("raw", "BGRA")


@pytest.mark.parametrize("row", range(4))
def test_a_selected_row_is_no_mismatch(row: int) -> None:
    assert similar(rows(), rows(row), SIZE), score(rows(), rows(row), SIZE)
    assert similar(rows(row), rows(), SIZE), score(rows(row), rows(), SIZE)
    assert similar(rows(1), rows(row), SIZE)


def test_rows_that_moved_by_their_own_height_are_a_mismatch() -> None:
    image = Image.frombytes("RGBA", (96, 96), rows(), "raw", "BGRA").convert("RGB")
    moved = Image.new("RGB", (96, 96), WHITE)
    moved.paste(image, (0, 24))
    assert not similar(rows(), moved.convert("RGBA").tobytes("raw", "BGRA"), SIZE)


def spinner(turned: int, *colours: tuple[int, int, int]) -> bytes:
    """A ring that turns beside the point, an arc of it in each colour."""
    image = Image.new("RGB", (96, 96), WHITE)
    draw = ImageDraw.Draw(image)
    draw.text((6, 40), "Loading the list", fill=BLACK)
    for number, colour in enumerate(colours):
        start = turned + number * 360 // len(colours)
        draw.arc((60, 4, 92, 36), start, start + 200 // len(colours), fill=colour, width=4)
    return image.convert("RGBA").tobytes("raw", "BGRA")


@pytest.mark.parametrize("colours", [(ACCENT,), (BLUE, RED), (BLUE, RED, (245, 194, 17), GREEN)])
@pytest.mark.parametrize("turned", [30, 90, 180, 270])
def test_a_spinner_beside_the_point_is_no_mismatch(colours: tuple[tuple[int, int, int], ...], turned: int) -> None:
    assert similar(spinner(0, *colours), spinner(turned, *colours), SIZE)


def test_a_clock_is_no_mismatch() -> None:
    def clock(text: str) -> bytes:
        image = Image.new("RGB", (96, 96), GREY)
        draw = ImageDraw.Draw(image)
        draw.text((30, 70), text, fill=BLACK)
        draw.rectangle((16, 20, 80, 48), outline=BLACK)
        draw.text((30, 28), "Start", fill=BLACK)
        return image.convert("RGBA").tobytes("raw", "BGRA")

    assert similar(clock("12:59:59"), clock("13:00:00"), SIZE)


def test_coloured_fringes_of_letters_are_no_hue() -> None:
    def fringed(shift: int) -> bytes:
        image = Image.new("RGB", (96, 96), WHITE)
        draw = ImageDraw.Draw(image)
        for row in range(4):
            for column in range(10):
                x, y = 4 + column * 9 + shift, 8 + row * 22
                draw.line((x - 1, y, x - 1, y + 10), fill=(255, 190, 150))
                draw.line((x, y, x, y + 10), fill=BLACK)
                draw.line((x + 1, y, x + 1, y + 10), fill=(150, 190, 255))
        return image.convert("RGBA").tobytes("raw", "BGRA")

    assert similar(fringed(0), fringed(1), SIZE)


def test_small_and_odd_crops_have_a_hue_too() -> None:
    for size in (Size(3, 3), Size(5, 61), Size(97, 2), Size(1, 1)):
        assert not similar(flat(BLUE, size), flat(of_luma(luma(BLUE), RED), size), size), size
        assert similar(flat(BLUE, size), flat(lighter(BLUE, 10), size), size), size
