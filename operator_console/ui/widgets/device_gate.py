"""Lets the presses of a person through, and those of programs not, where the display tells them apart.

A press of the pointer or a key counts if a physical device sent it. An accessibility press is no such event: it counts.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPointerEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from operator_console.ui.backend import InputDevices

_POINTER = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease)
_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_HARMLESS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
"""Keys that go elsewhere or deny."""
_MATTERS_NOW = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.FocusIn, QEvent.Type.FocusOut)


class DeviceGate(QObject):
    """Filters the presses of some controls.

    Presses are noted before they come: a tap presses in the moment in which the pointer is there. Those of a pointer
    are while a control is shown. Keys, of which a model types thousands, are noted while a control that is shown has
    the focus or its shortcut is heard.

    Attributes:
        devices: what tells presses apart; None: nothing does, and every press counts.

    Signals:
        refused: a press of a program was dropped (no payload).
    """

    refused = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.devices: Callable[[], InputDevices | None] = lambda: None
        self._controls: list[QWidget] = []
        self._window: QWidget | None = None
        self._shortcut_ms = 0
        self._noted = (False, False)

    def add(self, *controls: QWidget) -> None:
        """Filter the presses of these from now on."""
        self._controls = [*(each for each in self._controls if isValid(each) and each not in controls), *controls]
        for control in controls:
            control.installEventFilter(self)
        self.note_presses()

    def hear_shortcuts(self, window: QWidget | None) -> None:
        """Note the keys of a window, for `shortcut_counts`; None: of none."""
        if window is not self._window:
            if self._window is not None:
                self._window.removeEventFilter(self)
            self._window = window
            if window is not None:
                window.installEventFilter(self)
        self.note_presses()

    def note_presses(self) -> None:
        """Have the presses noted that these controls may get now. Said again, it takes up those that came."""
        shown = [each for each in self._controls if isValid(each) and each.isVisible()]
        before, pointer = self._noted, bool(shown)
        keys = pointer and (self._window is not None or any(each.hasFocus() for each in shown))
        if not pointer and before == (False, False):
            return
        devices = self.devices()
        if devices is not None:
            devices.watch(id(self), pointer=pointer, keys=keys)
            self._noted = (pointer, keys)

    def shortcut_counts(self) -> bool:
        """Whether the last keys of a shortcut count."""
        return self._counts(self._shortcut_ms)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drop the presses of programs."""
        kind = event.type()
        if watched is self._window:
            if kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
                self._shortcut_ms = event.timestamp()
            return False
        if kind in _MATTERS_NOW:
            self.note_presses()
            return False
        if kind in _POINTER and isinstance(event, QPointerEvent):
            return self._drops(event.timestamp())
        if kind in _KEYS and isinstance(event, QKeyEvent) and event.key() not in _HARMLESS:
            return self._drops(event.timestamp())
        return False

    def _drops(self, time_ms: int) -> bool:
        if self._counts(time_ms):
            return False
        self.refused.emit()
        return True

    def _counts(self, time_ms: int) -> bool:
        devices = self.devices()
        return devices is None or devices.from_device(time_ms)
