"""A pane keeps the size that was chosen with its divider, within the window; a double click gives the usual one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from operator_console.ui.widgets.divider import KEY_STEP, Divider
from operator_console.ui.window_place import Part, WindowPlace

USUAL, LEAST, LEAST_REST = 200, 150, 100


@pytest.fixture
def chosen() -> dict[Part, int]:
    return {}


@pytest.fixture(params=[True, False])
def panes(app: QApplication, chosen: dict[Part, int], request: pytest.FixtureRequest) -> Iterator[Divider]:
    """Three panes of 1000 pixels together; the first has a fixed size of 50, the last the chosen one."""
    divider = Divider(chosen, Part.SIDE, across=request.param)
    divider.setHandleWidth(0)
    fixed, rest, pane = (QFrame() for _ in range(3))
    for part, least in ((fixed, 50), (rest, LEAST_REST), (pane, LEAST)):
        part.setMinimumSize(least, least)
        divider.addWidget(part)
    fixed.setMaximumSize(50, 50)
    divider.keep(pane, lambda: USUAL, rest)
    divider.resize(1000, 1000)
    divider.show()
    yield divider
    divider.close()
    divider.deleteLater()


def pane_of(panes: Divider, place: int) -> QWidget:
    pane = panes.widget(place)
    assert pane is not None
    return pane


def test_a_pane_has_its_usual_size_at_first(panes: Divider) -> None:
    assert panes.sizes() == [50, 750, USUAL]


def test_a_chosen_size_is_kept_as_far_as_there_is_room(panes: Divider, chosen: dict[Part, int]) -> None:
    panes.moveSplitter(1000 - 400, 2)
    assert chosen == {Part.SIDE: 400}
    for size, sizes in (
        (800, [50, 350, 400]),
        (500, [50, LEAST_REST, 350]),
        (300, [50, LEAST_REST, LEAST]),
        (1200, [50, 750, 400]),
    ):
        panes.resize(size, size)
        assert panes.sizes() == sizes
    assert chosen == {Part.SIDE: 400}


def test_a_double_click_on_the_divider_gives_the_usual_size(panes: Divider, chosen: dict[Part, int]) -> None:
    panes.moveSplitter(1000 - 400, 2)
    handle = panes.handle(2)
    QTest.mouseDClick(handle, Qt.MouseButton.LeftButton, pos=QPoint(handle.width() // 2, handle.height() // 2))
    assert chosen == {}
    assert panes.sizes() == [50, 750, USUAL]


def test_arrow_keys_move_the_divider_and_enter_gives_the_usual_size(panes: Divider, chosen: dict[Part, int]) -> None:
    across = panes.orientation() is Qt.Orientation.Horizontal
    back, on = (Qt.Key.Key_Left, Qt.Key.Key_Right) if across else (Qt.Key.Key_Up, Qt.Key.Key_Down)
    grip = panes.grip
    assert grip.focusPolicy() is Qt.FocusPolicy.TabFocus
    assert grip.accessibleName() == "Width of the timeline"
    QTest.keyClick(grip, back)
    assert chosen == {Part.SIDE: USUAL + KEY_STEP}
    assert panes.sizes() == [50, 750 - KEY_STEP, USUAL + KEY_STEP]
    for _ in range(6):
        QTest.keyClick(grip, on)
    assert chosen == {Part.SIDE: LEAST}
    QTest.keyClick(grip, Qt.Key.Key_Return)
    assert chosen == {}
    assert panes.sizes() == [50, 750, USUAL]


def test_a_divider_behind_its_pane_moves_with_the_keys(app: QApplication) -> None:
    chosen: dict[Part, int] = {}
    divider = Divider(chosen, Part.HELP_CONTENTS)
    pane, rest = QFrame(), QFrame()
    for part in (pane, rest):
        part.setMinimumSize(100, 100)
        divider.addWidget(part)
    divider.keep(pane, lambda: USUAL, rest)
    divider.resize(1000, 1000)
    divider.show()
    QTest.keyClick(divider.grip, Qt.Key.Key_Right)
    assert pane.width() == chosen[Part.HELP_CONTENTS] == USUAL + KEY_STEP
    divider.close()
    divider.deleteLater()


def test_a_pane_that_was_hidden_comes_back_with_its_size(panes: Divider, chosen: dict[Part, int]) -> None:
    pane = pane_of(panes, 2)
    pane.hide()
    chosen[Part.SIDE] = 300
    pane.show()
    assert panes.sizes() == [50, 650, 300]


def test_another_pane_that_is_shown_or_hidden_takes_from_the_rest_only(panes: Divider) -> None:
    panes.moveSplitter(1000 - 400, 2)
    pane_of(panes, 0).hide()
    assert panes.sizes() == [0, 600, 400]
    pane_of(panes, 0).show()
    assert panes.sizes() == [50, 550, 400]


def test_only_the_divider_of_the_pane_moves(panes: Divider) -> None:
    assert not panes.handle(1).isEnabled()
    assert panes.handle(2).isEnabled()
    assert panes.handle(2).toolTip()


def test_sizes_of_unknown_parts_and_no_sizes_are_left_out() -> None:
    place = WindowPlace("", {Part.SIDE.value: 410, Part.INSPECTOR.value: 0, "later": 5})
    assert place.chosen() == {Part.SIDE: 410}
