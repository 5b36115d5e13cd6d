"""Pointer and keys on the picture go to the page while the operator has taken over in the preview, and never else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.hand_input import (
    HandButton,
    HandClipboard,
    HandInput,
    HandKey,
    HandMove,
    HandText,
    HandWheel,
)
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.ui.preview.preview import Preview
from operator_console.ui.preview.viewpoint import ZoomStep
from tests.display.ui.scene import frame_of

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def plain(width: int = 1280, height: int = 800) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    return image


@pytest.fixture
def stage(app: QApplication) -> Iterator[Preview]:
    """A stage with a live picture, handed over."""
    made = Preview()
    made.resize(700, 500)
    made.show_frame(frame_of(plain()))
    made.set_hand(True)
    made.show()
    yield made
    made.close()


def given(stage: Preview) -> list[HandInput]:
    told: list[HandInput] = []
    stage.by_hand.connect(told.append)
    return told


def place(stage: Preview, point: NativePoint) -> QPoint:
    fit = stage.fit
    assert fit is not None
    device = fit.to_device(point)
    return QPoint(round(device.x - 0.5), round(device.y - 0.5))


def use(stage: Preview) -> None:
    """Everything a hand does."""
    middle = stage.rect().center()
    QTest.mouseMove(stage, middle)
    QTest.mouseClick(stage, LEFT, NONE, middle)
    QTest.keyClicks(stage, "ab")
    QApplication.sendEvent(stage, committed("文"))
    wheel(stage, middle, 120)


def committed(text: str) -> QInputMethodEvent:
    event = QInputMethodEvent()
    event.setCommitString(text)
    return event


def wheel(stage: Preview, at: QPoint, angle: int, modifiers: Qt.KeyboardModifier = NONE) -> None:
    where = QPointF(at)
    event = QWheelEvent(
        where, stage.mapToGlobal(where), QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(stage, event)


def test_nothing_is_given_before_it_is_handed_over_and_after_it_is_handed_back(stage: Preview) -> None:
    stage.set_hand(False)
    told = given(stage)
    use(stage)
    assert told == []
    stage.set_hand(True)
    stage.set_hand(False)
    use(stage)
    assert told == []


def test_nothing_is_given_on_an_earlier_picture_or_one_that_is_not_live(stage: Preview) -> None:
    told = given(stage)
    stage.show_still(plain(), Size(1280, 800))
    use(stage)
    stage.show_still(None)
    stage.set_seen(False)
    use(stage)
    stage.set_seen(True)
    stage.set_live(False)
    use(stage)
    assert told == []


@pytest.mark.parametrize("zoom", [None, ZoomStep.ACTUAL, ZoomStep.IN])
@pytest.mark.parametrize("point", [NativePoint(640, 400), NativePoint(601, 377)])
def test_a_click_is_on_the_pixel_under_the_pointer_at_every_zoom(
    stage: Preview, zoom: ZoomStep | None, point: NativePoint
) -> None:
    if zoom is not None:
        stage.zoom(zoom)
    fit = stage.fit
    assert fit is not None
    at = place(stage, point)
    told = given(stage)
    QTest.mouseClick(stage, LEFT, NONE, at)
    ratio = stage.devicePixelRatioF()
    under = fit.to_native(at.x() * ratio, at.y() * ratio)
    buttons = [each for each in told if isinstance(each, HandButton)]
    assert [(each.button, each.down, each.at) for each in buttons] == [
        (Button.LEFT, True, under), (Button.LEFT, False, under),
    ]  # fmt: skip
    assert under is not None
    assert abs(under.x - point.x) <= 2
    assert abs(under.y - point.y) <= 2


def test_a_double_click_counts_two(stage: Preview) -> None:
    told = given(stage)
    QTest.mouseClick(stage, LEFT, NONE, place(stage, NativePoint(640, 400)))
    QTest.mouseDClick(stage, LEFT, NONE, place(stage, NativePoint(640, 400)))
    presses = [each.count for each in told if isinstance(each, HandButton) and each.down]
    assert presses == [1, 2]


def test_a_right_click_and_what_is_held_are_given(stage: Preview) -> None:
    told = given(stage)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(stage, Qt.MouseButton.RightButton, control, place(stage, NativePoint(640, 400)))
    (press, _) = (each for each in told if isinstance(each, HandButton))
    assert (press.button, press.holding) == (Button.RIGHT, frozenset({Key("ctrl")}))


def test_a_drag_that_leaves_the_picture_goes_on_at_its_edge(stage: Preview) -> None:
    told = given(stage)
    QTest.mousePress(stage, LEFT, NONE, place(stage, NativePoint(640, 400)))
    QTest.mouseMove(stage, QPoint(stage.width() - 1, 2))
    QTest.mouseRelease(stage, LEFT, NONE, QPoint(stage.width() - 1, 2))
    moves = [each.at for each in told if isinstance(each, HandMove)]
    release = told[-1]
    assert isinstance(release, HandButton)
    assert (release.down, release.at) == (False, NativePoint(1279, 0))
    assert moves[-1] == NativePoint(1279, 0)


def test_a_press_beside_the_picture_is_not_given(stage: Preview) -> None:
    told = given(stage)
    QTest.mouseClick(stage, LEFT, NONE, QPoint(2, 2))
    assert told == []


def test_the_wheel_scrolls_the_page_and_with_control_zooms_the_preview(stage: Preview) -> None:
    told = given(stage)
    middle = place(stage, NativePoint(640, 400))
    wheel(stage, middle, -120)
    (turned,) = told
    assert isinstance(turned, HandWheel)
    assert (turned.dx, turned.dy) == (0, 100)
    fit = stage.fit
    assert fit is not None
    before = fit.zoom
    wheel(stage, middle, 240, Qt.KeyboardModifier.ControlModifier)
    assert len(told) == 1
    assert stage.fit is not None
    assert stage.fit.zoom > before


def test_keys_are_given_with_what_they_write(stage: Preview) -> None:
    told = given(stage)
    QTest.keyClicks(stage, "A")
    QTest.keyClick(stage, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Left):
        QTest.keyClick(stage, key)
    keys = [each for each in told if isinstance(each, HandKey) and each.key not in MODIFIERS]
    downs = [(each.key, each.text) for each in keys if each.down]
    ups = [each.key for each in keys if not each.down]
    assert [key for key, _ in downs] == ["A", "c", "enter", "esc", "tab", "left"]
    assert ups == [key for key, _ in downs]
    assert downs[0][1] == "A"


def test_what_an_input_method_commits_is_text(stage: Preview) -> None:
    told = given(stage)
    QApplication.sendEvent(stage, committed("文字"))
    assert told == [HandText(text="文字")]


def test_what_was_copied_goes_before_the_keys_that_paste_it(stage: Preview, app: QApplication) -> None:
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    told = given(stage)
    app.clipboard().setText("copied")
    try:
        for key, held in ((Qt.Key.Key_V, control), (Qt.Key.Key_V, control | shift), (Qt.Key.Key_Insert, shift)):
            told.clear()
            QTest.keyClick(stage, key, held)
            pasting = next(n for n, each in enumerate(told) if isinstance(each, HandKey) and each.key not in MODIFIERS)
            assert told[pasting - 1] == HandClipboard(text="copied")
        told.clear()
        QTest.keyClick(stage, Qt.Key.Key_V)
        QTest.keyClick(stage, Qt.Key.Key_C, control)
        assert not [each for each in told if isinstance(each, HandClipboard)]
    finally:
        app.clipboard().clear()


def test_one_key_leaves_and_the_global_hotkeys_are_not_the_pages(stage: Preview) -> None:
    told, left = given(stage), []
    stage.hand_left.connect(lambda: left.append(True))
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(stage, Qt.Key.Key_X, both)
    QTest.keyClick(stage, Qt.Key.Key_F6)
    assert left == [True]
    assert [each for each in told if isinstance(each, HandKey) and each.key not in MODIFIERS] == []


def test_held_keys_are_let_go_when_the_keyboard_goes_elsewhere(stage: Preview) -> None:
    told = given(stage)
    QTest.keyPress(stage, Qt.Key.Key_Shift)
    stage.set_hand(False)
    assert [(each.key, each.down) for each in told if isinstance(each, HandKey)] == [("shift", True), ("shift", False)]
