"""The reticle's dot stands on the pixel a click will hit: measured on the widget's own pixels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.choice_boxes import plan_choices
from operator_console.ui.preview.fit import Box, Fit
from operator_console.ui.preview.paint_marks import EDGE, Look, plan_labels
from operator_console.ui.preview.pan_and_zoom import LARGEST_FIT
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage, Numbers
from operator_console.ui.preview.preview import Preview
from operator_console.ui.theme_colours import OVERLAY_RISK
from tests.display.ui.scene import frame_of

GROUND = QColor("#ffe680")


def plain(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(GROUND)
    return image


def mark(point: NativePoint, risk: RiskClass | None = RiskClass.C1, stage: MarkStage = MarkStage.NEXT) -> Mark:
    return Mark(key="1.0", number=1, shape=MarkShape.POINT, stage=stage, label="click", points=(point,), risk=risk)


def painted(stage: Preview, ratio: float) -> QImage:
    """The widget's pixels at a device pixel ratio."""
    image = QImage(round(stage.width() * ratio), round(stage.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    stage.render(image)
    return image


def dot_of(image: QImage, around: tuple[float, float], colour: QColor, reach: float) -> tuple[float, float]:
    """The middle of the dot: pixels near its colour, closer to the place than the ring is."""
    found = [
        (x + 0.5, y + 0.5)
        for x in range(round(around[0] - reach), round(around[0] + reach) + 1)
        for y in range(round(around[1] - reach), round(around[1] + reach) + 1)
        if image.valid(x, y) and near(image.pixelColor(x, y), colour)
    ]
    assert found, "no dot"
    return sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)


def near(one: QColor, other: QColor) -> bool:
    return max(abs(one.red() - other.red()), abs(one.green() - other.green()), abs(one.blue() - other.blue())) < 40


@pytest.fixture
def stage(app: QApplication) -> Preview:
    made = Preview()
    made.resize(700, 500)
    return made


@pytest.mark.parametrize("risk", [None, *RiskClass])
@pytest.mark.parametrize("native", [(1280, 800), (640, 400), (333, 777), (2560, 1440)])
def test_the_dot_is_on_the_pixel(stage: Preview, native: tuple[int, int], risk: RiskClass | None) -> None:
    stage.show_frame(frame_of(plain(*native)))
    width, height = native
    for point in (NativePoint(width // 3, height // 2), NativePoint(width - 1, height - 1), NativePoint(0, 0)):
        stage.show_marks((mark(point, risk),))
        fit = stage.fit
        assert fit is not None
        ideal = (fit.x + (point.x + 0.5) * fit.width / width, fit.y + (point.y + 0.5) * fit.height / height)
        x, y = dot_of(painted(stage, 1.0), ideal, QColor(OVERLAY_RISK[risk]), 5)
        assert abs(x - ideal[0]) <= 1.0
        assert abs(y - ideal[1]) <= 1.0


def test_an_enlarged_picture_is_enlarged_exactly(stage: Preview) -> None:
    """One native pixel of another colour, shown at 200 %: the dot is on it."""
    image = plain(300, 200)
    point = NativePoint(123, 77)
    image.setPixelColor(point.x, point.y, QColor("#ff0000"))
    stage.resize(800, 600)
    stage.show_frame(frame_of(image))
    fit = stage.fit
    assert fit is not None
    assert fit.zoom == 2.0
    bare = painted(stage, 1.0)
    red = [(x, y) for x in range(800) for y in range(600) if near(bare.pixelColor(x, y), QColor("#ff0000"))]
    assert red
    at = fit.to_device(point)
    assert min(x for x, _ in red) <= at.x <= max(x for x, _ in red) + 1
    assert min(y for _, y in red) <= at.y <= max(y for _, y in red) + 1


@pytest.mark.parametrize("width", [2560, 3840, 7680])
def test_thin_lines_of_a_large_screen_are_all_there(stage: Preview, width: int) -> None:
    """Each line of one pixel darkens its place, wherever it falls between the pixels that are painted."""
    image = QImage(width, 64, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    lines = range(41, width - 41, 41)
    for x in lines:
        for y in range(64):
            image.setPixelColor(x, y, QColor("black"))
    stage.show_frame(frame_of(image))
    fit = stage.fit
    assert fit is not None
    assert fit.zoom < 0.3
    bare = painted(stage, 1.0)
    y = fit.y + fit.height // 2
    for x in lines:
        at = int(fit.x + (x + 0.5) * fit.zoom)
        darkness = sum(255 - bare.pixelColor(near_it, y).red() for near_it in (at - 1, at, at + 1))
        assert darkness >= 0.7 * 255 * fit.zoom


def test_a_focus_ring_leaves_the_picture_to_be_seen(stage: Preview) -> None:
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks((mark(NativePoint(320, 200)),))
    stage.show()
    stage.setFocus()
    stage.activateWindow()
    QTest.qWaitForWindowActive(stage)
    assert stage.hasFocus()
    assert painted(stage, 1.0).pixelColor(60, 60) == GROUND
    stage.hide()


def test_a_picture_that_is_not_live_is_dimmed_with_its_marks_and_that_of_a_step_is_not(stage: Preview) -> None:
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks((mark(NativePoint(320, 200)),))
    bright = painted(stage, 1.0)
    stage.set_seen(False)
    dim = painted(stage, 1.0)
    ring = QColor(OVERLAY_RISK[RiskClass.C1])
    changed = [(x, y) for x in range(330, 371) for y in range(230, 271) if near(bright.pixelColor(x, y), ring)]
    assert changed
    assert not any(near(dim.pixelColor(x, y), ring) for x, y in changed)
    assert dim.pixelColor(60, 250).lightness() < bright.pixelColor(60, 250).lightness() / 1.5
    stage.show_still(plain(640, 400))
    assert painted(stage, 1.0).pixelColor(60, 250) == bright.pixelColor(60, 250)
    stage.show_still(None)
    stage.set_seen(True)
    assert painted(stage, 1.0) == bright


def test_done_marks_fade_and_are_gone(app: QApplication) -> None:
    now = [100.0]
    stage = Preview(monotonic=lambda: now[0])
    stage.resize(600, 400)
    stage.show_frame(frame_of(plain(600, 400)))
    bare = painted(stage, 1.0)
    stage.show_marks((mark(NativePoint(300, 200)),))
    stage.show_marks((mark(NativePoint(300, 200), stage=MarkStage.DONE),))
    now[0] += 0.3
    assert painted(stage, 1.0) != bare
    now[0] += 0.4
    assert painted(stage, 1.0) == bare


def test_with_reduced_motion_they_are_gone_at_once(app: QApplication) -> None:
    stage = Preview()
    stage.resize(600, 400)
    stage.set_reduced_motion(True)
    stage.show_frame(frame_of(plain(600, 400)))
    bare = painted(stage, 1.0)
    stage.show_marks((mark(NativePoint(300, 200), stage=MarkStage.DONE),))
    assert painted(stage, 1.0) == bare


def test_a_frame_is_shown_without_a_copy_and_true_to_its_pixels(stage: Preview) -> None:
    image = plain(200, 100)
    image.setPixelColor(10, 20, QColor("#123456"))
    frame = frame_of(image)
    from operator_console.ui.widgets.images import image_of

    shown = image_of(frame)
    assert shown.constBits() == frame.pixels
    assert shown.pixelColor(10, 20) == QColor("#123456")


def test_a_mark_says_its_whole_text_on_hover(stage: Preview) -> None:
    stage.show_frame(frame_of(plain(1280, 800)))
    assert stage.accessibleName() == "Live preview"
    long = "x" * 500
    typed = Mark(
        key="k", number=1, shape=MarkShape.TEXT, stage=MarkStage.NEXT, label="type “xxx…”",
        points=(NativePoint(640, 400),), text=long,
    )  # fmt: skip
    stage.show_marks((typed,))
    fit = stage.fit
    assert fit is not None
    at = fit.to_device(NativePoint(640, 400))
    assert stage._mark_at(QPoint(round(at.x), round(at.y))) is typed
    assert stage._mark_at(QPoint(3, 3)) is None


@pytest.mark.parametrize("risk", [None, *RiskClass])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_control_is_outlined_on_its_edges_in_the_colour_of_the_risk(
    stage: Preview, risk: RiskClass | None, ratio: float
) -> None:
    stage.show_frame(frame_of(plain(640, 400)))
    extent = Rect(200, 120, 180, 90)
    stage.show_marks((replace(mark(NativePoint(290, 165), risk), controls=(extent,)),))
    fit = stage.fit
    assert fit is not None
    left, top = fit.x + extent.x * fit.zoom, fit.y + extent.y * fit.zoom
    image = painted(stage, ratio)
    for x, y in (
        (left, top + 20), (left + extent.width * fit.zoom, top + 20),
        (left + 20, top), (left + 20, top + extent.height * fit.zoom),
    ):  # fmt: skip
        dot_of(image, (x * ratio, y * ratio), QColor(OVERLAY_RISK[risk]), 2)


def test_a_control_that_reaches_beyond_the_picture_is_outlined_only_on_it(stage: Preview) -> None:
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks((replace(mark(NativePoint(320, 200)), controls=(Rect(-900, 150, 3000, 90),)),))
    fit = stage.fit
    assert fit is not None
    image = painted(stage, 1.0)
    for y in range(image.height()):
        for x in (2, fit.x - 3, fit.x + fit.width + 2):
            assert not near(image.pixelColor(x, y), QColor(OVERLAY_RISK[RiskClass.C1]))


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("native", [Size(640, 400), Size(2560, 1600)])
def test_a_numbered_box_is_drawn_around_its_element_and_its_tag_where_the_picture_has_it(
    stage: Preview, native: Size, ratio: float
) -> None:
    across = native.width // 8
    box, tag = Rect(across, across, across, across // 2), Rect(2 * across, across, across // 4, across // 5)
    mark = ElementMark(number=12, box=box, tag=tag, words="button “Save”")
    stage.show_frame(frame_of(plain(native.width, native.height)))
    stage.show_numbers(Numbers(native=native, marks=(mark,)))
    image = painted(stage, ratio)
    fit = Fit.within(native, image.width(), image.height(), margin=round(10 * ratio), largest=LARGEST_FIT)
    inside, on_tag = fit.to_box(box), fit.to_box(tag)
    middle = (round(inside.x + inside.width / 2), round(inside.y + inside.height / 2))
    assert near(image.pixelColor(*middle), GROUND), "the element itself is left as it is"
    edge = [image.pixelColor(middle[0], round(inside.y) - step) for step in range(1, 5)]
    assert any(near(colour, QColor(mark.colour)) for colour in edge)
    corner = image.pixelColor(round(on_tag.x) + 2, round(on_tag.y) + 2)
    assert near(corner, QColor(mark.colour))


def test_numbers_of_a_picture_of_another_size_are_not_drawn(stage: Preview) -> None:
    mark = ElementMark(number=1, box=Rect(10, 10, 50, 50), tag=Rect(0, 0, 10, 10), words="button")
    stage.show_frame(frame_of(plain(640, 400)))
    before = painted(stage, 1.0)
    stage.show_numbers(Numbers(native=Size(641, 400), marks=(mark,)))
    assert painted(stage, 1.0) == before


CHOICES = tuple(
    Mark(
        key=f"choice {number}", number=number, shape=MarkShape.CHOICE, stage=MarkStage.NEXT, label=f"Save {number}",
        region=region, points=(NativePoint(*region.centre),),
    )
    for number, region in enumerate((Rect(200, 100, 180, 40), Rect(200, 142, 180, 40), Rect(20, 300, 8, 6)), 1)
)  # fmt: skip


def click(stage: Preview, point: NativePoint) -> None:
    fit = stage.fit
    assert fit is not None
    at = fit.to_device(point)
    QTest.mouseClick(stage, Qt.MouseButton.LeftButton, pos=QPoint(int(at.x), int(at.y)))


def test_a_click_in_the_numbered_box_of_a_choice_names_it(stage: Preview) -> None:
    pressed: list[object] = []
    stage.choice_pressed.connect(pressed.append)
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks(CHOICES)
    for point in (NativePoint(210, 110), NativePoint(290, 175), NativePoint(29, 308), NativePoint(500, 350)):
        click(stage, point)
    assert pressed == [1, 2, 3], "a small box is hit from beside it, too"
    stage.show_marks(())
    click(stage, NativePoint(210, 110))
    assert pressed == [1, 2, 3]


def test_a_press_in_a_box_that_ends_elsewhere_or_moves_the_picture_chooses_nothing(stage: Preview) -> None:
    pressed: list[object] = []
    stage.choice_pressed.connect(pressed.append)
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks(CHOICES)
    fit = stage.fit
    assert fit is not None
    one, two = (QPoint(int(at.x), int(at.y)) for at in (fit.to_device(mark.points[0]) for mark in CHOICES[:2]))
    QTest.mousePress(stage, Qt.MouseButton.LeftButton, pos=one)
    QTest.mouseRelease(stage, Qt.MouseButton.LeftButton, pos=two)
    stage.zoom_to(4.0)
    fit = stage.fit
    assert fit is not None
    at = QPoint(stage.width() // 2, stage.height() // 2)
    QTest.mousePress(stage, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(stage, at + QPoint(60, 0))
    QTest.mouseRelease(stage, Qt.MouseButton.LeftButton, pos=at + QPoint(60, 0))
    assert pressed == []


def test_a_choice_that_is_pointed_at_is_highlighted_and_brought_into_sight(stage: Preview) -> None:
    pointed: list[object] = []
    stage.choice_pointed.connect(pointed.append)
    stage.show_frame(frame_of(plain(640, 400)))
    stage.show_marks(CHOICES)
    before = painted(stage, 1.0)
    stage.point_at_choice(1)
    assert painted(stage, 1.0) != before
    stage.point_at_choice(None)
    assert painted(stage, 1.0) == before
    stage.zoom_to(8.0)
    stage.point_at_choice(3)
    fit = stage.fit
    assert fit is not None
    at = fit.to_device(CHOICES[2].points[0])
    assert 0 < at.x < stage.width()
    assert 0 < at.y < stage.height()
    stage.point_at_choice(None)
    place, none = QPointF(at.x, at.y), Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(stage, moved)
    assert pointed == [3]


def test_tags_cover_no_other_choice() -> None:
    fit = Fit.within(Size(640, 400), 660, 420, margin=10)
    look = Look(scale=1.0, font=sized(12), view=Box(0, 0, 660, 420), lead=lambda _mark: None, opacity=lambda _mark: 1.0)
    boxes = plan_choices(fit, CHOICES, look)
    assert [each.mark.number for each in boxes] == [1, 2, 3]
    for each in boxes:
        for other in boxes:
            assert each.tag.overlap(other.outline) <= 0
            assert each is other or each.tag.overlap(other.tag) == 0


def sized(pixels: int) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    return font


def test_labels_keep_out_of_the_part_that_is_covered(stage: Preview) -> None:
    stage.show_frame(frame_of(plain(1280, 800)))
    far = replace(mark(NativePoint(600, 400)), label="click button “Submit the whole report”")
    stage.show_marks((far,))
    assert stage.fit is not None
    (label,) = plan_labels(stage.fit, (far,), stage._look(1.0))
    assert label.box.x + label.box.width > 400
    stage.set_covered(300)
    (label,) = plan_labels(stage.fit, (far,), stage._look(1.0))
    assert label.box.x + label.box.width <= 400 - EDGE
    stage.set_covered(580)
    (label,) = plan_labels(stage.fit, (far,), stage._look(1.0))
    assert label.text.endswith("…")
    assert label.box.x + label.box.width <= 120 - EDGE
