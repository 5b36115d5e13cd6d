"""Drawn icons are named by their shape, whatever their size and colours; others, text and bare areas are not."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import Category
from operator_console.perception.icons import NAMES, SIDE, icon_at, shape_of
from operator_console.perception.picture_reader import OcrReader
from operator_console.policy.word_tables import tables
from tests.perception.drawing import bgrx, frame, picture

SAMPLES = Path(__file__).parent / "icon_samples"
KNOWN = [name for name in NAMES if name]
COLOURS = (("#1b1f24", "#f4f5f7"), ("#ffffff", "#1a73e8"), ("#e8eaed", "#202124"), ("#b3261e", "#ffffff"))
SIZES = (16, 20, 24, 32, 48)
TRASH = SAMPLES / "delete" / "octicons-trash.svg"
BELL = SAMPLES / "other" / "octicons-bell.svg"


def drawn(file: Path, size: int) -> Image.Image:
    """The coverage of the pixels by an icon."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(file.read_bytes())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return Image.fromarray(np.frombuffer(image.constBits(), np.uint8).reshape(size, size, 4)[..., 3].copy())


def toolbar(files: Sequence[Path], size: int, ink: str, paper: str) -> tuple[Image.Image, list[Rect]]:
    """Icons beside each other, and the extents of their buttons."""
    image = Image.new("RGB", (40 + len(files) * (size + 14), size + 60), paper)
    extents = []
    for number, file in enumerate(files):
        x, y = 27 + number * (size + 14), 30
        image.paste(Image.new("RGB", (size, size), ink), (x, y), drawn(file, size))
        extents.append(Rect(x - 6, y - 6, size + 12, size + 12))
    return image, extents


def said(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """What is said about each icon, by its extent and by a point on it, in all sizes, the colours in turn."""
    for size, (ink, paper) in zip(SIZES, itertools.cycle(COLOURS), strict=False):
        image, extents = toolbar(files, size, ink, paper)
        shown = frame(image)
        for file, extent in zip(files, extents, strict=True):
            yield file, icon_at(shown, extent)
            yield file, icon_at(shown, NativePoint(*extent.centre))


@pytest.mark.parametrize("name", KNOWN)
def test_the_icons_of_other_sets_are_named(name: str) -> None:
    told = Counter(answer for _, answer in said(sorted((SAMPLES / name).iterdir())))
    assert set(told) <= {name, ""}
    assert told[name] >= 0.8 * told.total(), told


def test_other_icons_are_hardly_ever_named() -> None:
    files = sorted((SAMPLES / "other").iterdir())
    assert len(files) >= 50
    told = [(file.stem, answer) for file, answer in said(files)]
    named = Counter((stem, answer) for stem, answer in told if answer)
    assert named.total() <= 0.02 * len(told), named


def test_policy_understands_the_names_as_labels() -> None:
    understood = {name: {category for category, _ in tables().in_label(name)} for name in KNOWN if name != "lock"}
    assert understood == {
        "delete": {Category.DELETE}, "send": {Category.SEND}, "upload": {Category.UPLOAD}, "pay": {Category.PAY},
    }  # fmt: skip


@pytest.mark.parametrize(
    "place", [Rect(10, 10, 40, 40), NativePoint(30, 30), Rect(0, 0, 200, 100), Rect(190, 90, 40, 40)]
)
def test_a_bare_area_has_no_icon(place: Rect | NativePoint) -> None:
    assert icon_at(frame(picture([], size=(200, 100))), place) == ""


def test_text_is_no_icon() -> None:
    words = ("OK", "Save", "A", "Next", "12", "B", "Open", "Help")
    texts = [(word, 20 + 90 * (n % 4), 20 + 40 * (n // 4)) for n, word in enumerate(words)]
    shown = frame(picture(texts))
    for _, x, y in texts:
        assert icon_at(shown, NativePoint(x + 8, y + 9)) == ""
        assert icon_at(shown, Rect(x - 8, y - 8, 60, 34)) == ""


def test_only_the_icon_at_the_point_counts() -> None:
    image, extents = toolbar([BELL, TRASH, BELL], 24, *COLOURS[0])
    shown = frame(image)
    assert [icon_at(shown, NativePoint(*extent.centre)) for extent in extents] == ["", "delete", ""]
    assert icon_at(shown, NativePoint(extents[1].centre[0], 5)) == ""


def test_the_frame_of_a_button_is_no_part_of_its_icon() -> None:
    image = Image.new("RGB", (120, 120), "#f0f0f0")
    ImageDraw.Draw(image).rounded_rectangle((30, 30, 90, 90), 8, fill="#fafafa", outline="#808080")
    image.paste(Image.new("RGB", (24, 24), "#202020"), (48, 48), drawn(TRASH, 24))
    assert icon_at(frame(image), Rect(28, 28, 64, 64)) == "delete"
    assert icon_at(frame(image), NativePoint(60, 60)) == "delete"


def test_an_icon_at_the_corner_of_the_picture_is_named() -> None:
    image = Image.new("RGB", (80, 80), "#ffffff")
    image.paste(Image.new("RGB", (24, 24), "#000000"), (2, 2), drawn(TRASH, 24))
    assert icon_at(frame(image), NativePoint(14, 14)) == "delete"


def test_a_shape_is_centred_and_filled_to_the_longer_side() -> None:
    image = Image.new("RGB", (60, 60), "#ffffff")
    ImageDraw.Draw(image).rectangle((20, 10, 35, 41), fill="#000000")  # 16 x 32 pixels
    shape = shape_of(bgrx(image)[..., :3])
    assert shape is not None
    columns = np.flatnonzero(shape.max(axis=0) > 0.5)
    assert shape.shape == (SIDE, SIDE)
    assert (columns[0], columns[-1]) == (SIDE // 4, SIDE * 3 // 4 - 1)
    assert shape.max(axis=1).min() > 0.9


@pytest.mark.parametrize(
    "box", [(20, 20, 25, 25), (10, 28, 50, 32), (0, 10, 59, 50)], ids=["small", "narrow", "at the edge"]
)
def test_what_is_no_icon_by_its_measures_has_no_shape(box: tuple[int, int, int, int]) -> None:
    image = Image.new("RGB", (60, 60), "#ffffff")
    ImageDraw.Draw(image).rectangle(box, fill="#000000")
    assert shape_of(bgrx(image)[..., :3]) is None


def test_the_reader_names_icons() -> None:
    image, extents = toolbar([TRASH], 24, *COLOURS[0])
    assert OcrReader().icon(frame(image), extents[0]) == "delete"
