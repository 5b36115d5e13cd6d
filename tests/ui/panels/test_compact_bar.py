"""Where the bar of the folded console stands, and how much of the action it shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.ui.panels.compact_bar import CLEAR, EDGE, CompactBar
from operator_console.ui.theme_choice import DEFAULT_LOOK
from operator_console.ui.theme_colours import Theme
from tests.display.ui.scene import HIGH, NOTES, Story, call_of, review
from tests.ui.view.folding import fold_all

SCREEN = QRect(0, 0, 1280, 720)


@pytest.fixture
def bar(app: QApplication) -> Iterator[CompactBar]:
    """A bar that asks about an action."""
    made = CompactBar()
    story = Story()
    story.started()
    story.observed(1)
    action = a.TypeText(text="Rechtsschutzversicherungsgesellschaften " * 4, at=NOTES)
    story.proposed(1, call_of(0, action, HIGH))
    story.add(ev.Asked(question=review(1, 0, action, HIGH), step=1, call=0))
    made.show_view(fold_all(story.records))
    made.place(SCREEN, [])
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_it_shows_two_lines_of_the_action_its_risk_and_every_button(bar: CompactBar) -> None:
    assert bar._next.text().startswith("Type “Rechtsschutz")
    assert bar._next.text().count("\n") == 1
    assert bar._next.toolTip() == bar._next.whole
    assert bar._risk.text() == "High · sends data"
    buttons = (bar.open_console, bar.stop, bar.approve, bar.skip)
    for push in buttons:
        assert push.isVisible()
        assert bar.rect().contains(QRect(push.mapTo(bar, QPoint(0, 0)), push.size()))


def test_approve_says_why_it_is_off(bar: CompactBar) -> None:
    assert bar.approve.toolTip() == bar.approve.accessibleDescription() == "Approve opens after a second on the screen."
    bar.set_out_of_reach("Another window covers this place. Approve waits until the target is in front.")
    bar._delay.begin()
    bar.show_view(bar._view)
    assert bar.approve.toolTip() == "Another window covers this place. Approve waits until the target is in front."
    assert bar._next.whole == "Another window covers this place. Approve waits until the target is in front.", (
        "a tooltip alone is not seen"
    )
    bar.set_out_of_reach("")
    bar.show_view(bar._view)
    assert bar._next.whole.startswith("Type")


REASONS = (
    "Another window covers this place. Approve waits until the target is in front.",
    "The picture is not live. Approve waits until the target can be seen.",
    "The target is closed. Nothing more can be approved in this session.",
)


@pytest.mark.parametrize("text_size", [1.0, 1.5])
def test_why_approve_is_off_is_read_whole(bar: CompactBar, app: QApplication, text_size: float) -> None:
    Theme(app, DEFAULT_LOOK._replace(text_size=text_size)).style_widgets()
    try:
        for why in REASONS:
            bar.set_out_of_reach(why)
            bar.show_view(bar._view)
            bar.place(SCREEN, [])
            app.processEvents()
            assert bar._next.text().replace("\n", " ").replace("  ", " ") == why
    finally:
        Theme(app, DEFAULT_LOOK).style_widgets()


def test_it_stands_in_a_corner_away_from_the_next_point(bar: CompactBar) -> None:
    lower_right = QPoint(SCREEN.right() + 1 - bar.width() - EDGE, SCREEN.bottom() + 1 - bar.height() - EDGE)
    assert bar.pos() == lower_right
    for point in (QPoint(1200, 700), QPoint(1200, 20), QPoint(900, 700 - bar.height() - CLEAR // 2)):
        bar.place(SCREEN, [point])
        assert not bar.geometry().contains(point)
        assert SCREEN.contains(bar.geometry())


def test_it_is_dragged_and_stays_there_for_the_run(bar: CompactBar) -> None:
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    QTest.mouseMove(bar, QPoint(-297, -197))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    placed = bar.pos()
    bar.place(SCREEN, [])
    assert bar.pos() == placed
    bar.place(SCREEN, [bar.geometry().center()])
    assert not bar.geometry().contains(QRect(placed, bar.size()).center()), "the next point comes first"
    bar.place(SCREEN, [])
    assert bar.pos() == placed
    other = Story()
    other.started()
    bar.show_view(fold_all(other.records))
    bar.place(SCREEN, [])
    assert bar.pos() != placed, "another run"
