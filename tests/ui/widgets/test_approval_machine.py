"""Any order of showing, covering, moving, leaving, pressing and waiting: when a yes of the operator counts.

The delay, the gate of devices and the button that is held are the real ones, offscreen; clock, window manager, covering
windows and devices are played. A yes counts once what it is about was shown for a second undisturbed, by a press of a
person, or by a button that was held down for a second without a break.
"""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

from operator_console.ui.widgets.approval_delay import ApprovalDelay, Attended, Obstacle
from operator_console.ui.widgets.held_button import HeldButton
from tests.machines import LONG_S, Machine, run

SHOWN_S = HELD_S = 1.0
LOOK_S = 0.05
AWAY = QPoint(2_000, 2_000)
BAD = 13
"""A time stamp that no device has sent."""


class Window(QWidget):
    """One whose activity the test decides, as a window manager does."""

    active = True

    def isActiveWindow(self) -> bool:  # noqa: N802
        return self.active


class Devices:
    """Tells a program's presses by their time."""

    def __init__(self) -> None:
        self.watchers: set[int] = set()

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        (self.watchers.add if pointer or keys else self.watchers.discard)(watcher)

    def from_device(self, time_ms: int) -> bool:
        return time_ms != BAD


def press(
    kind: QEvent.Type, time_ms: int = 1, at: QPointF | None = None, button: Qt.MouseButton = Qt.MouseButton.LeftButton
) -> QMouseEvent:
    """A press, motion or release."""
    place = at or QPointF(5, 5)
    event = QMouseEvent(kind, place, place, button, button, Qt.KeyboardModifier.NoModifier)
    event.setTimestamp(time_ms)
    return event


