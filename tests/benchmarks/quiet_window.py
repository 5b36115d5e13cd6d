"""A window that is never quite still: a caret, a clock, a spinner, buttons that look hovered and pressed."""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QLineEdit, QListWidget, QPushButton, QWidget

TITLE = "Quiet steps"
SIZE = (640, 480)
COLUMNS, ROWS = 4, 3
_STYLE = """
QPushButton { background: #3070c0; color: white; border: 1px solid #204060; border-radius: 4px; padding: 10px; }
QPushButton:hover { background: #4684d2; } QPushButton:pressed { background: #255a9c; }
"""


class Spinner(QWidget):
    """An arc that turns."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(40, 40)
        self._turned = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)
        self._timer.start(40)

    def _turn(self) -> None:
        self._turned = (self._turned + 15) % 360
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt names it
        painter = QPainter(self)
        painter.setPen(QPen(QColor("#d03030"), 4))
        painter.drawArc(QRectF(6, 6, 28, 28), -self._turned * 16, 200 * 16)


def main() -> int:
    """Show it until it is closed."""
    app = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle(TITLE)
    window.setFixedSize(*SIZE)
    window.setStyleSheet(_STYLE)
    layout = QGridLayout(window)
    field, clock, rows = QLineEdit("text with a caret"), QLabel(), QListWidget()
    rows.addItems([f"Row {number} of a list" for number in range(8)])
    layout.addWidget(field, 0, 0, 1, 2)
    layout.addWidget(clock, 0, 2)
    layout.addWidget(Spinner(), 0, 3)
    for number in range(COLUMNS * ROWS):
        layout.addWidget(QPushButton(f"Button {number}"), 1 + number // COLUMNS, number % COLUMNS)
    layout.addWidget(rows, ROWS + 1, 0, 1, COLUMNS)
    timer = QTimer(window)
    timer.timeout.connect(lambda: clock.setText(time.strftime("%H:%M:%S") + f".{int(time.time() * 10) % 10}"))
    timer.start(100)
    window.show()
    field.setFocus()
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
