"""What stands in the stage when there is no picture: what is the matter, what to do next, and the button for it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from operator_console.ui.parts import GRID, button, column, label


class EmptyStage(QFrame):
    """A small card in the middle of the stage.

    Signals:
        acted: its button was pressed (no payload).
    """

    acted = Signal()

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        self.setProperty("role", "sheet")
        self.setMaximumWidth(420)
        self._stage = stage
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        self._title = label(role="title", wrap=True)
        self._text = label(wrap=True)
        self.act = button("")
        rows.addWidget(self._title)
        rows.addWidget(self._text)
        rows.addWidget(self.act, 0, Qt.AlignmentFlag.AlignLeft)
        self.act.clicked.connect(self._clicked)
        stage.installEventFilter(self)
        self.hide()

    def say(self, title: str, text: str = "", act: str = "") -> None:
        """Say this; "" for a title hides it."""
        self.setVisible(bool(title))
        if not title:
            return
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.act.setText(act)
        self.act.setAccessibleName(act)
        self.act.setVisible(bool(act))
        self._centre()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The stage has another size."""
        if event.type() is QEvent.Type.Resize:
            self._centre()
        return super().eventFilter(watched, event)

    def _centre(self) -> None:
        stage = self._stage
        width = min(420, stage.width() - 32)
        layout = self.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else self.sizeHint().height()
        self.setGeometry((stage.width() - width) // 2, max(0, (stage.height() - height) // 2), width, height)

    def _clicked(self) -> None:
        self.acted.emit()
