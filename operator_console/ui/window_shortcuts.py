"""The keys of the console's window. The global hotkeys are in domain/hotkeys.py and the settings."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from operator_console.domain.translations import _


class ShortcutAction(Enum):
    """What a key does."""

    APPROVE = auto()
    EDIT = auto()
    SKIP = auto()
    TAKE_OVER = auto()
    GO_ON = auto()
    MESSAGE = auto()
    STEP = auto()
    START = auto()
    OPEN_SESSION = auto()
    EXPORT = auto()
    SETTINGS = auto()
    HELP = auto()
    BACK_TO_LIVE = auto()
    ZOOM_FIT = auto()
    ZOOM_ACTUAL = auto()
    ZOOM_IN = auto()
    ZOOM_OUT = auto()
    MENU = auto()
    KEYS = auto()
    QUIT = auto()

    @property
    def words(self) -> str:  # noqa: C901, PLR0911, PLR0912 - one arm an action
        """As resources/help/first-steps.md has it."""
        match self:
            case ShortcutAction.APPROVE:
                return _("approve, once the action has been shown for a second")
            case ShortcutAction.EDIT:
                return _("edit the action")
            case ShortcutAction.SKIP:
                return _("skip the action, with or without a note")
            case ShortcutAction.TAKE_OVER:
                return _("take over, and hand back")
            case ShortcutAction.GO_ON:
                return _("resume, or continue a session that has ended")
            case ShortcutAction.MESSAGE:
                return _("write to the model")
            case ShortcutAction.STEP:
                return _("be asked about each action from now on")
            case ShortcutAction.START:
                return _("start the session that is set up")
            case ShortcutAction.OPEN_SESSION:
                return _("the sessions: open, search, export, delete")
            case ShortcutAction.EXPORT:
                return _("export the session that is shown")
            case ShortcutAction.SETTINGS:
                return _("settings")
            case ShortcutAction.HELP:
                return _("help")
            case ShortcutAction.BACK_TO_LIVE:
                return _("back to the live picture")
            case ShortcutAction.ZOOM_FIT:
                return _("fit the preview to the window")
            case ShortcutAction.ZOOM_ACTUAL:
                return _("preview at 1:1")
            case ShortcutAction.ZOOM_IN:
                return _("zoom in")
            case ShortcutAction.ZOOM_OUT:
                return _("zoom out")
            case ShortcutAction.MENU:
                return _("the main menu")
            case ShortcutAction.KEYS:
                return _("this list")
            case ShortcutAction.QUIT:
                return _("quit")


_CTRL, _ALONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
_BOTH = _CTRL | Qt.KeyboardModifier.ShiftModifier

SHORTCUTS = {
    ShortcutAction.APPROVE: QKeyCombination(_CTRL, Qt.Key.Key_Return),
    ShortcutAction.EDIT: QKeyCombination(_ALONE, Qt.Key.Key_F2),
    ShortcutAction.SKIP: QKeyCombination(_ALONE, Qt.Key.Key_F8),
    ShortcutAction.TAKE_OVER: QKeyCombination(_ALONE, Qt.Key.Key_F9),
    ShortcutAction.GO_ON: QKeyCombination(_BOTH, Qt.Key.Key_R),
    ShortcutAction.MESSAGE: QKeyCombination(_CTRL, Qt.Key.Key_M),
    ShortcutAction.STEP: QKeyCombination(_BOTH, Qt.Key.Key_S),
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


class ReplayKey(Enum):
    """What a key does while a record is open."""

    PLAY = auto()
    BACK = auto()
    ON = auto()
    EVENT_BACK = auto()
    EVENT_ON = auto()
    FIRST = auto()
    LAST = auto()

    @property
    def words(self) -> str:
        """As resources/help/first-steps.md has it."""
        match self:
            case ReplayKey.PLAY:
                return _("play, or pause")
            case ReplayKey.BACK:
                return _("a step back")
            case ReplayKey.ON:
                return _("a step on")
            case ReplayKey.EVENT_BACK:
                return _("one event back")
            case ReplayKey.EVENT_ON:
                return _("one event on")
            case ReplayKey.FIRST:
                return _("before the first step")
            case ReplayKey.LAST:
                return _("the end")


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
    # Translators: between two keys. The spaces stay.
    return _(" or ").join(QKeySequence(key).toString() for key in REPLAY_KEYS[action])


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
