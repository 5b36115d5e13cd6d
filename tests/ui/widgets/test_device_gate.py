"""Presses of a person pass, those of a program do not, and presses are noted while one may come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.ui.widgets.device_gate import DeviceGate

PERSON, PROGRAM = 70, 71
NO_KEYS = Qt.KeyboardModifier.NoModifier


class Devices:
    """Knows one time at which a device sent something."""

    def __init__(self) -> None:
        self.watched: list[tuple[int, bool, bool]] = []
        self.asked: list[int] = []

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        self.watched.append((watcher, pointer, keys))

    def from_device(self, time_ms: int) -> bool:
        self.asked.append(time_ms)
        return time_ms == PERSON

    def take(self) -> list[tuple[bool, bool]]:
        """Whether presses of a pointer and keys were to be noted, each time it was said."""
        taken, self.watched = [(pointer, keys) for _, pointer, keys in self.watched], []
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
    made.control.close()
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


def test_presses_of_a_pointer_are_noted_while_a_control_is_shown(rig: Rig) -> None:
    """A tap presses in the moment in which the pointer comes: noted from then on, it was taken for a program's."""
    other = Control()
    rig.gate.add(other)
    rig.gate.note_presses()
    assert rig.devices.watched == [], "none is shown"
    rig.control.show()
    assert (id(rig.gate), True, False) in rig.devices.watched
    other.show()
    rig.control.hide()
    assert set(rig.devices.take()) == {(True, False)}
    rig.gate.note_presses()
    assert rig.devices.take() == [(True, False)], "said again: what came meanwhile is taken up"
    other.hide()
    assert rig.devices.take() == [(False, False)]
    rig.gate.note_presses()
    assert rig.devices.take() == []


def test_keys_are_noted_while_a_control_has_the_focus(rig: Rig) -> None:
    rig.control.show()
    rig.control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    rig.control.activateWindow()
    rig.control.setFocus()
    QApplication.processEvents()
    assert rig.devices.take()[-1] == (True, True)
    rig.control.clearFocus()
    assert rig.devices.take()[-1] == (True, False)


def test_keys_are_noted_while_a_shortcut_is_heard_for_a_control_that_is_shown(rig: Rig) -> None:
    window = Control()
    rig.gate.hear_shortcuts(window)
    assert rig.devices.take() == []
    rig.control.show()
    assert rig.devices.take()[-1] == (True, True)
    rig.gate.hear_shortcuts(None)
    assert rig.devices.take() == [(True, False)]
    window.deleteLater()


def test_it_begins_once_the_display_is_known_to_tell_them_apart(rig: Rig) -> None:
    rig.gate.devices = lambda: None
    rig.control.show()
    rig.gate.devices = lambda: rig.devices
    rig.gate.note_presses()
    assert rig.devices.take() == [(True, False)]


def test_a_control_that_is_gone_is_forgotten(rig: Rig) -> None:
    gone = Control()
    rig.gate.add(gone)
    shiboken6.delete(gone)
    rig.control.show()
    assert rig.devices.take()[-1] == (True, False)
    rig.gate.add(rig.control)
    assert rig.gate._controls == [rig.control]
