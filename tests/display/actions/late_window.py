"""A Qt window in a process of its own, to test waits: `late` paints 2 s after a right
click, `caret` blinks, `clock` ticks.

`stages` paints a part at once and everything 2 s later: red after a click, while it blocks its event loop, and blue
after a right click, with a timer.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import Qt, QTime, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QVBoxLayout, QWidget

_AFTER_MS = 2000


class Window(QWidget):
    """The behaviour that the arguments select."""

    def __init__(self, kinds: set[str]) -> None:
        super().__init__()
        self.setWindowTitle("Late")
        self.resize(700, 300)
        self._late, self._stages = "late" in kinds, "stages" in kinds
        self._pressed = False
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
        """Paint, late."""
        if self._late and event.button() == Qt.MouseButton.RightButton:
            QTimer.singleShot(_AFTER_MS, self._answer)
        if self._stages:
            self._pressed = True
            self.repaint()
            if event.button() == Qt.MouseButton.RightButton:
                QTimer.singleShot(_AFTER_MS, lambda: self._answer("rgb(30, 30, 200)"))
            else:
                time.sleep(_AFTER_MS / 1000)
                self._answer()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's own name
        """The pressed state: a frame in the middle."""
        super().paintEvent(event)
        if self._pressed:
            with QPainter(self) as painter:
                painter.drawRect(self.rect().center().x() - 60, self.rect().center().y() - 15, 120, 30)

    def _answer(self, colour: str = "rgb(200, 30, 30)") -> None:
        self._pressed = False
        self.setStyleSheet(f"background: {colour}")

    def _tick(self) -> None:
        self._clock.setText(QTime.currentTime().toString("hh:mm:ss.zzz")[:-2])


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    shown = Window(set(sys.argv[1:]))
    shown.show()
    sys.exit(app.exec())
