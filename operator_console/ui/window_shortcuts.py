"""The keys of the console's window. The global hotkeys are in domain/hotkeys.py and the settings."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


class ShortcutAction(StrEnum):
    """What a key does, in the words of resources/help/first-steps.md."""

    APPROVE = "approve, once the action has been shown for a second"
    OPEN_SESSION = "open a session"
    SETTINGS = "settings"
    BACK_TO_LIVE = "back to the live picture"


_CTRL, _ALONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier

SHORTCUTS = {
    ShortcutAction.APPROVE: QKeyCombination(_CTRL, Qt.Key.Key_Return),
    ShortcutAction.OPEN_SESSION: QKeyCombination(_CTRL, Qt.Key.Key_O),
    ShortcutAction.SETTINGS: QKeyCombination(_CTRL, Qt.Key.Key_Comma),
    ShortcutAction.BACK_TO_LIVE: QKeyCombination(_ALONE, Qt.Key.Key_Escape),
}


def add_shortcut(action: ShortcutAction, widget: QWidget, slot: Callable[[], object]) -> QShortcut:
    """Run `slot` when the action's key is pressed in the widget's window."""
    shortcut = QShortcut(QKeySequence(SHORTCUTS[action]), widget)
    shortcut.activated.connect(slot)
    return shortcut
