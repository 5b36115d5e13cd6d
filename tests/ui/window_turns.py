"""The longest turn of Qt's loop."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer


class Turns(QObject):
    """The longest turn so far, in processor time of the loop's thread and as it passed for people.

    Processor time is what a test can hold: elapsed time contains what other processes take.
    """

    def __init__(self) -> None:
        super().__init__()
        self.worst_s = self.worst_elapsed_s = 0.0
        self._ran_s, self._now_s = time.thread_time(), time.monotonic()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)
        self._timer.start(0)

    def _turn(self) -> None:
        ran_s, now_s = time.thread_time(), time.monotonic()
        self.worst_s = max(self.worst_s, ran_s - self._ran_s)
        self.worst_elapsed_s = max(self.worst_elapsed_s, now_s - self._now_s)
        self._ran_s, self._now_s = ran_s, now_s

    def forget(self) -> None:
        """Count from here."""
        self.worst_s = self.worst_elapsed_s = 0.0
        self._ran_s, self._now_s = time.thread_time(), time.monotonic()
