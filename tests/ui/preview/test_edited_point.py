"""The point of an edited action is dragged in the preview, or moved by keys: a native pixel a press."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from operator_console.domain.geometry import NativePoint
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.preview.preview import Preview
from tests.display.ui.scene import frame_of

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
START, END = NativePoint(300, 200), NativePoint(420, 260)


class Picked(Preview):
    """A preview with an action that is being edited, and what it told of its points."""

    def __init__(self, *points: NativePoint) -> None:
        super().__init__()
        self.starts: list[NativePoint] = []
        self.ends: list[NativePoint] = []
        self.picked.connect(self.starts.append)
        self.end_picked.connect(self.ends.append)
        self.resize(700, 500)
        image = QImage(640, 400, QImage.Format.Format_RGB32)
        image.fill(0)
        self.show_frame(frame_of(image))
        shape = MarkShape.DRAG if len(points) > 1 else MarkShape.POINT
        self.show_marks((Mark(key="1.0", number=1, shape=shape, stage=MarkStage.NEXT, label="it", points=points),))
        self.set_picking(True)

    def at(self, point: NativePoint) -> QPointF:
        assert self.fit is not None
        place = self.fit.to_device(point)
        return QPointF(place.x, place.y)

    def mouse(self, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton = LEFT) -> None:
        held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else button
        QApplication.sendEvent(self, QMouseEvent(kind, at, QPointF(self.mapToGlobal(at)), button, held, NONE))

    def drag(self, *places: QPointF) -> None:
        self.mouse(QEvent.Type.MouseButtonPress, places[0])
        for place in places[1:]:
            self.mouse(QEvent.Type.MouseMove, place)
        self.mouse(QEvent.Type.MouseButtonRelease, places[-1])

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QApplication.sendEvent(self, QKeyEvent(QEvent.Type.KeyPress, key, modifiers))


@pytest.fixture
def click(app: QApplication) -> Picked:
    return Picked(START)


@pytest.fixture
def drag(app: QApplication) -> Picked:
    return Picked(START, NativePoint(350, 210), END)


def test_the_ring_is_dragged_with_the_pointer(click: Picked) -> None:
    off = QPointF(6, -4)
    click.drag(click.at(START) + off, click.at(NativePoint(310, 205)) + off, click.at(NativePoint(20, 31)) + off)
    assert click.starts == [NativePoint(310, 205), NativePoint(20, 31)]


def test_taking_hold_of_it_moves_nothing(click: Picked) -> None:
    click.drag(click.at(START) + QPointF(7, 7), click.at(START) + QPointF(7, 7))
    assert click.starts == []


def test_a_press_elsewhere_puts_it_there_and_drags_on(click: Picked) -> None:
    click.drag(click.at(NativePoint(50, 60)), click.at(NativePoint(51, 60)))
    assert click.starts == [NativePoint(50, 60), NativePoint(51, 60)]
    click.drag(QPointF(2, 2), QPointF(3, 3))
    assert len(click.starts) == 2, "beside the picture"


def test_it_stays_on_the_picture(click: Picked) -> None:
    click.drag(click.at(START), QPointF(-400, 9000))
    assert click.starts == [NativePoint(0, 399)]


@pytest.mark.parametrize("scale", [1.0, 4.0, 16.0])
def test_zoomed_in_it_is_put_on_the_very_pixel(click: Picked, scale: float) -> None:
    click.zoom_to(scale)
    step = QPointF(scale, 0)
    click.drag(click.at(START), click.at(START) + step, click.at(START) + step + step)
    assert click.starts == [NativePoint(301, 200), NativePoint(302, 200)]


def test_arrow_keys_move_it_by_a_pixel_and_with_shift_by_ten(click: Picked) -> None:
    for key, modifiers in (
        (Qt.Key.Key_Right, NONE), (Qt.Key.Key_Down, NONE), (Qt.Key.Key_Left, SHIFT), (Qt.Key.Key_Up, SHIFT)
    ):  # fmt: skip
        click.key(key, modifiers)
    assert click.starts == [NativePoint(301, 200), NativePoint(301, 201), NativePoint(291, 201), NativePoint(291, 191)]
    for _ in range(50):
        click.key(Qt.Key.Key_Up, SHIFT)
    assert click.starts[-1] == NativePoint(291, 0)


def test_a_point_that_keys_move_stays_in_sight(click: Picked) -> None:
    click.zoom_to(8.0)
    for _ in range(12):
        click.key(Qt.Key.Key_Right, SHIFT)
    place = click.at(click.starts[-1])
    assert 0 < place.x() < click.width()


def test_both_ends_of_a_drag_are_moved(drag: Picked) -> None:
    drag.drag(drag.at(END), drag.at(NativePoint(500, 300)))
    drag.key(Qt.Key.Key_Right)
    assert drag.ends == [NativePoint(500, 300), NativePoint(501, 300)]
    assert drag.starts == []
    drag.key(Qt.Key.Key_Home)
    drag.key(Qt.Key.Key_Down)
    assert drag.starts[-1] == NativePoint(300, 201)
    drag.key(Qt.Key.Key_End)
    drag.key(Qt.Key.Key_Up, SHIFT)
    assert drag.ends[-1] == NativePoint(501, 290)
    drag.drag(drag.at(NativePoint(300, 201)), drag.at(NativePoint(10, 10)))
    assert drag.starts[-1] == NativePoint(10, 10)


def test_without_an_edit_the_pointer_and_the_keys_move_the_picture(click: Picked) -> None:
    click.set_picking(False)
    click.zoom_to(4.0)
    before = click.fit
    click.key(Qt.Key.Key_Left)
    click.drag(QPointF(300, 200), QPointF(320, 210))
    assert click.fit != before
    assert click.starts == []


@pytest.mark.parametrize("earlier", ["step", "not live"])
def test_an_earlier_picture_takes_no_point(click: Picked, earlier: str) -> None:
    if earlier == "step":
        click.show_still(QImage(640, 400, QImage.Format.Format_RGB32))
    else:
        click.set_seen(False)
    click.drag(click.at(START), click.at(NativePoint(5, 5)))
    click.key(Qt.Key.Key_Right)
    assert click.starts == []
