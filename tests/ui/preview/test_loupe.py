"""The loupe shows the very pixels around the next target, and hides neither rings nor labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent
from PySide6.QtWidgets import QApplication

from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.ui.preview.fit import Box, Fit
from operator_console.ui.preview.loupe import ACROSS, DOWN, Loupe, plan_loupe
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.preview.preview import Preview
from operator_console.ui.preview.preview_bar import PreviewBar
from tests.display.ui.scene import frame_of

NATIVE = Size(1920, 1080)
TARGET = NativePoint(700, 301)


def mark(point: NativePoint = TARGET, *, lead_s: float = 0.0) -> Mark:
    return Mark(
        key="1.0", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(point,), lead_s=lead_s
    )


def dotted() -> QImage:
    """One pixel in the middle of the target differs from all others."""
    image = QImage(NATIVE.width, NATIVE.height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffe680"))
    image.setPixelColor(TARGET.x, TARGET.y, QColor("#00ff00"))
    return image


@pytest.fixture
def stage(app: QApplication) -> Preview:
    made = Preview()
    made.resize(700, 500)
    made.show_frame(frame_of(dotted()))
    made.show_marks((mark(),))
    return made


def loupe_of(stage: Preview) -> Loupe | None:
    assert stage.fit is not None
    return stage._loupe(stage.fit)


def painted(stage: Preview) -> QImage:
    image = QImage(stage.width(), stage.height(), QImage.Format.Format_RGB32)
    stage.render(image)
    return image


points = some.builds(NativePoint, some.integers(0, NATIVE.width - 1), some.integers(0, NATIVE.height - 1))
boxes = some.lists(
    some.builds(Box, some.floats(0, 900), some.floats(0, 700), some.floats(1, 200), some.floats(1, 60)), max_size=6
)


@given(points, boxes, some.integers(200, 1600), some.integers(150, 1000), some.sampled_from([1.0, 1.5, 2.0]))
def test_it_covers_nothing_that_must_be_seen_and_stays_in_the_preview(
    point: NativePoint, hard: list[Box], width: int, height: int, scale: float
) -> None:
    fit, view = Fit.within(NATIVE, width, height, margin=10), Box(0, 0, width, height)
    loupe = plan_loupe(fit, point, scale=scale, view=view, hard=hard)
    if loupe is None:
        return
    assert fit.zoom < 0.9, "the picture itself can be read"
    assert loupe.whole.outside(view) == 0
    assert all(loupe.whole.overlap(other) == 0 for other in hard)
    at = fit.to_device(point)
    assert loupe.whole.overlap(Box(at.x - 1, at.y - 1, 2, 2)) == 0
    assert (loupe.box.width, loupe.box.height) == (ACROSS * loupe.times, DOWN * loupe.times)


def test_the_targets_pixel_is_shown_and_framed(stage: Preview) -> None:
    loupe, image = loupe_of(stage), painted(stage)
    assert loupe is not None
    pixel = loupe.pixel
    x, y, times = round(pixel.x), round(pixel.y), loupe.times
    inside = {image.pixelColor(x + dx, y + dy).name() for dx in range(times) for dy in range(times)}
    assert inside == {"#00ff00"}
    assert image.pixelColor(x - 1, y + 1).name() not in ("#00ff00", "#ffe680"), "the frame lies around it"
    assert image.pixelColor(x - 5, y + 1).name() == "#ffe680"


def test_beyond_the_picture_there_is_the_ground(stage: Preview) -> None:
    stage.show_marks((mark(NativePoint(0, 0)),))
    loupe, image = loupe_of(stage), painted(stage)
    assert loupe is not None
    ground = image.pixelColor(2, 2)
    assert image.pixelColor(round(loupe.box.x) + 3, round(loupe.box.y) + 3) == ground


def test_at_actual_size_it_is_needed_only_for_a_target_out_of_sight(stage: Preview) -> None:
    stage.actual_size()
    assert loupe_of(stage) is None
    stage.show_marks((mark(NativePoint(5, 5)),))
    assert loupe_of(stage) is not None


def test_without_a_target_or_switched_off_there_is_none(stage: Preview) -> None:
    before = painted(stage)
    stage.set_loupe(False)
    assert loupe_of(stage) is None
    assert painted(stage) != before
    stage.set_loupe(True)
    assert painted(stage) == before
    stage.show_marks(())
    assert loupe_of(stage) is None


def test_it_gives_way_to_the_pointer(stage: Preview) -> None:
    loupe, none = loupe_of(stage), Qt.MouseButton.NoButton
    assert loupe is not None
    on_it = QPointF(loupe.box.x + 20, loupe.box.y + 20)
    for at, shown in ((on_it, False), (QPointF(3, 3), True)):
        moved = QMouseEvent(QEvent.Type.MouseMove, at, at, none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(stage, moved)
        assert (loupe_of(stage) is not None) is shown


def test_with_reduced_motion_it_does_not_come_and_go_with_what_runs_by_itself(stage: Preview) -> None:
    stage.set_reduced_motion(True)
    stage.show_marks((mark(lead_s=0.5),))
    assert loupe_of(stage) is None
    stage.show_marks((mark(),))
    assert loupe_of(stage) is not None


def test_a_reduced_picture_of_a_record_has_no_pixels_to_show(stage: Preview) -> None:
    stage.show_still(QImage(960, 540, QImage.Format.Format_RGB32), NATIVE)
    assert loupe_of(stage) is None


def test_while_before_and_after_are_compared_there_is_none(stage: Preview) -> None:
    stage.show_still(dotted())
    assert loupe_of(stage) is not None
    stage.show_wipe(dotted(), 0.5)
    assert loupe_of(stage) is None


def test_it_keeps_off_the_controls_if_there_is_room() -> None:
    fit, view = Fit.within(NATIVE, 1600, 900, margin=10), Box(0, 0, 1600, 900)
    control = fit.to_box(Rect(700, 100, 1000, 200))
    free = plan_loupe(fit, TARGET, scale=1.0, view=view, hard=())
    kept = plan_loupe(fit, TARGET, scale=1.0, view=view, hard=(), soft=(control,))
    assert free is not None
    assert kept is not None
    assert free.whole.overlap(control) > 0
    assert kept.whole.overlap(control) == 0


def test_the_menu_switches_it(app: QApplication) -> None:
    bar, heard = PreviewBar(), list[object]()
    bar.menu.loupe_switched.connect(heard.append)
    bar.menu.loupe.trigger()
    bar.menu.loupe.trigger()
    assert heard == [False, True]
