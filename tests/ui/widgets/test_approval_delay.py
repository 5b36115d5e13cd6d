"""The second for which a question must have been shown: what passes it, what begins it anew, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from operator_console.domain.geometry import Rect
from operator_console.ui.widgets.approval_delay import ApprovalDelay, Attended, Obstacle

AWAY = QPoint(2_000, 2_000)
PRESS = QEvent.Type.MouseButtonPress
PERSON, PROGRAM = 70, 71


class Window(QWidget):
    """One whose activity the test decides, as a window manager does; it notes what reaches it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.active = True
        self.reached: list[QEvent.Type] = []

    def isActiveWindow(self) -> bool:  # noqa: N802
        parent = self.parentWidget()
        return parent.isActiveWindow() if parent is not None else self.active

    def event(self, event: QEvent) -> bool:
        self.reached.append(event.type())
        return super().event(event)


class Devices:
    """Knows one time at which a person pressed."""

    def __init__(self) -> None:
        self.keys_noted = False

    def watch(self, _watcher: int, *, pointer: bool, keys: bool) -> None:
        self.keys_noted = pointer and keys

    def from_device(self, time_ms: int) -> bool:
        return time_ms == PERSON


class Shown:
    """A panel in a window with a button for the yes, and a clock in the test's hands."""

    def __init__(self, attended: Attended = Attended.ACTIVE, *, button: bool = True) -> None:
        self.now, self.covered, self.unfit = 100.0, False, ""
        self.asked: list[tuple[int, Rect | None]] = []
        self.window = Window()
        self.window.setGeometry(0, 0, 300, 200)
        self.panel = Window(self.window)
        self.panel.setGeometry(20, 30, 200, 100)
        self.button = QPushButton("Allow", self.panel)
        self.devices = Devices()
        self.delay = ApprovalDelay(
            self.panel, lambda: self.unfit, press=self.button if button else None, attended=attended,
            covering=self._covers, monotonic=lambda: self.now,
        )  # fmt: skip
        self.delay.gate.devices = lambda: self.devices
        self.window.show()
        QCursor.setPos(AWAY)
        QApplication.processEvents()

    def _covers(self, window: int, part: Rect | None) -> bool:
        self.asked.append((window, part))
        return self.covered

    def look_after(self, seconds: float) -> bool:
        """Whether a yes counts at the look that the timer takes then."""
        self.now += seconds
        self.delay._timer.timeout.emit()
        return self.delay.open

    def press(self, kind: QEvent.Type = PRESS, *, of: int = PERSON, button: QPushButton | None = None) -> bool:
        """Whether a press goes on to the button."""
        button = button or self.button
        button.setDown(False)
        left, at = Qt.MouseButton.LeftButton, button.rect().center().toPointF()
        event = QMouseEvent(kind, at, at, left, left, Qt.KeyboardModifier.NoModifier)
        event.setTimestamp(of)
        QApplication.sendEvent(button, event)
        return button.isDown()

    def close(self) -> None:
        self.delay.end()
        self.window.close()
        self.window.deleteLater()


@pytest.fixture
def shown(app: QApplication, request: pytest.FixtureRequest) -> Iterator[Shown]:
    made = Shown(getattr(request, "param", Attended.ACTIVE))
    yield made
    made.close()


def test_before_anything_is_asked_nothing_is_told_and_nothing_counts(shown: Shown) -> None:
    delay = shown.delay
    assert (delay.open, delay.refused, delay.obstacle, delay.unfit_words, delay.left_s) == (False, False, None, "", 1.0)
    assert not delay.check()
    assert (delay.parent(), delay.gate.parent(), delay._timer.parent()) == (shown.panel, delay, delay)
    assert delay._timer.interval() == 50


def test_it_opens_a_second_after_it_was_first_seen_as_it_must_be(shown: Shown) -> None:
    shown.delay.begin()
    assert not shown.look_after(0.75)
    assert shown.delay.left_s == 0.25
    assert shown.look_after(0.25)
    assert (shown.delay.open, shown.delay.left_s, shown.delay.check()) == (True, 0.0, True)
    assert shown.look_after(5.0)
    shown.delay.begin()
    assert not shown.delay.open
    shown.delay.end()
    assert (shown.delay.open, shown.delay._timer.isActive(), shown.delay.left_s) == (False, False, 1.0)


def test_each_look_is_told(shown: Shown) -> None:
    told: list[float] = []
    shown.delay.changed.connect(lambda: told.append(shown.now))
    shown.delay.begin()
    shown.look_after(0.5)
    shown.delay.end()
    assert told == [100.0, 100.5, 100.5]


