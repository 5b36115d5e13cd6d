"""A place is drawn on the live picture by a drag, and hidden from the model then."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.ui.preview.drawn_place import DrawnPlace
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.preview import Preview
from tests.display.ui.scene import frame_of
from tests.ui.preview.test_hand import LEFT, NONE, place, plain

FIT = Fit(native=Size(800, 600), x=10, y=20, width=400, height=300)


def test_a_drag_is_a_place_in_native_pixels() -> None:
    drawn = DrawnPlace()
    drawn.want(True)
    drawn.press(FIT, QPointF(110, 120))
    assert drawn.move(FIT, QPointF(60, 70))
    assert drawn.release() == Rect(100, 100, 101, 101)
    assert not drawn.wanted


def test_it_ends_at_the_edge_of_the_picture() -> None:
    drawn = DrawnPlace()
    drawn.want(True)
    drawn.press(FIT, QPointF(310, 220))
    drawn.move(FIT, QPointF(9_999, 9_999))
    assert drawn.release() == Rect(600, 400, 200, 200)


def test_a_click_or_a_drag_beside_the_picture_is_none() -> None:
    drawn = DrawnPlace()
    drawn.want(True)
    drawn.press(FIT, QPointF(110, 120))
    assert drawn.release() is None
    drawn.press(FIT, QPointF(1, 1))
    assert not drawn.move(FIT, QPointF(110, 120))
    assert drawn.release() is None
    assert drawn.wanted


def dragged(stage: Preview, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(stage, LEFT, NONE, start)
    QTest.mouseMove(stage, end)
    QTest.mouseRelease(stage, LEFT, NONE, end)


def test_the_preview_tells_what_was_drawn_once(app: QApplication) -> None:
    stage, told = Preview(), list[object]()
    stage.place_drawn.connect(told.append)
    stage.resize(700, 500)
    stage.show_frame(frame_of(plain()))
    stage.show()
    start, end = place(stage, NativePoint(100, 100)), place(stage, NativePoint(300, 200))
    dragged(stage, start, end)
    assert told == []
    stage.draw_place(True)
    stage.grab()
    dragged(stage, start, end)
    dragged(stage, start, end)
    (drawn,) = told
    assert isinstance(drawn, Rect)
    assert abs(drawn.x - 100) <= 2 and abs(drawn.width - 201) <= 4
    stage.draw_place(True)
    QTest.keyClick(stage, Qt.Key.Key_Escape)
    dragged(stage, start, end)
    assert len(told) == 1
    stage.close()