class Approvals(Machine):
    """Each look follows the last one after 50 ms, as the timer has it; between them nobody looks.

    Attributes:
        since: when what is shown began to be as it must be, as the looks saw it; None: it is not.
        keys_count: when keys count, too, after a click gave its window the focus.
        clicked: when a press last reached the button.
    """

    attended: ClassVar[Attended]

    def __init__(self) -> None:
        super().__init__()
        self.now, self.covered, self.unfit = 1_000.0, False, ""
        self.window = Window()
        column = QVBoxLayout(self.window)
        self.button = QPushButton("Allow")
        column.addWidget(self.button)
        self.window.resize(200, 100)
        self.devices: Devices | None = None
        self.delay = ApprovalDelay(
            self.window, lambda: self.unfit, press=self.button, attended=self.attended,
            covering=lambda _window, _part: self.covered, monotonic=lambda: self.now,
        )  # fmt: skip
        self.delay.gate.devices = lambda: self.devices
        self.clicks: list[float] = []
        self.button.clicked.connect(lambda: self.clicks.append(self.now))
        self.began = False
        self.since: float | None = None
        self.attended_since: float | None = None
        self.open = False
        self.place: tuple[object, ...] | None = None
        self.keys_count = self.clicked = 0.0
        self.window.show()
        QCursor.setPos(AWAY)
        QApplication.processEvents()

    # The model: what a look finds

    def _seen(self) -> tuple[object, ...]:
        corner, place = self.window.mapToGlobal(QPoint(0, 0)), self.button.mapToGlobal(QPoint(0, 0))
        return corner, self.window.size(), place, self.button.size(), self.window.active

    def _obstacle(self) -> Obstacle | None:
        if not self.window.isVisible():
            return Obstacle.HIDDEN
        if self.attended is Attended.ACTIVE and not self.window.active:
            return Obstacle.NOT_ATTENDED
        if self.unfit:
            return Obstacle.UNFIT
        return Obstacle.COVERED if self.covered else None

    def _is_attended(self) -> bool:
        if self.attended is Attended.SHOWN or self.window.active:
            return True
        return self._is_pointed_at()

    def _is_pointed_at(self) -> bool:
        # Not geometry(): what a hidden window is told of its place is true once it is shown.
        pointed_at = self.window.rect().contains(self.window.mapFromGlobal(QCursor.pos()))
        return self.attended is not Attended.ACTIVE and pointed_at

    def _was_attended(self) -> bool:
        if self.attended is not Attended.ACTIVE_OR_POINTED_AT:
            return True
        return self.attended_since is not None and self.now - self.attended_since >= SHOWN_S

    def _looked(self, *, anew: bool = False) -> None:
        """What the look finds: fine for a second, fine since now, or not fine."""
        if self._is_attended():
            self.attended_since = self.now if self.attended_since is None else self.attended_since
        else:
            self.attended_since = None
        obstacle, seen = self._obstacle(), self._seen()
        moved = self.place is not None and seen != self.place and not anew
        if anew:
            self.since, self.open = None, False
        if obstacle is not None:
            self.since, self.open, self.place = None, False, None
            return
        self.place = seen
        if moved or self.since is None:
            self.since, self.open = self.now, False
        elif self.now - self.since >= SHOWN_S:
            self.open = True

    def look(self) -> None:
        if self.began:
            self.delay._timer.timeout.emit()
            self._looked()

    # What happens

    @initialize()
    def shows(self) -> None:
        self.begin()

    @rule()
    def begin(self) -> None:
        """Another question."""
        self.began = True
        self.delay.begin()
        self._looked(anew=True)

    @rule()
    def end(self) -> None:
        self.began, self.since, self.open, self.place = False, None, False, None
        self.delay.end()
        assert not self.delay.refused

    @rule(seconds=st.sampled_from([0.05, 0.4, 0.95, 1.0, 1.05, 1.2]))
    def time_passes(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOK_S)):
            self.now += LOOK_S
            self.look()

    @rule(seconds=st.sampled_from([0.3, 1.5]))
    def nobody_looks(self, seconds: float) -> None:
        self.now += seconds

    @rule(covered=st.booleans())
    def covers(self, *, covered: bool) -> None:
        self.covered = covered

    @rule(unfit=st.sampled_from(["", "the picture is older"]))
    def fits(self, unfit: str) -> None:
        self.unfit = unfit

    @rule(active=st.booleans(), told=st.booleans())
    def activates(self, *, active: bool, told: bool) -> None:
        """`told`: Qt sends the event of it."""
        was_active = self.place is not None and self.place[-1]
        self.window.active = active
        if not told:
            return
        QApplication.sendEvent(self.window, QEvent(QEvent.Type.ActivationChange))
        if self.open and active and not was_active and self._is_pointed_at() and self._was_attended():
            self.place, self.keys_count = self._seen(), self.now + SHOWN_S
        elif self.began:
            self._looked(anew=True)

    @rule(visible=st.booleans())
    def hides_or_shows(self, *, visible: bool) -> None:
        if visible == self.window.isVisible():
            return
        self.window.setVisible(visible)
        QApplication.processEvents()
        # Qt tells it more than once, while it is laid out: the last look counts.
        if self.began:
            self.delay.begin()
            self._looked(anew=True)

    @rule(by=st.sampled_from([0, 30, 60]))
    def moves(self, by: int) -> None:
        self.window.move(by, 0)

    @rule(over=st.booleans())
    def points(self, *, over: bool) -> None:
        QCursor.setPos(self.window.mapToGlobal(QPoint(5, 5)) if over else AWAY)

    @rule(told=st.booleans())
    def devices_are_told_apart(self, *, told: bool) -> None:
        self.devices = Devices() if told else None

    @rule(by_program=st.booleans())
    def presses(self, *, by_program: bool) -> None:
        """A press arrives where a person sent it and, while it asks, had the window before them for a second."""
        before, refused = len(self.clicks), self.delay.refused
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            QApplication.sendEvent(self.button, press(kind, BAD if by_program else 1))
        of_program = by_program and self.devices is not None
        too_soon = self.began and self.attended is Attended.ACTIVE_OR_POINTED_AT and not self._was_attended()
        self.clicked = self.clicked if of_program else self.now
        assert len(self.clicks) - before == int(not of_program and not too_soon)
        assert self.delay.refused == (refused or of_program)

    @rule()
    def approves(self) -> None:
        """What the surfaces ask right before they post a yes."""
        before, was_open = self.place, self.open
        counted = self.delay.check()
        if was_open and (self._obstacle() is not None or self._seen() != before):
            assert not counted
            self._looked(anew=True)
        else:
            assert counted == (was_open and (self.now >= self.keys_count or self.now - self.clicked < LOOK_S))

    # What must hold

    @invariant()
    def it_is_open_exactly_after_a_second_undisturbed(self) -> None:
        assert self.delay.open == self.open
        if self.delay.open:
            assert self.delay.left_s == 0.0
            assert self.since is not None
            assert self.now - self.since >= SHOWN_S
        else:
            left_s = SHOWN_S if self.since is None else max(0.0, SHOWN_S - (self.now - self.since))
            assert self.delay.left_s == pytest.approx(left_s)

    def teardown(self) -> None:
        self.delay.end()
        self.window.close()
        self.window.deleteLater()


