"""Two lines over the preview with a button: another window covers the target, which can be seen but not reached."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operator_console.ui.view.target_words import TargetNote
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button

EDGE, MOST_WIDTH = 12, 560


class StageHint(QFrame):
    """Stands at the top of the stage.

    Signals:
        acted: its button was pressed; carries the TargetStep.
    """

    acted = Signal(object)

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        self.setProperty("role", "sheet")
        self._stage = stage
        self._note: TargetNote | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(GRID)
        self._title, self._text = ElidedLabel(role="strong"), ElidedLabel(role="secondary")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._title)
        words.addWidget(self._text)
        self.act = button("")
        row.addLayout(words, 1)
        row.addWidget(self.act)
        self.act.clicked.connect(self._clicked)
        stage.installEventFilter(self)
        self.hide()

    def show_note(self, note: TargetNote | None) -> None:
        """Show a note; None hides the line."""
        if note == self._note:
            return
        self._note = note
        self.setVisible(note is not None)
        if note is None:
            return
        self._title.set_whole(note.title)
        self._text.set_whole(note.text)
        self._text.setVisible(bool(note.text))
        self.act.setText(note.step.value)
        self.act.setAccessibleName(note.step.value)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the stage."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.ensurePolished()
        most = max(0, self._stage.width() - 2 * EDGE)
        # The layout leaves out the text, which can be elided.
        text = max(self._title.sizeHint().width(), self._text.sizeHint().width())
        width = min(MOST_WIDTH, most, self.sizeHint().width() + text + GRID)
        self.setGeometry((self._stage.width() - width) // 2, EDGE, width, self.sizeHint().height())

    def _clicked(self) -> None:
        if self._note is not None:
            self.acted.emit(self._note.step)
