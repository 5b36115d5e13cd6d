"""The tolerant comparison on drawn examples; real applications: tests/display/desktop/test_compare_apps.py."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from operator_console.desktop.compare import SIMILAR_FROM, score, similar
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