class OfTheDialog(Approvals):
    attended = Attended.ACTIVE


class OfTheCard(Approvals):
    attended = Attended.ACTIVE_OR_POINTED_AT


class OfTheBar(Approvals):
    attended = Attended.SHOWN


class Holding(Machine):
    """The button that is held: it acts exactly when a second of one hold has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0
        self.since: float | None = None
        self.window = QWidget()
        self.button = HeldButton("Allow", "#ff0000", monotonic=lambda: self.now)
        QVBoxLayout(self.window).addWidget(self.button)
        self.window.resize(200, 100)
        self.window.show()
        QApplication.processEvents()
        self.acted: list[float] = []
        self.button.held.connect(lambda: self.acted.append(self.now))
        self.expected: list[float] = []

    def point(self, *, over: bool) -> QPointF:
        return QPointF(self.button.rect().center()) if over else QPointF(self.button.width() + 20, 5)

    @precondition(lambda self: self.window.isVisible())
    @rule(over=st.sampled_from([True, True, False]), left=st.sampled_from([True, True, False]))
    def press(self, *, over: bool, left: bool) -> None:
        button = Qt.MouseButton.LeftButton if left else Qt.MouseButton.RightButton
        QApplication.sendEvent(
            self.button, press(QEvent.Type.MouseButtonPress, at=self.point(over=over), button=button)
        )
        if self.button.isEnabled():
            self.since = self.now if over and left else None

    @rule(over=st.booleans())
    def move(self, *, over: bool) -> None:
        QApplication.sendEvent(self.button, press(QEvent.Type.MouseMove, at=self.point(over=over)))
        if not over and self.button.isEnabled():
            self.since = None

    @rule()
    def let_go(self) -> None:
        QApplication.sendEvent(self.button, press(QEvent.Type.MouseButtonRelease, at=self.point(over=True)))
        if self.button.isEnabled():
            self.since = None

    @rule(key=st.sampled_from([Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter]))
    def key(self, key: Qt.Key) -> None:
        """Nothing: a key that repeats would hold it."""
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(self.button, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier))

    @rule()
    def press_by_a_screen_reader(self) -> None:
        self.button.click()
        if self.button.isEnabled():
            self.since = self.now if self.since is None and self.window.isVisible() else None

    @rule(enabled=st.booleans())
    def enable(self, *, enabled: bool) -> None:
        self.button.setEnabled(enabled)
        if not enabled:
            self.since = None

    @rule(visible=st.booleans())
    def show(self, *, visible: bool) -> None:
        self.window.setVisible(visible)
        if not visible:
            self.since = None

    @rule(seconds=st.sampled_from([0.1, 0.5, 0.9, 1.0, 3.0]))
    def time_passes(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            if self.button._timer.isActive():
                self.button._timer.timeout.emit()
            if self.since is not None and self.now - self.since >= HELD_S:
                self.expected.append(self.now)
                self.since = None

    @invariant()
    def it_acted_after_each_whole_second_and_never_else(self) -> None:
        assert self.acted == self.expected
        assert self.button.holding == self.button.isDown() == (self.since is not None)
        part = 0.0 if self.since is None else (self.now - self.since) / HELD_S
        assert self.button.progress == pytest.approx(part)

    def teardown(self) -> None:
        self.window.close()
        self.window.deleteLater()


@pytest.mark.timeout(LONG_S)
@pytest.mark.parametrize("machine", [OfTheDialog, OfTheCard, OfTheBar])
def test_any_order_of_disturbances(app: QApplication, machine: type[Machine]) -> None:
    run(machine, of=3)


@pytest.mark.timeout(LONG_S)
def test_any_order_of_presses(app: QApplication) -> None:
    run(Holding)
