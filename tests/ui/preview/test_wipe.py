"""Two pictures of a step beside each other: before on the left, after on the right, and a line that can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.ui.preview.preview import Preview

BEFORE, AFTER = QColor("#204060"), QColor("#a0c0e0")


def picture(colour: QColor) -> QImage:
    image = QImage(640, 480, QImage.Format.Format_RGB32)
    image.fill(colour)
    return image


def compared(share: float) -> tuple[Preview, int]:
    """A stage that shows this share of the picture after, and where its line is."""
    stage = Preview()
    stage.resize(660, 500)
    stage.show_still(picture(BEFORE))
    stage.show_wipe(picture(AFTER), share)
    fit = stage.fit
    assert fit is not None
    return stage, fit.x + round(fit.width * (1 - share))


def test_before_is_on_the_left_and_after_on_the_right(app: QApplication) -> None:
    for share in (0.25, 0.75):
        stage, line = compared(share)
        shown = stage.grab().toImage()
        y = stage.height() - 30
        assert shown.pixelColor(line - 20, y) == BEFORE
        assert shown.pixelColor(line + 20, y) == AFTER


def test_more_of_the_picture_after_is_shown_when_the_line_is_dragged_to_the_left(app: QApplication) -> None:
    stage, line = compared(0.5)
    shares: list[float] = []
    stage.wiped.connect(shares.append)
    at = QPoint(line, 60)
    QTest.mousePress(stage, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(stage, at - QPoint(160, 0))
    QTest.mouseRelease(stage, Qt.MouseButton.LeftButton, pos=at - QPoint(160, 0))
    assert abs(shares[0] - 0.5) < 0.01
    assert abs(shares[-1] - 0.75) < 0.01
