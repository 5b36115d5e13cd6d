"""A button that acts once it was held for a second, and what takes the second back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from operator_console.ui.widgets.held_button import HeldButton

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PRESS, MOVE, RELEASE = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease


class Held:
    def __init__(self) -> None:
        self.now = 100.0
        self.window = QWidget()
        self.button = HeldButton("Allow", "#00ff00", name="Allow it", monotonic=lambda: self.now)
        QVBoxLayout(self.window).addWidget(self.button)
        self.window.resize(200, 80)
        self.window.show()
        QApplication.processEvents()
        self.acted = self.changed = 0
        self.button.held.connect(lambda: self.count("acted"))
        self.button.progress_changed.connect(lambda: self.count("changed"))

    def count(self, what: str) -> None:
        setattr(self, what, getattr(self, what) + 1)

    def send(self, kind: QEvent.Type, button: Qt.MouseButton = LEFT, *, over: bool = True) -> bool:
        at = QPointF(self.button.rect().center()) if over else QPointF(self.button.width() + 30, 5)
        event = QMouseEvent(kind, at, at, button, button, Qt.KeyboardModifier.NoModifier)
        event.ignore()
        QApplication.sendEvent(self.button, event)
        return event.isAccepted()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        if self.button._timer.isActive():
            self.button._timer.timeout.emit()


@pytest.fixture
def held(app: QApplication) -> Iterator[Held]:
    made = Held()
    yield made
    made.window.close()
    made.window.deleteLater()


def test_held_for_a_second_it_acts_once_and_is_up_again(held: Held) -> None:
    assert held.send(PRESS)
    assert (held.button.holding, held.button.isDown(), held.button.progress, held.changed) == (True, True, 0.0, 1)
    held.pass_time(0.5)
    assert held.button.progress == pytest.approx(0.5)
    assert held.acted == 0
    held.pass_time(0.5)
    assert (held.acted, held.changed) == (1, 2)
    assert (held.button.holding, held.button.isDown(), held.button.progress) == (False, False, 0.0)
    assert not held.button._timer.isActive()
    held.pass_time(5.0)
    assert held.acted == 1


@pytest.mark.parametrize(
    "breaks",
    [
        lambda held: held.send(RELEASE),
        lambda held: held.send(MOVE, over=False),
        lambda held: held.send(PRESS, RIGHT),
        lambda held: held.send(PRESS, over=False),
        lambda held: held.button.setEnabled(False),
        lambda held: held.window.hide(),
        lambda held: held.button.click(),
    ],
    ids=["released", "left", "another button", "pressed beside it", "disabled", "hidden", "by the reader"],
)
def test_a_break_takes_the_second_back(held: Held, breaks: Callable[[Held], object]) -> None:
    held.send(PRESS)
    held.pass_time(0.9)
    breaks(held)
    assert (held.button.holding, held.changed) == (False, 2)
    held.button.setEnabled(True)
    held.pass_time(0.2)
    assert held.acted == 0


def test_a_motion_on_it_or_being_enabled_breaks_nothing(held: Held) -> None:
    held.send(PRESS)
    assert held.send(MOVE)
    held.button.setEnabled(True)
    held.button.setText("Allow!")
    held.pass_time(1.1)
    assert held.acted == 1
    assert held.button.progress == 0.0


def test_every_event_of_the_pointer_ends_here(held: Held) -> None:
    assert [held.send(kind) for kind in (PRESS, MOVE, RELEASE)] == [True, True, True]
    assert held.changed == 2
    assert held.send(PRESS, RIGHT)
    assert held.changed == 2


def test_a_reader_that_presses_starts_the_second_unless_it_is_hidden(held: Held) -> None:
    held.button.click()
    held.pass_time(1.0)
    assert held.acted == 1
    held.window.hide()
    held.button.click()
    assert not held.button.holding


def test_progress_is_never_more_than_the_whole(held: Held) -> None:
    held.send(PRESS)
    held.now += 7.0
    assert held.button.progress == 1.0


def test_the_part_that_has_passed_is_painted_from_the_left(held: Held) -> None:
    def green(x: float, y: int) -> int:
        picture = held.button.grab().toImage()
        colour: QColor = picture.pixelColor(round(x * held.button.width()), y)
        return colour.green() - colour.red()

    line, middle = held.button.height() - 3, held.button.height() // 2
    before = [green(x, y) for x in (0.25, 0.75) for y in (line, middle)]
    held.send(PRESS)
    down = [green(0.75, y) for y in (line, middle)]
    held.now += 0.5
    assert green(0.25, line) > before[0] + 150
    assert before[1] + 20 < green(0.25, 8) < 150
    assert [green(0.75, y) for y in (line, middle)] == down
    assert green(0.4, line) == green(0.1, line)
    assert green(0.01, 0) < 100, "its corners are round"


def test_what_is_painted_leaves_the_border_and_its_round_corners(held: Held) -> None:
    def painted() -> list[list[int]]:
        picture = held.button.grab().toImage()
        pixels = [[picture.pixelColor(x, y) for y in range(picture.height())] for x in range(picture.width())]
        return [[one.green() - one.red() for one in column] for column in pixels]

    held.send(PRESS)
    before = painted()
    held.now += 1.0
    after = painted()
    tint = [[now - then for now, then in zip(a, b, strict=True)] for a, b in zip(after, before, strict=True)]
    right, bottom = len(tint) - 1, len(tint[0]) - 1
    x, y = right // 2, bottom // 2
    full = tint[x][3]
    assert full > 30
    assert [tint[0][y], tint[right][y], tint[x][0], tint[x][bottom]] == [0, 0, 0, 0]
    assert min(tint[1][y], tint[right - 1][y], tint[x][1]) > full * 0.5
    assert tint[x][bottom - 4] == pytest.approx(full, abs=3)
    assert min(tint[x][bottom - 3], tint[x][bottom - 1]) > full + 50
    assert full * 0.35 < tint[2][2] < full * 0.75


def test_its_name_and_step(held: Held) -> None:
    assert held.button.accessibleName() == "Allow it"
    assert HeldButton("Yes", "#ffffff").accessibleName() == "Yes"
    assert (held.button._timer.interval(), held.button._timer.parent()) == (16, held.button)
