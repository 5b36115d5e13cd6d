"""Painting just what changed gives, pixel for pixel, what painting everything gives."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication

from operator_console.domain.frames import Change, Frame
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.paint_picture import Small
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.preview.preview import Preview
from tests.display.ui.scene import frame_of

WIDGET = (700, 500)
Pixels = npt.NDArray[np.uint8]
SIZES = [
    (300, 200),
    (640, 400),
    (333, 777),
    (757, 480),
    (1111, 700),
    (1370, 800),
    (1440, 900),
    (1920, 1080),
    (3001, 411),
]


class Noted(Preview):
    """Notes what it asks to be painted again: a rectangle, or None for all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[QRect | None] = []

    def update(self, *args: object) -> None:
        (part,) = args or (None,)
        assert part is None or isinstance(part, QRect)
        self.asked.append(part)


def shown(frame: Frame, *marks: Mark) -> Noted:
    stage = Noted()
    stage.resize(*WIDGET)
    stage.show_frame(frame)
    stage.show_marks(marks)
    stage.asked.clear()
    return stage


def canvas() -> QImage:
    image = QImage(*WIDGET, QImage.Format.Format_RGB32)
    image.fill(0)
    return image


def noise(size: tuple[int, int], seed: int) -> Pixels:
    made = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    made[..., 3] = 255
    return made


def picture_of(pixels: Pixels) -> QImage:
    height, width = pixels.shape[:2]
    return QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_RGB32).copy()


def frame(pixels: Pixels) -> Frame:
    return frame_of(picture_of(pixels))


def boxes(size: tuple[int, int]) -> list[Rect]:
    """Single pixels, edges, corners, and anything."""
    width, height = size
    source = random.Random(width)
    fixed = [
        Rect(0, 0, 1, 1),
        Rect(width - 1, height - 1, 1, 1),
        Rect(0, height // 2, width, 1),
        Rect(0, 0, width, height),
    ]
    for _ in range(12):
        x, y = source.randrange(width), source.randrange(height)
        fixed.append(Rect(x, y, source.randint(1, width - x), source.randint(1, min(90, height - y))))
    return fixed


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_part_painted_anew_is_as_if_all_were(app: QApplication, size: tuple[int, int]) -> None:
    mark = Mark(
        key="1.0", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", risk=RiskClass.C1,
        points=(NativePoint(size[0] // 2, size[1] // 2),),
    )  # fmt: skip
    pixels = noise(size, 1)
    last = frame(pixels)
    stage, picture = shown(last, mark), canvas()
    stage.render(picture)
    for number, box in enumerate(boxes(size), 2):
        pixels[box.y : box.bottom, box.x : box.right] = noise((box.width, box.height), number)
        this = replace(frame(pixels), change=Change(since=last.frame_id, box=box))
        stage.show_frame(this)
        region = QRegion()
        for part in stage.asked:  # of the picture, and of the loupe
            assert part is not None
            region = region.united(QRegion(part))
        stage.asked.clear()
        stage.render(picture, region.boundingRect().topLeft(), region)
        whole = canvas()
        shown(replace(this, change=None), mark).render(whole)
        assert picture == whole, box
        last = this


@pytest.mark.parametrize("size", [(3000, 300), (5700, 300)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_so_it_is_where_rows_are_longer_than_the_painter_takes_at_once(
    app: QApplication, size: tuple[int, int]
) -> None:
    fit = Fit.within(Size(*size), 2700, 300)
    assert fit.width > 2500
    pixels, small, now = noise(size, 1), Small(), Rect(1200, 100, 1400, 90)
    small.picture(picture_of(pixels), fit)
    pixels[now.y : now.bottom, now.x : now.right] = noise((now.width, now.height), 2)
    image = picture_of(pixels)
    small.changed(now)
    assert small.picture(image, fit) == Small().picture(image, fit)


def test_a_small_change_is_a_small_part(app: QApplication) -> None:
    """At half size, and where each pixel is the mean of many."""
    for size, most in (((1920, 1080), 100 * 100), ((1440, 900), 70 * 70), ((640, 400), 24 * 24)):
        pixels = noise(size, 1)
        first = frame(pixels)
        stage = shown(first)
        pixels[100:120, 200:220] = 0
        stage.show_frame(replace(frame(pixels), change=Change(since=first.frame_id, box=Rect(200, 100, 20, 20))))
        (part,) = stage.asked
        assert part is not None
        assert part.width() * part.height() <= most


def test_what_is_not_known_to_be_the_same_is_painted(app: QApplication) -> None:
    """Frames that were passed over, a frame without a word about its change, another target's."""
    first, other = frame(noise((640, 400), 1)), frame(noise((640, 400), 2))
    for unknown in (other, replace(other, change=Change(since="another", box=Rect(0, 0, 1, 1)))):
        stage = shown(first)
        stage.show_frame(unknown)
        assert stage.asked == [None]
        picture, whole = canvas(), canvas()
        stage.render(picture)
        shown(other).render(whole)
        assert picture == whole


def test_changes_while_a_step_is_looked_at_are_there_afterwards(app: QApplication) -> None:
    size = (1920, 1080)
    pixels = noise(size, 1)
    last = frame(pixels)
    stage, picture = shown(last), canvas()
    stage.render(picture)
    stage.show_still(picture_of(noise((800, 500), 5)))
    stage.render(picture)
    for number, box in enumerate((Rect(10, 10, 50, 50), Rect(1800, 1000, 30, 30)), 2):
        pixels[box.y : box.bottom, box.x : box.right] = noise((box.width, box.height), number)
        last = replace(frame(pixels), change=Change(since=last.frame_id, box=box))
        stage.show_frame(last)
    stage.show_still(None)
    assert stage.asked[-1] is None
    stage.render(picture, QPoint(), QRegion(stage.rect()))
    whole = canvas()
    shown(last).render(whole)
    assert picture == whole
