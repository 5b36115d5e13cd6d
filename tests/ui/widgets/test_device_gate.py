"""Presses of a person pass, those of a program do not, and presses are noted only while it matters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.ui.widgets.device_gate import DeviceGate

PERSON, PROGRAM = 70, 71
NO_KEYS = Qt.KeyboardModifier.NoModifier


class Devices:
    """Knows one time at which a device sent something."""

    def __init__(self) -> None:
        self.watched: list[tuple[int, bool]] = []
        self.asked: list[int] = []

    def watch(self, watcher: int, *, on: bool) -> None:
        self.watched.append((watcher, on))

    def from_device(self, time_ms: int) -> bool:
        self.asked.append(time_ms)
        return time_ms == PERSON

    def take(self) -> list[bool]:
        taken, self.watched = [on for _, on in self.watched], []
        return taken


class Control(QWidget):
    """Notes what reaches it."""

    def __init__(self) -> None:
        super().__init__()
        self.reached: list[QEvent.Type] = []

    def event(self, event: QEvent) -> bool:
        self.reached.append(event.type())
        return super().event(event)


class Rig:
    def __init__(self) -> None:
        self.control, self.devices = Control(), Devices()
        self.gate = DeviceGate(self.control)
        self.gate.devices = lambda: self.devices
        self.gate.add(self.control)
        self.refused = 0
        self.gate.refused.connect(self._count)

    def _count(self) -> None:
        self.refused += 1

    def reaches(self, event: QEvent) -> bool:
        self.control.reached.clear()
        QApplication.sendEvent(self.control, event)
        return event.type() in self.control.reached


def pointer(kind: QEvent.Type, time_ms: int) -> QMouseEvent:
    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(kind, QPointF(1, 1), QPointF(1, 1), left, left, NO_KEYS)
    event.setTimestamp(time_ms)
    return event


def key(kind: QEvent.Type, time_ms: int, which: Qt.Key = Qt.Key.Key_A) -> QKeyEvent:
    event = QKeyEvent(kind, which, NO_KEYS)
    event.setTimestamp(time_ms)
    return event


@pytest.fixture
def rig(app: QApplication) -> Iterator[Rig]:
    made = Rig()
    yield made
    made.control.deleteLater()


@pytest.mark.parametrize(
    "kind", [QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease]
)
def test_a_press_of_a_program_is_dropped_and_told(rig: Rig, kind: QEvent.Type) -> None:
    assert rig.reaches(pointer(kind, PERSON))
    assert rig.refused == 0
    assert not rig.reaches(pointer(kind, PROGRAM))
    assert rig.refused == 1


@pytest.mark.parametrize("kind", [QEvent.Type.KeyPress, QEvent.Type.KeyRelease])
def test_so_is_a_key_unless_it_goes_elsewhere_or_denies(rig: Rig, kind: QEvent.Type) -> None:
    assert rig.reaches(key(kind, PERSON))
    assert not rig.reaches(key(kind, PROGRAM))
    assert rig.refused == 1
    for harmless in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape):
        assert rig.reaches(key(kind, PROGRAM, harmless))
    assert rig.refused == 1


def test_a_motion_is_no_press(rig: Rig) -> None:
    assert rig.reaches(pointer(QEvent.Type.MouseMove, PROGRAM))
    assert rig.devices.watched == []


def test_where_nothing_tells_them_apart_every_press_counts(rig: Rig) -> None:
    rig.gate.devices = lambda: None
    assert rig.reaches(pointer(QEvent.Type.MouseButtonPress, PROGRAM))
    assert rig.gate.shortcut_counts()
    assert DeviceGate(rig.control).devices() is None


def test_a_shortcut_counts_by_the_keys_that_the_window_got(rig: Rig) -> None:
    window, other = Control(), Control()
    rig.gate.hear_shortcuts(window)
    assert not rig.gate.shortcut_counts(), "no keys yet"
    assert rig.devices.asked == [0]
    for heard, time_ms, counts in ((window, PERSON, True), (window, PROGRAM, False), (other, PERSON, False)):
        QApplication.sendEvent(heard, key(QEvent.Type.ShortcutOverride, time_ms))
        assert rig.gate.shortcut_counts() == counts
    assert QEvent.Type.ShortcutOverride in window.reached, "they go on to the window"
    QApplication.sendEvent(window, pointer(QEvent.Type.MouseButtonPress, PROGRAM))
    assert QEvent.Type.MouseButtonPress in window.reached, "its presses are not filtered"
    rig.gate.hear_shortcuts(other)
    QApplication.sendEvent(other, key(QEvent.Type.ShortcutOverride, PERSON))
    assert rig.gate.shortcut_counts()
    QApplication.sendEvent(window, key(QEvent.Type.ShortcutOverride, PROGRAM))
    assert rig.gate.shortcut_counts(), "the window before is no longer heard"
    window.reached.clear()
    QApplication.sendEvent(window, pointer(QEvent.Type.MouseButtonPress, PROGRAM))
    assert window.reached == [QEvent.Type.MouseButtonPress], "nor filtered"
    QApplication.sendEvent(other, key(QEvent.Type.KeyRelease, PROGRAM))
    assert rig.gate.shortcut_counts(), "only what may be a shortcut is noted"
    rig.gate.hear_shortcuts(None)
    QApplication.sendEvent(other, key(QEvent.Type.ShortcutOverride, PROGRAM))
    assert rig.gate.shortcut_counts()
    for each in (window, other):
        each.deleteLater()


@pytest.mark.parametrize("kind", [QEvent.Type.Enter, QEvent.Type.FocusIn])
def test_presses_are_noted_for_a_moment_once_one_may_follow(rig: Rig, kind: QEvent.Type) -> None:
    assert rig.reaches(QEvent(kind))
    assert rig.devices.watched == [(id(rig.gate), True)]
    assert rig.gate._passing.isActive()
    assert (rig.gate.parent(), rig.gate._passing.parent()) == (rig.control, rig.gate)
    assert rig.gate._passing.isSingleShot()
    assert rig.gate._passing.interval() == 3_000
    rig.devices.take()
    rig.gate._passing.timeout.emit()
    assert rig.devices.take() == [False]


def test_a_press_of_a_person_and_a_modifier_of_a_shortcut_prolong_it(rig: Rig) -> None:
    rig.reaches(pointer(QEvent.Type.MouseButtonPress, PERSON))
    assert rig.devices.take() == [True]
    rig.reaches(pointer(QEvent.Type.MouseButtonPress, PROGRAM))
    assert rig.devices.take() == []
    window = Control()
    rig.gate.hear_shortcuts(window)
    for which in (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Shift, Qt.Key.Key_Meta):
        QApplication.sendEvent(window, key(QEvent.Type.ShortcutOverride, PERSON, which))
        assert rig.devices.take() == [True]
    QApplication.sendEvent(window, key(QEvent.Type.ShortcutOverride, PERSON, Qt.Key.Key_A))
    assert rig.devices.take() == []
    window.deleteLater()


def test_while_one_is_asked_for_they_are_noted_all_the_time(rig: Rig) -> None:
    rig.gate.watch(on=True)
    assert rig.devices.take() == [True]
    rig.reaches(QEvent(QEvent.Type.Enter))
    rig.gate._passing.timeout.emit()
    assert rig.devices.take() == []
    rig.gate.watch(on=True)
    assert rig.devices.take() == [True], "said again: what came meanwhile is taken up"
    rig.gate.watch(on=False)
    assert rig.devices.take() == [False]
    rig.gate.watch(on=False)
    assert rig.devices.take() == [], "what is watched for a moment only goes on"
    rig.gate._passing.timeout.emit()
    assert rig.devices.take() == [False]
    rig.gate.devices = lambda: None
    rig.gate.watch(on=True)
