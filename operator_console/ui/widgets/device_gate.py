"""Lets the presses of a person through, and those of programs not, where the display tells them apart.

A press of the pointer or a key counts if a physical device sent it. An accessibility press is no such event: it counts.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPointerEvent
from PySide6.QtWidgets import QWidget

from operator_console.ui.backend import InputDevices

_POINTER = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease)
_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_HARMLESS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
"""Keys that go elsewhere or deny."""
_NEAR = (QEvent.Type.Enter, QEvent.Type.FocusIn)
_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Shift, Qt.Key.Key_Meta)
_WATCH_MS = 3_000


class DeviceGate(QObject):
    """Filters the presses of some controls.

    Attributes:
        devices: what tells presses apart; None: nothing does, and every press counts.

    Signals:
        refused: a press of a program was dropped (no payload).
    """

    refused = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.devices: Callable[[], InputDevices | None] = lambda: None
        self._window: QWidget | None = None
        self._shortcut_ms = 0
        self._steady = False
        # Only while it matters: presses are noted by the display's server for who asks, and there are many.
        self._passing = QTimer(self, singleShot=True, interval=_WATCH_MS)
        self._passing.timeout.connect(self._watch_no_longer)

    def add(self, *controls: QWidget) -> None:
        """Filter the presses of these from now on."""
        for control in controls:
            control.installEventFilter(self)

    def hear_shortcuts(self, window: QWidget | None) -> None:
        """Note the keys of a window, for `shortcut_counts`; None: of none."""
        if window is self._window:
            return
        if self._window is not None:
            self._window.removeEventFilter(self)
        self._window = window
        if window is not None:
            window.installEventFilter(self)

    def watch(self, *, on: bool) -> None:
        """Have presses noted, because one may be meant for these controls. Said again, it takes up those that came."""
        before, self._steady = self._steady, on
        if on or before:
            self._set_watch(on=on)

    def shortcut_counts(self) -> bool:
        """Whether the last keys of a shortcut count."""
        return self._counts(self._shortcut_ms)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drop the presses of programs."""
        kind = event.type()
        if watched is self._window:
            if kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
                self._shortcut_ms = event.timestamp()
                if event.key() in _MODIFIERS:
                    self._watch_for_a_moment()
            return False
        if kind in _NEAR:
            self._watch_for_a_moment()
            return False
        if kind in _POINTER and isinstance(event, QPointerEvent):
            return self._drops(event.timestamp())
        if kind in _KEYS and isinstance(event, QKeyEvent) and event.key() not in _HARMLESS:
            return self._drops(event.timestamp())
        return False

    def _drops(self, time_ms: int) -> bool:
        if self._counts(time_ms):
            self._watch_for_a_moment()
            return False
        self.refused.emit()
        return True

    def _counts(self, time_ms: int) -> bool:
        devices = self.devices()
        return devices is None or devices.from_device(time_ms)

    def _watch_for_a_moment(self) -> None:
        if not self._steady:
            self._set_watch(on=True)
            self._passing.start()

    def _watch_no_longer(self) -> None:
        if not self._steady:
            self._set_watch(on=False)

    def _set_watch(self, *, on: bool) -> None:
        devices = self.devices()
        if devices is not None:
            devices.watch(id(self), on=on)
