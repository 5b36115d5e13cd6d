"""A check box whose text goes on in further lines."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox

TEXT = "Paste text that the layout lacks from its clipboard"


def test_it_is_as_high_as_its_lines_and_each_can_be_pressed(app: QApplication) -> None:
    box = WrappedCheckBox(TEXT)
    line = box.fontMetrics().lineSpacing()
    whole, least = box.sizeHint(), box.minimumSizeHint()
    heights = [box.heightForWidth(width) for width in (whole.width() + 50, whole.width(), least.width())]
    box.resize(least.width(), heights[2])
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(least.width() // 2, heights[2] - 4))
    pressed, said = box.isChecked(), (box.accessibleName(), box.text())
    box.deleteLater()
    assert heights[:2] == [whole.height()] * 2
    assert heights[2] >= whole.height() + 2 * line
    assert pressed
    assert said == (TEXT, TEXT)


def test_no_word_is_broken(app: QApplication) -> None:
    box = WrappedCheckBox(TEXT)
    lines = box._lines(box.minimumSizeHint().width())
    box.deleteLater()
    assert len(lines) > 2
    assert " ".join(lines) == TEXT
