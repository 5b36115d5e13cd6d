"""The preview is zoomed and moved by wheel, touchpad, pointer and keys; every pixel stays sharp, and clicks exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import (
    QImage,
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPointingDevice,
    QRegion,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.frames import Change, Frame
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.pan_and_zoom import LEAST_FREE
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.preview.preview import Preview, Zoomed
from operator_console.ui.preview.preview_bar import PreviewBar
from operator_console.ui.preview.viewpoint import ZoomStep
from tests.display.ui.scene import TARGET, frame_of

ROOM = (500, 360)
SCREEN = (1200, 900)
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Pixels = npt.NDArray[np.uint8]


def noise(size: tuple[int, int], seed: int = 1) -> Pixels:
    made = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    made[..., 3] = 255
    return made


def frame(pixels: Pixels, origin: ScreenPoint | None = None) -> Frame:
    height, width = pixels.shape[:2]
    return frame_of(QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_RGB32), origin=origin)


def painted(stage: Preview, ratio: float = 1.0) -> Pixels:
    image = QImage(round(stage.width() * ratio), round(stage.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    stage.render(image)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).copy()


def placed(stage: Preview) -> Fit:
    assert stage.fit is not None
    return stage.fit


def turn(
    stage: Preview, at: QPointF, angle: QPoint, *, pixels: QPoint | None = None,
    modifiers: Qt.KeyboardModifier = NONE, phase: Qt.ScrollPhase = Qt.ScrollPhase.NoScrollPhase,
) -> None:  # fmt: skip
    event = QWheelEvent(
        at, QPointF(stage.mapToGlobal(at.toPoint())), pixels or QPoint(), angle, Qt.MouseButton.NoButton, modifiers,
        phase, False,
    )  # fmt: skip
    QApplication.sendEvent(stage, event)


def drag(stage: Preview, start: QPointF, end: QPointF, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    steps = (
        (QEvent.Type.MouseButtonPress, start, button, button),
        (QEvent.Type.MouseMove, end, Qt.MouseButton.NoButton, button),
        (QEvent.Type.MouseButtonRelease, end, button, Qt.MouseButton.NoButton),
    )  # fmt: skip
    for kind, at, pressed, held in steps:
        QApplication.sendEvent(stage, QMouseEvent(kind, at, QPointF(stage.mapToGlobal(at)), pressed, held, NONE))


def type_key(stage: Preview, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QApplication.sendEvent(stage, QKeyEvent(QEvent.Type.KeyPress, key, modifiers))


@pytest.fixture
def stage(app: QApplication) -> Preview:
    made = Preview()
    made.resize(*ROOM)
    made.show_frame(frame(noise(SCREEN)))
    return made


@pytest.mark.parametrize(("times", "ratio"), [(1, 1.0), (1, 1.5), (2, 2.0), (3, 1.5), (16, 1.0)])
def test_from_actual_size_on_the_very_pixels_are_shown(app: QApplication, times: int, ratio: float) -> None:
    class Dense(Preview):
        def devicePixelRatioF(self) -> float:  # noqa: N802  Qt's own name
            return ratio

    stage, pixels = Dense(), noise(SCREEN)
    stage.resize(*ROOM)
    stage.show_frame(frame(pixels))
    stage.zoom_to(float(times))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up):
        type_key(stage, key)
    fit, seen = placed(stage), painted(stage, ratio)
    rows, columns = np.arange(seen.shape[0]) - fit.y, np.arange(seen.shape[1]) - fit.x
    inside = ((rows >= 0) & (rows < fit.height))[:, None] & ((columns >= 0) & (columns < fit.width))[None, :]
    assert inside.mean() > 0.5
    wanted = pixels[np.clip(rows // times, 0, SCREEN[1] - 1)][:, np.clip(columns // times, 0, SCREEN[0] - 1)]
    assert (seen[inside] == wanted[inside]).all()


@pytest.mark.parametrize("scale", [0.42, 0.5, 0.595, 0.841, 1.0, 3.0, 16.0])
def test_at_every_zoom_a_part_painted_anew_is_as_if_all_were(stage: Preview, scale: float) -> None:
    pixels = noise(SCREEN)
    last = frame(pixels)
    whole = Preview()
    whole.resize(*ROOM)
    asked: list[QRect] = []
    stage.update = lambda *part: asked.extend(part)  # type: ignore[method-assign]
    picture = QImage(*ROOM, QImage.Format.Format_RGB32)
    stage.show_frame(last)
    stage.zoom_to(scale)
    stage.render(picture)
    for number, box in enumerate(
        (Rect(580, 440, 40, 20), Rect(0, 451, 1200, 1), Rect(3, 3, 9, 9), Rect(0, 0, *SCREEN))
    ):
        if number == 2:  # other parts come into sight
            drag(stage, QPointF(250, 150), QPointF(291, 167))
            stage.render(picture)
        pixels[box.y : box.bottom, box.x : box.right] = noise((box.width, box.height), number + 2)
        asked.clear()
        last = replace(frame(pixels), change=Change(since=last.frame_id, box=box))
        stage.show_frame(last)
        assert len(asked) == 1
        stage.render(picture, asked[0].topLeft(), QRegion(asked[0]))
        whole.show_frame(replace(last, change=None, frame_id=f"other {number}"))
        whole._place._chosen = stage._place._chosen
        wanted = QImage(*ROOM, QImage.Format.Format_RGB32)
        whole.render(wanted)
        assert picture == wanted, box


def test_a_change_out_of_sight_paints_nothing(stage: Preview) -> None:
    pixels = noise(SCREEN)
    first = frame(pixels)
    stage.show_frame(first)
    stage.zoom(ZoomStep.ACTUAL)
    asked: list[QRect] = []
    stage.update = lambda *part: asked.extend(part)  # type: ignore[method-assign]
    stage.show_frame(replace(first, frame_id="next", change=Change(since=first.frame_id, box=Rect(0, 0, 50, 50))))
    assert all(part.isEmpty() for part in asked)


def test_the_wheel_zooms_about_the_pointer(stage: Preview) -> None:
    at = QPointF(300.5, 200.5)
    before = placed(stage)
    turn(stage, at, QPoint(0, 120))
    scales = [placed(stage).zoom]
    while placed(stage).zoom < 8:
        under = placed(stage).to_native(at.x(), at.y())
        turn(stage, at, QPoint(0, 120))
        scales.append(placed(stage).zoom)
        after = placed(stage).to_native(at.x(), at.y())
        assert under is not None
        assert after is not None
        assert abs(under.x - after.x) <= (0 if placed(stage).zoom > 1 else 2)
        assert abs(under.y - after.y) <= (0 if placed(stage).zoom > 1 else 2)
    assert scales == sorted(set(scales))
    for _ in range(30):
        turn(stage, at, QPoint(0, -120))
    assert placed(stage) == before


def test_a_fine_wheel_zooms_by_whole_notches(stage: Preview) -> None:
    before = placed(stage).zoom
    for _ in range(3):
        turn(stage, QPointF(300, 200), QPoint(0, 30))
    assert placed(stage).zoom == before
    turn(stage, QPointF(300, 200), QPoint(0, 30))
    assert placed(stage).zoom > before


def test_two_fingers_move_the_picture_and_with_ctrl_they_zoom(stage: Preview) -> None:
    begun = Qt.ScrollPhase.ScrollUpdate
    fitted = placed(stage)
    turn(stage, QPointF(300, 200), QPoint(0, 40), pixels=QPoint(0, 20), phase=begun)
    assert placed(stage) == fitted
    stage.zoom(ZoomStep.ACTUAL)
    before = placed(stage)
    turn(stage, QPointF(300, 200), QPoint(14, 40), pixels=QPoint(7, 20), phase=begun)
    assert (placed(stage).x - before.x, placed(stage).y - before.y) == (7, 20)
    turn(stage, QPointF(300, 200), QPoint(0, 120), pixels=QPoint(0, 60), phase=begun, modifiers=CTRL)
    assert placed(stage).zoom == 2


def test_shift_and_the_wheel_move_the_picture_sideways(stage: Preview) -> None:
    stage.zoom(ZoomStep.ACTUAL)
    before = placed(stage)
    turn(stage, QPointF(300, 200), QPoint(0, -120), modifiers=SHIFT)
    assert placed(stage).x < before.x
    assert placed(stage).y == before.y


def test_a_pinch_zooms_about_its_place(stage: Preview) -> None:
    device = QPointingDevice(
        "touchpad", 77, QInputDevice.DeviceType.TouchPad, QPointingDevice.PointerType.Finger,
        QInputDevice.Capability.Position, 2, 0,
    )  # fmt: skip
    at = QPointF(200.5, 150.5)

    def gesture(kind: Qt.NativeGestureType, value: float = 0.0) -> None:
        QApplication.sendEvent(stage, QNativeGestureEvent(kind, device, 2, at, at, at, value, QPointF()))

    before = placed(stage)
    gesture(Qt.NativeGestureType.BeginNativeGesture)
    gesture(Qt.NativeGestureType.ZoomNativeGesture, 0.02)
    assert placed(stage) == before
    for _ in range(60):
        gesture(Qt.NativeGestureType.ZoomNativeGesture, 0.05)
    assert 4 < placed(stage).zoom < 10
    for _ in range(200):
        gesture(Qt.NativeGestureType.ZoomNativeGesture, -0.05)
    assert placed(stage) == before
    gesture(Qt.NativeGestureType.EndNativeGesture)
    gesture(Qt.NativeGestureType.SmartZoomNativeGesture)
    assert placed(stage).zoom == 1
    gesture(Qt.NativeGestureType.SmartZoomNativeGesture)
    assert placed(stage) == before


@pytest.mark.parametrize("button", [Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton])
def test_dragging_moves_the_picture_with_the_pointer_as_far_as_its_edge(stage: Preview, button: Qt.MouseButton) -> None:
    stage.zoom(ZoomStep.ACTUAL)
    before = placed(stage)
    assert stage.cursor().shape() is Qt.CursorShape.OpenHandCursor
    drag(stage, QPointF(300, 200), QPointF(340, 170), button)
    assert (placed(stage).x - before.x, placed(stage).y - before.y) == (40, -30)
    drag(stage, QPointF(300, 200), QPointF(9000, 9000), button)
    assert (placed(stage).x, placed(stage).y) == (10, 10)
    drag(stage, QPointF(300, 200), QPointF(260, 200), button)
    assert placed(stage).x == -30, "the edge does not have to be dragged back first"


def test_keys_move_a_picture_that_is_larger_than_the_preview(stage: Preview) -> None:
    fitted = placed(stage)
    type_key(stage, Qt.Key.Key_Right)
    assert placed(stage) == fitted
    stage.zoom(ZoomStep.ACTUAL)
    before = placed(stage)
    for key, (across, down) in {
        Qt.Key.Key_Left: (64, 0), Qt.Key.Key_Right: (-64, 0), Qt.Key.Key_Up: (0, 64), Qt.Key.Key_Down: (0, -64),
        Qt.Key.Key_PageDown: (0, -300), Qt.Key.Key_PageUp: (0, 300),
    }.items():  # fmt: skip
        type_key(stage, key)
        assert np.sign(placed(stage).x - before.x) == np.sign(across)
        assert np.sign(placed(stage).y - before.y) == np.sign(down)
        stage.zoom(ZoomStep.FIT)
        stage.zoom(ZoomStep.ACTUAL)
        assert placed(stage) == before


def test_the_zoom_is_kept_while_frames_come_and_the_picture_of_a_step_is_looked_at(stage: Preview) -> None:
    stage.zoom(ZoomStep.ACTUAL)
    type_key(stage, Qt.Key.Key_Right)
    before = placed(stage)
    stage.show_frame(frame(noise(SCREEN, 2)))
    assert placed(stage) == before
    still = QImage(*SCREEN, QImage.Format.Format_RGB32)
    stage.show_still(still)
    assert placed(stage) == before
    stage.show_still(QImage(800, 600, QImage.Format.Format_RGB32))
    assert placed(stage).zoom < 1
    stage.show_still(None)
    assert placed(stage) == before


def test_a_menu_that_extends_a_window_moves_nothing_and_another_target_is_fitted(stage: Preview) -> None:
    stage.show_frame(frame(noise(SCREEN, 2), ScreenPoint(300, 200)))
    stage.zoom(ZoomStep.ACTUAL)
    before, at = placed(stage), (123, 234)
    under = before.to_native(*at)
    assert under is not None
    stage.show_frame(frame(noise((SCREEN[0] + 40, SCREEN[1] + 25)), ScreenPoint(260, 190)))
    assert placed(stage).to_native(*at) == NativePoint(under.x + 40, under.y + 10)
    other = replace(frame(noise(SCREEN, 3)), target=replace(TARGET, spec="monitor:2"))
    stage.show_frame(other)
    assert placed(stage).zoom < 1


def test_a_window_that_grows_shows_more_of_the_picture_at_the_same_zoom(stage: Preview) -> None:
    stage.zoom(ZoomStep.ACTUAL)
    middle = placed(stage).to_native(250.5, 180.5)
    stage.resize(700, 480)
    assert placed(stage).zoom == 1
    assert placed(stage).to_native(350.5, 240.5) == middle
    stage.zoom(ZoomStep.FIT)
    stage.resize(400, 300)
    assert placed(stage).width <= 400


def test_a_picture_that_is_enlarged_to_fit_can_be_seen_at_its_actual_size(app: QApplication) -> None:
    stage = Preview()
    stage.resize(*ROOM)
    stage.show_frame(frame(noise((200, 150))))
    assert placed(stage).zoom == 2
    stage.zoom(ZoomStep.OUT)
    assert placed(stage).zoom == 1
    stage.zoom(ZoomStep.OUT)
    assert placed(stage).zoom == 1
    stage.zoom(ZoomStep.FIT)
    stage.zoom(ZoomStep.ACTUAL)
    assert placed(stage).zoom == 1
    stage.zoom(ZoomStep.IN)
    assert stage._place.fitted


def test_keys_zoom_about_the_next_target_while_it_is_in_sight_and_actual_size_shows_it(stage: Preview) -> None:
    target = NativePoint(300, 200)
    mark = Mark(key="1", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(target,))
    stage.show_marks((mark,))
    stage.actual_size()
    assert placed(stage).to_native(250.5, 180.5) == target
    stage.zoom_in()
    assert placed(stage).to_native(250.5, 180.5) == target
    for _ in range(9):
        type_key(stage, Qt.Key.Key_Right)
    middle = placed(stage).to_native(250, 180)
    stage.zoom_in()
    assert placed(stage).to_native(250, 180) == middle, "the target is out of sight"


def test_a_double_click_switches_between_all_of_it_and_actual_size(stage: Preview) -> None:
    fitted = placed(stage)
    under = fitted.to_native(200.5, 200.5)
    QTest.mouseDClick(stage, Qt.MouseButton.LeftButton, NONE, QPoint(200, 200))
    assert placed(stage).zoom == 1
    after = placed(stage).to_native(200.5, 200.5)
    assert under is not None
    assert after is not None
    assert max(abs(under.x - after.x), abs(under.y - after.y)) <= 3, "some pixels shared the pointer's place"
    QTest.mouseDClick(stage, Qt.MouseButton.LeftButton, NONE, QPoint(200, 200))
    assert placed(stage) == fitted


def test_a_reader_and_the_bar_hear_of_the_zoom(stage: Preview) -> None:
    heard: list[object] = []
    stage.zoomed.connect(heard.append)
    assert stage.accessibleName() == "Live preview"
    assert "Zoom: 38 %, fitted to the window." in stage.accessibleDescription()
    stage.zoom(ZoomStep.ACTUAL)
    assert stage.accessibleDescription().endswith("Zoom: 100 %.")
    assert heard == [Zoomed(1.0, False)]


def test_the_bar_offers_the_steps_and_some_scales(app: QApplication) -> None:
    bar, chosen = PreviewBar(), list[object]()
    bar.zoom_chosen.connect(chosen.append)
    bar.show_zoom(0.47, fitted=True)
    assert bar.zoom.accessibleName() == "Zoom"
    assert bar.zoom.text() == "Fit · 47 %"
    bar.show_zoom(2.0, fitted=False)
    assert bar.zoom.text() == "200 %"
    for action in (each for each in bar.menu.actions() if not each.isSeparator() and not each.isCheckable()):
        action.trigger()
    assert chosen == [*ZoomStep, 0.5, 2.0, 4.0, 8.0]
    assert not any(action.shortcut().toString() for action in bar.menu.actions()), "the window's own keys stay unique"


def test_the_picture_is_fitted_beside_what_covers_the_preview(stage: Preview) -> None:
    changed: list[object] = []
    stage.zoomed.connect(changed.append)
    whole = placed(stage)
    stage.set_covered(200)
    beside = placed(stage)
    assert beside == Fit.within(beside.native, ROOM[0] - 200, ROOM[1], margin=10)
    assert len(changed) == 1  # the zoom is said anew
    stage.set_covered(ROOM[0] - LEAST_FREE + 1)  # too little is left: the picture stays as large as it can be
    assert placed(stage) == whole
    stage.set_covered(0)
    assert placed(stage) == whole


def test_a_chosen_part_stays_in_the_middle_of_what_is_left(stage: Preview) -> None:
    point = NativePoint(700, 500)
    mark = Mark(key="1", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(point,))
    stage.show_marks((mark,))
    stage.zoom_to(2.0)
    stage.set_covered(200)
    at = placed(stage).to_device(point)
    assert abs(at.x - (ROOM[0] - 200) / 2) <= 2
    assert abs(at.y - ROOM[1] / 2) <= 2
