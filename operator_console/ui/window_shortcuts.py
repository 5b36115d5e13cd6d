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
    START = "start the session that is set up"
    OPEN_SESSION = "the sessions: open, search, export, delete"
    EXPORT = "export the session that is shown"
    SETTINGS = "settings"
    HELP = "help"
    BACK_TO_LIVE = "back to the live picture"
    ZOOM_FIT = "fit the preview to the window"
    ZOOM_ACTUAL = "preview at 1:1"
    ZOOM_IN = "zoom in"
    ZOOM_OUT = "zoom out"
    MENU = "the main menu"
    KEYS = "this list"
    QUIT = "quit"


_CTRL, _ALONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier

SHORTCUTS = {
    ShortcutAction.APPROVE: QKeyCombination(_CTRL, Qt.Key.Key_Return),
    ShortcutAction.START: QKeyCombination(_CTRL, Qt.Key.Key_R),
    ShortcutAction.OPEN_SESSION: QKeyCombination(_CTRL, Qt.Key.Key_O),
    ShortcutAction.EXPORT: QKeyCombination(_CTRL, Qt.Key.Key_E),
    ShortcutAction.HELP: QKeyCombination(_ALONE, Qt.Key.Key_F1),
    ShortcutAction.SETTINGS: QKeyCombination(_CTRL, Qt.Key.Key_Comma),
    ShortcutAction.BACK_TO_LIVE: QKeyCombination(_ALONE, Qt.Key.Key_Escape),
    ShortcutAction.ZOOM_FIT: QKeyCombination(_CTRL, Qt.Key.Key_0),
    ShortcutAction.ZOOM_ACTUAL: QKeyCombination(_CTRL, Qt.Key.Key_1),
    ShortcutAction.ZOOM_IN: QKeyCombination(_CTRL, Qt.Key.Key_Plus),
    ShortcutAction.ZOOM_OUT: QKeyCombination(_CTRL, Qt.Key.Key_Minus),
    ShortcutAction.MENU: QKeyCombination(_ALONE, Qt.Key.Key_F10),
    ShortcutAction.KEYS: QKeyCombination(_CTRL, Qt.Key.Key_Question),
    ShortcutAction.QUIT: QKeyCombination(_CTRL, Qt.Key.Key_Q),
}


class ReplayKey(StrEnum):
    """What a key does while a record is open, in the words of resources/help/first-steps.md."""

    PLAY = "play, or pause"
    BACK = "a step back"
    ON = "a step on"
    EVENT_BACK = "one event back"
    EVENT_ON = "one event on"
    FIRST = "before the first step"
    LAST = "the end"


REPLAY_KEYS = {
    ReplayKey.PLAY: (Qt.Key.Key_K, Qt.Key.Key_Space),
    ReplayKey.BACK: (Qt.Key.Key_J, Qt.Key.Key_Left),
    ReplayKey.ON: (Qt.Key.Key_L, Qt.Key.Key_Right),
    ReplayKey.EVENT_BACK: (Qt.Key.Key_Comma,),
    ReplayKey.EVENT_ON: (Qt.Key.Key_Period,),
    ReplayKey.FIRST: (Qt.Key.Key_Home,),
    ReplayKey.LAST: (Qt.Key.Key_End,),
}
_ALSO = {ShortcutAction.ZOOM_IN: QKeyCombination(_CTRL, Qt.Key.Key_Equal)}
"""Other keys for the same: "+" without Shift."""


def keys_of(action: ShortcutAction) -> str:
    """The keys of an action, for people."""
    return QKeySequence(SHORTCUTS[action]).toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


def replay_keys_of(action: ReplayKey) -> str:
    """The keys of the replay, for people."""
    return " or ".join(QKeySequence(key).toString() for key in REPLAY_KEYS[action])


def add_shortcut(action: ShortcutAction, widget: QWidget, slot: Callable[[], object]) -> QShortcut:
    """Run `slot` when the action's key is pressed in the widget's window."""
    shortcut = QShortcut(QKeySequence(SHORTCUTS[action]), widget)
    if action in _ALSO:
        shortcut.setKeys([QKeySequence(SHORTCUTS[action]), QKeySequence(_ALSO[action])])
    shortcut.activated.connect(slot)
    return shortcut


def shortcut_text(action: ShortcutAction) -> str:
    """The action's key as it is written on this system."""
    return QKeySequence(SHORTCUTS[action]).toString(QKeySequence.SequenceFormat.NativeText)
