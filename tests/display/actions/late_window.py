"""A Qt window of its own process for the waits: `late` paints 2 s after a click, `caret` blinks, `clock` ticks."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTime, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QVBoxLayout, QWidget

_AFTER_MS = 2000


class Window(QWidget):
    """What the arguments say."""

    def __init__(self, kinds: set[str]) -> None:
        super().__init__()
        self.setWindowTitle("Late")
        self.resize(700, 300)
        self._late = "late" in kinds
        layout = QVBoxLayout(self)
        if "caret" in kinds:
            layout.addWidget(QLineEdit("a caret blinks at the end of this"))
        if "clock" in kinds:
            self._clock = QLabel("00:00:00.0")
            layout.addWidget(self._clock)
            self._ticks = QTimer(self)
            self._ticks.timeout.connect(self._tick)
            self._ticks.start(100)
        layout.addStretch()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  Qt's own name
        """The late answer."""
        if self._late:
            QTimer.singleShot(_AFTER_MS, self._answer)

    def _answer(self) -> None:
        self.setStyleSheet("background: rgb(200, 30, 30)")

    def _tick(self) -> None:
        self._clock.setText(QTime.currentTime().toString("hh:mm:ss.zzz")[:-2])


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    shown = Window(set(sys.argv[1:]))
    shown.show()
    sys.exit(app.exec())
