"""A Qt window of its own process that turns another colour when it is pressed: `answering_window.py DELAY_MS`.

With 0 the new colour is there with the press; else it comes so much later, by a timer that nothing announces. Started
by steps.py.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

TITLE = "Answering"
LABEL = "Press here"
SIZE = (400, 300)
COLOURS = ((236, 240, 244), (252, 226, 170))
"""In turn, one press each; light, so that the label can be read."""


class Window(QWidget):
    """All of it is the button."""

    def __init__(self, delay_ms: int) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        self.setFixedSize(*SIZE)
        self._delay_ms = delay_ms
        self._presses = 0

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  Qt's own name
        """The answer, now or later."""
        if self._delay_ms:
            QTimer.singleShot(self._delay_ms, self._answer)
        else:
            self._answer()

    def _answer(self) -> None:
        self._presses += 1
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The colour, and what the label says."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(*COLOURS[self._presses % 2]))
        font = painter.font()
        font.setPixelSize(24)
        painter.setFont(font)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, LABEL)
        painter.end()


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    shown = Window(int(sys.argv[1]))
    shown.show()
    sys.exit(app.exec())
