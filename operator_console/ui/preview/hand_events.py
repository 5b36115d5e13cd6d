"""Turns what a person does on the picture into input for the page behind it, while the person has taken over."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import HandButton, HandInput, HandKey, HandMove, HandWheel
from operator_console.domain.keys import Key
from operator_console.domain.scrolling import PX_PER_NOTCH
from operator_console.ui.preview.fit import Fit

LEAVES = Qt.Key.Key_F6
"""Gives the keyboard back to the console: Tab and Escape belong to the page."""

_NOTCH = 120  # of a wheel, in Qt's eighths of a degree
_BUTTONS = {
    Qt.MouseButton.LeftButton: Button.LEFT, Qt.MouseButton.MiddleButton: Button.MIDDLE,
    Qt.MouseButton.RightButton: Button.RIGHT, Qt.MouseButton.BackButton: Button.BACK,
    Qt.MouseButton.ForwardButton: Button.FORWARD,
}  # fmt: skip
_MODIFIERS = {
    Qt.KeyboardModifier.ShiftModifier: Key("shift"), Qt.KeyboardModifier.ControlModifier: Key("ctrl"),
    Qt.KeyboardModifier.AltModifier: Key("alt"), Qt.KeyboardModifier.MetaModifier: Key("super"),
}  # fmt: skip
_KEYS = {
    Qt.Key.Key_Shift: "shift", Qt.Key.Key_Control: "ctrl", Qt.Key.Key_Alt: "alt", Qt.Key.Key_Meta: "super",
    Qt.Key.Key_Super_L: "super", Qt.Key.Key_Super_R: "super_r", Qt.Key.Key_AltGr: "alt_gr", Qt.Key.Key_Return: "enter",
    Qt.Key.Key_Enter: "kp_enter", Qt.Key.Key_Escape: "esc", Qt.Key.Key_Tab: "tab", Qt.Key.Key_Backtab: "tab",
    Qt.Key.Key_Backspace: "backspace", Qt.Key.Key_Delete: "delete", Qt.Key.Key_Insert: "insert",
    Qt.Key.Key_Home: "home", Qt.Key.Key_End: "end", Qt.Key.Key_PageUp: "page_up", Qt.Key.Key_PageDown: "page_down",
    Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down", Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right",
    Qt.Key.Key_Space: "space", Qt.Key.Key_CapsLock: "caps_lock", Qt.Key.Key_Menu: "menu",
    **{Qt.Key(Qt.Key.Key_F1 + place): f"f{place + 1}" for place in range(12)},
}  # fmt: skip


class HandEvents:
    """Remembers what is held, and how often was clicked. Makes nothing of what is not for the page."""

    def __init__(self) -> None:
        self._buttons: list[Button] = []
        self._keys: dict[int, HandKey] = {}
        self._clicks: tuple[int, float, QPointF] = (0, -math.inf, QPointF())

    def mouse(self, event: QMouseEvent, fit: Fit, ratio: float) -> HandInput | None:
        """A motion, press or release; beside the picture only while a button is held that was pressed on it."""
        device = event.position() * ratio
        at = fit.to_native(device.x(), device.y())
        if at is None and self._buttons:
            at = _nearest(fit, device)
        if at is None:
            return None
        holding = _holding(event.modifiers())
        kind = event.type()
        if kind is QEvent.Type.MouseMove:
            return HandMove(at=at, holding=holding)
        button = _BUTTONS.get(event.button())
        if button is None:
            return None
        if kind is QEvent.Type.MouseButtonRelease:
            if button not in self._buttons:
                return None
            self._buttons.remove(button)
            return HandButton(button=button, down=False, at=at, count=self._clicks[0], holding=holding)
        self._buttons.append(button)
        self._count(event)
        return HandButton(button=button, down=True, at=at, count=self._clicks[0], holding=holding)

    def _count(self, event: QMouseEvent) -> None:
        """Count clicks in a row: Qt tells the second one, and takes the third for a first one again."""
        count, last_ms, place = self._clicks
        near = (event.position() - place).manhattanLength() <= QApplication.startDragDistance()
        soon = event.timestamp() - last_ms <= QApplication.doubleClickInterval()
        double = event.type() is QEvent.Type.MouseButtonDblClick
        again = 2 if double else count + 1 if near and soon and count >= 2 else 1
        self._clicks = (again, float(event.timestamp()), event.position())

    def wheel(self, event: QWheelEvent, fit: Fit, ratio: float) -> HandInput | None:
        """A turn of the wheel, or two fingers on a touchpad; with Ctrl it is for the zoom of the preview."""
        device = event.position() * ratio
        at = fit.to_native(device.x(), device.y())
        if at is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return None
        turned = event.angleDelta()
        across, down = (-each / _NOTCH * PX_PER_NOTCH for each in (turned.x(), turned.y()))
        return HandWheel(at=at, dx=across, dy=down, holding=_holding(event.modifiers()))

    def key(self, event: QKeyEvent) -> HandInput | None:
        """A key; None for the one that leaves, for chords that are the console's own, and for unknown ones."""
        down = event.type() is QEvent.Type.KeyPress
        place = event.nativeScanCode() or event.key()
        if not down:
            if event.isAutoRepeat() or (held := self._keys.pop(place, None)) is None:
                return None
            return HandKey(key=held.key, down=False, holding=_holding(event.modifiers()))
        key = None if is_for_console(event) else _key(event)
        if key is None:
            return None
        made = HandKey(
            key=key, down=True, text=event.text() if event.text().isprintable() else "",
            repeated=event.isAutoRepeat(), holding=_holding(event.modifiers()),
        )  # fmt: skip
        self._keys[place] = made
        return made

    def let_go(self) -> tuple[HandInput, ...]:
        """Releases of the keys that are held: the keyboard goes elsewhere."""
        held, self._keys = tuple(self._keys.values()), {}
        return tuple(HandKey(key=each.key, down=False) for each in reversed(held))


def is_for_console(event: QKeyEvent) -> bool:
    """Whether a key is not for the page: the one that leaves it, and the global hotkeys, which hold Ctrl and Alt."""
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    return event.key() == LEAVES or event.modifiers() & both == both


def pastes(event: QKeyEvent) -> bool:
    """Whether a press pastes in most programs: Ctrl+V, in terminals with Shift, and Shift+Insert."""
    held = event.modifiers()
    shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    if event.type() is not QEvent.Type.KeyPress or event.isAutoRepeat():
        return False
    if event.key() == Qt.Key.Key_V:
        return held & ~shift == control
    return event.key() == Qt.Key.Key_Insert and held == shift


def _key(event: QKeyEvent) -> Key | None:
    known = _KEYS.get(Qt.Key(event.key()))
    if known is not None:
        return Key(known)
    text = event.text()
    if text and text.isprintable():
        return Key(text)
    # With Ctrl the text is a control character; the key is that of the letter or sign.
    number = event.key()
    return Key(chr(number).lower()) if 0x20 < number < 0x7F else None


def _holding(modifiers: Qt.KeyboardModifier) -> frozenset[Key]:
    return frozenset(name for bit, name in _MODIFIERS.items() if modifiers & bit)


def _nearest(fit: Fit, device: QPointF) -> NativePoint:
    """The pixel of the picture that is nearest to a place beside it."""
    across = (device.x() - fit.x) * fit.native.width / fit.width
    down = (device.y() - fit.y) * fit.native.height / fit.height
    return NativePoint(
        min(max(math.floor(across), 0), fit.native.width - 1), min(max(math.floor(down), 0), fit.native.height - 1)
    )
