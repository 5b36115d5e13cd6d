"""A line edit for a word that is typed deliberately, key by key."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLineEdit


class WordLine(QLineEdit):
    """Accepts a typed word: no pasting, no dropping, no repeated keys, nothing before it is armed.

    Signals:
        typed: the text changed by a key press; carries it.
    """

    typed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.armed = False
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setAcceptDrops(False)
        self.setMaxLength(24)
        self.textEdited.connect(self._edited)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept single keys only; Enter does nothing; Esc and Tab go on to the parent."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            super().keyPressEvent(event)
            return
        if event.isAutoRepeat() or event.matches(QKeySequence.StandardKey.Paste) or not self.armed:
            event.accept()
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ignore the middle button, which pastes on X11."""
        if event.button() is not Qt.MouseButton.MiddleButton:
            super().mouseReleaseEvent(event)

    def _edited(self, text: str) -> None:
        self.typed.emit(text)