@pytest.mark.parametrize(
    ("obstacle", "how"),
    [
        (Obstacle.HIDDEN, lambda shown: shown.panel.hide()),
        (Obstacle.HIDDEN, lambda shown: shown.window.showMinimized()),
        (Obstacle.NOT_ATTENDED, lambda shown: setattr(shown.window, "active", False)),
        (Obstacle.UNFIT, lambda shown: setattr(shown, "unfit", "The picture is older.")),
        (Obstacle.COVERED, lambda shown: setattr(shown, "covered", True)),
    ],
    ids=["hidden", "minimized", "not attended", "unfit", "covered"],
)
def test_what_is_in_the_way_is_told_and_takes_the_yes_back(shown: Shown, obstacle: Obstacle, how: Any) -> None:
    shown.delay.begin()
    assert shown.look_after(1.0)
    how(shown)
    assert not shown.delay.check()
    assert shown.delay.obstacle is obstacle
    assert shown.delay.unfit_words == ("The picture is older." if obstacle is Obstacle.UNFIT else "")
    assert not shown.look_after(2.0)
    assert shown.delay.left_s == 1.0


def test_once_nothing_is_in_the_way_any_more_the_second_begins(shown: Shown) -> None:
    shown.unfit = "The picture is older."
    shown.delay.begin()
    shown.look_after(1.0)
    shown.unfit = ""
    assert not shown.look_after(1.0)
    assert (shown.delay.obstacle, shown.delay.unfit_words) == (None, "")
    assert shown.look_after(1.0)


@pytest.mark.parametrize(
    "how",
    [
        lambda shown: shown.window.move(40, 0),
        lambda shown: shown.window.resize(320, 200),
        lambda shown: shown.button.move(0, 30),
    ],
    ids=["the window moved", "the window resized", "the button moved"],
)
def test_what_moves_is_seen_where_it_is_now_and_a_second_later_it_counts(shown: Shown, how: Any) -> None:
    shown.delay.begin()
    assert shown.look_after(1.0)
    how(shown)
    assert not shown.delay.check()
    shown.delay.begin()
    shown.look_after(0.5)
    how(shown)
    shown.window.move(60, 60)
    shown.button.move(0, 60)
    assert not shown.look_after(0.5)
    assert shown.delay.left_s == 1.0
    assert shown.look_after(1.0)


@pytest.mark.parametrize("attended", [Attended.SHOWN, Attended.ACTIVE_OR_POINTED_AT])
def test_a_window_that_gets_or_loses_the_focus_begins_it_anew_also_where_it_need_not_have_it(
    app: QApplication, attended: Attended
) -> None:
    shown = Shown(attended)
    shown.delay.begin()
    assert shown.look_after(1.0)
    shown.window.active = False
    assert not shown.look_after(1.0)
    assert shown.delay.obstacle is None
    assert shown.look_after(1.0)
    shown.close()


@pytest.mark.parametrize("kind", [QEvent.Type.ActivationChange, QEvent.Type.Hide, QEvent.Type.Show])
def test_an_event_of_its_window_begins_it_anew_and_goes_on_to_the_window(app: QApplication, kind: QEvent.Type) -> None:
    shown = Shown(button=False)
    shown.delay.begin()
    assert shown.look_after(1.0)
    QApplication.sendEvent(shown.window, QEvent(QEvent.Type.WindowTitleChange))
    assert shown.look_after(0.0)
    shown.window.reached.clear()
    QApplication.sendEvent(shown.window, QEvent(kind))
    assert kind in shown.window.reached
    assert not shown.look_after(0.0)
    shown.delay.end()
    QApplication.sendEvent(shown.window, QEvent(kind))
    assert not shown.delay._timer.isActive(), "nothing is shown"
    shown.close()


def test_only_the_window_that_it_is_in_now_disturbs_it(shown: Shown) -> None:
    shown.delay.begin()
    other = Window()
    shown.panel.setParent(other)
    other.show()
    shown.panel.show()
    shown.delay.begin()
    assert shown.look_after(1.0)
    QApplication.sendEvent(shown.window, QEvent(QEvent.Type.ActivationChange))
    assert shown.look_after(0.0)
    QApplication.sendEvent(other, QEvent(QEvent.Type.ActivationChange))
    assert not shown.look_after(0.0)
    shown.panel.setParent(shown.window)
    other.close()
    other.deleteLater()


