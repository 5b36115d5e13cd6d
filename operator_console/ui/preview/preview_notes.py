"""Notes over the preview, with a button: why there is no picture, and what stands between a person and the target."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame

from operator_console.ui.preview.preview import Preview
from operator_console.ui.view.target_words import TargetNote
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, column, label, row_layout, show_text, wide

EDGE, MOST_WIDTH = 12, 560
LEAST_WORDS = 160
"""Beside its button; where there is less, a hint has its button below its words."""
_EMPTY_WIDTH, _EMPTY_EDGE, _EMPTY_SIDE = 420, 16, 24
_TIGHT_SIDE = 6


class PreviewNote(QFrame):
    """A TargetNote over the preview, hidden while there is none. Subclasses lay it out, word it and place it.

    It stands beside what covers the preview: its button must be in reach.

    Signals:
        acted: its button was pressed; carries the TargetStep.
    """

    acted = Signal(object)

    def __init__(self, preview: Preview) -> None:
        super().__init__(preview)
        self.setProperty("role", "sheet")
        self._preview = preview
        self._note: TargetNote | None = None
        self.act = button("")
        self.act.clicked.connect(self._clicked)
        preview.installEventFilter(self)
        preview.room_changed.connect(self._place)
        self.hide()

    def show_note(self, note: TargetNote | None) -> None:
        """Show a note; None hides it."""
        if note == self._note:
            return
        self._note = note
        self.setVisible(note is not None)
        if note is None:
            return
        self.act.setText(note.step.words)
        self.act.setAccessibleName(note.step.words)
        self.act.setVisible(bool(note.step))
        self._word(note)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the preview."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _word(self, note: TargetNote) -> None:
        raise NotImplementedError

    def _place(self) -> None:
        raise NotImplementedError

    def _clicked(self) -> None:
        if self._note is not None:
            self.acted.emit(self._note.step)


class EmptyPreview(PreviewNote):
    """A small card in the middle of the preview, where there is nothing to preview."""

    def __init__(self, preview: Preview) -> None:
        super().__init__(preview)
        self._title, self._text = label(role="title", wrap=True), label(wrap=True)
        rows = self._rows = column(self, spacing=GRID)
        rows.addWidget(self._title)
        rows.addWidget(self._text)
        rows.addWidget(self.act, 0, Qt.AlignmentFlag.AlignLeft)

    def _word(self, note: TargetNote) -> None:
        self._title.setText(note.title)
        show_text(self._text, note.text)

    def _place(self) -> None:
        room = self._preview.room()
        self.act.ensurePolished()
        needed = self.act.sizeHint().width() if not self.act.isHidden() else 0
        width = height = 0
        for side, edge, above in ((_EMPTY_SIDE, _EMPTY_EDGE, 20), (_TIGHT_SIDE, 0, GRID)):
            self._rows.setContentsMargins(side, above, side, above)
            width = min(wide(_EMPTY_WIDTH), room.width() - 2 * edge)
            height = self._rows.totalHeightForWidth(width)
            if room.width() >= needed + 2 * (side + edge) and height <= room.height():
                break  # the words and the button matter more than the space around them
        self.setGeometry((room.width() - width) // 2, max(0, (room.height() - height) // 2), width, height)


class PreviewHint(PreviewNote):
    """Two lines at the top of the preview: the target can be seen, but not reached."""

    def __init__(self, preview: Preview) -> None:
        super().__init__(preview)
        self._title, self._text = ElidedLabel(role="strong"), ElidedLabel(role="secondary")
        row = self._row = row_layout(self, spacing=GRID, margins=(12, 6, 8, 6))
        words = column(spacing=0)
        words.addWidget(self._title)
        words.addWidget(self._text)
        row.addLayout(words, 1)
        row.addWidget(self.act)

    def _word(self, note: TargetNote) -> None:
        self._title.set_whole(note.title)
        self._text.set_whole(note.text)
        self._text.setVisible(bool(note.text))

    def _place(self) -> None:
        self.ensurePolished()
        room = self._preview.room().width()
        # The layout leaves out the text, which can be elided.
        text = max(self._title.sizeHint().width(), self._text.sizeHint().width())
        self._row.setDirection(QBoxLayout.Direction.LeftToRight)
        most = max(0, room - 2 * EDGE)
        width = min(wide(MOST_WIDTH), most, self.sizeHint().width() + text + GRID)
        if most < self.sizeHint().width() + min(text, LEAST_WORDS):
            self._row.setDirection(QBoxLayout.Direction.TopToBottom)
            width = most
        self.setGeometry((room - width) // 2, EDGE, width, self.sizeHint().height())
