"""The window of the marks: three crosses to be pressed, and a field to be typed into, for the Test of a target."""

from __future__ import annotations

import os
import time

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from operator_console.practice.event_log import Hit, PracticeLog, Ready, Received, line
from operator_console.practice.mark_readings import ARM, COLOURS, THICK, WINDOW
from operator_console.practice.widgets import STYLE

TITLE = "Target test"
PLACES = ((50, 50), (370, 50), (210, 120))
"""The middle of each mark, in logical pixels."""
_FIRST = 40
"""Characters of the field that are told."""


class MarksWindow(QWidget):
    """The window. It stays above others, so that it can be seen and pressed."""

    def __init__(self, log: PracticeLog) -> None:
        super().__init__()
        self._log = log
        self._down: set[int] = set()
        self._hits = 0
        self._shown = False
        self.setObjectName("window")
        self.setWindowTitle(TITLE)
        self.setStyleSheet(STYLE)
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self.setFixedSize(WINDOW.width, WINDOW.height)
        self.field = QLineEdit(self)
        self.field.setAccessibleName("Test text")
        self.field.setGeometry(20, 190, 260, 36)
        self.field.setFocus()
        # A press changes this alone: not the picture around the marks, by which later presses are checked.
        self._count = QLabel("0 of 3", self)
        self._count.setGeometry(300, 190, 100, 36)
        self.field.textChanged.connect(self._told)
        self.field.installEventFilter(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tell how far the press is from the nearest mark; the field keeps the focus."""
        scale = self.devicePixelRatioF()
        x, y = int(event.position().x() * scale), int(event.position().y() * scale)
        away = [(x - int(left * scale), y - int(top * scale)) for left, top in PLACES]
        mark = min(range(len(away)), key=lambda each: away[each][0] ** 2 + away[each][1] ** 2)
        self._log.write(Hit(mark=mark, dx=away[mark][0], dy=away[mark][1]))
        self._hits += 1
        self._count.setText(f"{self._hits} of 3")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow which keys are down."""
        if isinstance(event, QKeyEvent) and not event.isAutoRepeat():
            if event.type() is QEvent.Type.KeyPress:
                self._down.add(event.nativeScanCode())
            elif event.type() is QEvent.Type.KeyRelease:
                self._down.discard(event.nativeScanCode())
                self._told()
        return super().eventFilter(watched, event)

    def _told(self, _: object = None) -> None:
        text = self.field.text()
        self._log.write(Received(text=text[:_FIRST], length=len(text), held=len(self._down), at_s=time.time()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the marks, in device pixels and without blending."""
        super().paintEvent(event)
        painter = QPainter(self)
        scale = self.devicePixelRatioF()
        painter.scale(1 / scale, 1 / scale)
        for (left, top), colour in zip(PLACES, COLOURS, strict=True):
            x, y, half = int(left * scale), int(top * scale), THICK // 2
            painter.fillRect(QRect(x - ARM, y - half, 2 * ARM + 1, THICK), QColor.fromRgb(colour))
            painter.fillRect(QRect(x - half, y - ARM, THICK, 2 * ARM + 1), QColor.fromRgb(colour))
        painter.end()
        if not self._shown:
            self._shown = True
            QTimer.singleShot(0, self, self._report_shown)

    def _report_shown(self) -> None:
        scale = self.devicePixelRatioF()
        ready = Ready(
            pid=os.getpid(), window_id=int(self.winId()), width=round(self.width() * scale),
            height=round(self.height() * scale), scale=scale,
        )  # fmt: skip
        self._log.write(ready)
        print(line(ready), end="", flush=True)