def test_it_is_covered_where_it_stands_in_the_pixels_of_the_display(shown: Shown) -> None:
    shown.window.move(400, 300)
    corner = shown.window.mapToGlobal(QPoint(0, 0))
    shown.delay.begin()
    assert shown.asked[-1] == (int(shown.window.winId()), Rect(corner.x() + 20, corner.y() + 30, 200, 100))
    screen = SimpleNamespace(
        geometry=lambda: QRect(corner - QPoint(100, 50), QPoint(0, 0)), devicePixelRatio=lambda: 2.0
    )
    shown.panel.screen = lambda: screen  # type: ignore[method-assign, assignment, return-value]
    shown.delay.begin()
    left, top = corner.x() - 100, corner.y() - 50
    assert shown.asked[-1][1] == Rect(left + 2 * 120, top + 2 * 80, 400, 200)


def test_of_a_whole_window_no_part_is_named(app: QApplication) -> None:
    asked: list[tuple[int, Rect | None]] = []

    def covers(window: int, part: Rect | None) -> bool:
        asked.append((window, part))
        return False

    window = Window()
    delay = ApprovalDelay(window, covering=covers, attended=Attended.SHOWN)
    window.show()
    delay.begin()
    assert asked == [(int(window.winId()), None)]
    delay.end()
    window.close()
    window.deleteLater()


def test_keys_of_devices_are_noted_while_it_asks_and_presses_of_programs_told_until_it_ends(shown: Shown) -> None:
    shown.button.clearFocus()
    before = shown.devices.keys_noted
    shown.delay.begin()
    assert (before, shown.devices.keys_noted) == (False, True)
    told: list[bool] = []
    shown.delay.changed.connect(lambda: told.append(shown.delay.refused))
    assert not shown.press(of=PROGRAM)
    assert told == [True]
    assert shown.press()
    shown.button.clearFocus()
    shown.delay.end()
    assert (shown.delay.refused, shown.devices.keys_noted) == (False, False)


def test_a_shortcut_is_heard_in_its_window_until_it_ends(shown: Shown) -> None:
    def key(time_ms: int) -> None:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        event.setTimestamp(time_ms)
        QApplication.sendEvent(shown.window, event)

    shown.delay.begin()
    key(PERSON)
    assert shown.delay.gate.shortcut_counts()
    shown.delay.end()
    key(PROGRAM)
    assert shown.delay.gate.shortcut_counts()


@pytest.mark.parametrize("shown", [Attended.ACTIVE_OR_POINTED_AT], indirect=True)
def test_a_press_arrives_once_its_window_was_attended_to_for_a_second(shown: Shown) -> None:
    assert shown.press(), "it asks for no yes"
    shown.window.active = False
    shown.delay.begin()
    assert shown.look_after(1.0), "it is shown"
    for kind in (PRESS, QEvent.Type.MouseButtonDblClick):
        assert not shown.press(kind), "it is not attended to"
    QCursor.setPos(shown.panel.mapToGlobal(QPoint(100, 50)))
    shown.look_after(0.5)
    assert not shown.press()
    QCursor.setPos(AWAY)
    shown.look_after(0.25)
    shown.window.active = True
    shown.look_after(0.25)
    shown.look_after(0.75)
    assert not shown.press(), "its second began anew"
    shown.look_after(0.25)
    assert shown.press()


@pytest.mark.parametrize("shown", [Attended.ACTIVE_OR_POINTED_AT], indirect=True)
def test_the_focus_that_comes_where_the_pointer_rested_for_a_second_keeps_the_click_that_brought_it(
    shown: Shown,
) -> None:
    shown.window.active = False
    QCursor.setPos(shown.panel.mapToGlobal(QPoint(100, 50)))
    shown.delay.begin()
    assert shown.look_after(1.0)
    shown.window.active = True
    QApplication.sendEvent(shown.window, QEvent(QEvent.Type.ActivationChange))
    assert shown.look_after(0.25), "the button stays enabled"
    assert not shown.delay.check(), "keys wait: they may have been meant for another window"
    assert shown.press()
    assert shown.delay.check()
    shown.look_after(0.5)
    assert not shown.delay.check()
    assert shown.look_after(0.25)
    assert shown.delay.open_to_keys


def test_where_it_must_be_active_or_is_above_all_a_press_arrives_at_once(app: QApplication) -> None:
    for attended in (Attended.ACTIVE, Attended.SHOWN):
        shown = Shown(attended)
        shown.delay.begin()
        assert shown.press()
        shown.close()


@pytest.mark.parametrize("shown", [Attended.ACTIVE_OR_POINTED_AT], indirect=True)
def test_what_else_is_pressed_takes_the_place_of_what_was_named_before(shown: Shown) -> None:
    first, second = (QPushButton("Allow all", shown.panel) for _ in range(2))
    shown.delay.begin()
    for named in (first, second):
        shown.delay.guard([named])
        assert [shown.press(button=each) for each in (shown.button, named)] == [False, False]
    assert shown.press(button=first)
