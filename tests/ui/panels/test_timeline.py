"""The timeline by keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.view.fold_records import fold_all
from tests.display.ui.scene import Story


def test_the_first_arrow_chooses_the_first_row_and_the_next_one_goes_on(app: QApplication) -> None:
    story = Story()
    story.history()
    timeline = Timeline()
    timeline.show_view(fold_all(story.records))
    timeline.show()
    timeline.setFocus(Qt.FocusReason.TabFocusReason)
    chosen: list[object] = []
    timeline.chosen.connect(chosen.append)
    for expected in (0, 1, 2):
        QTest.keyClick(timeline, Qt.Key.Key_Down)
        assert [index.row() for index in timeline.selectedIndexes()] == [expected]
    assert chosen == list(reversed(timeline.rows.items))[:3]
    QTest.keyClick(timeline, Qt.Key.Key_Up)
    assert timeline.currentIndex().row() == 1
    timeline.clear_choice()
    QTest.keyClick(timeline, Qt.Key.Key_Up)
    assert [index.row() for index in timeline.selectedIndexes()] == [0]
    timeline.close()
    timeline.deleteLater()
