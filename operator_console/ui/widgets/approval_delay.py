"""The delay of one second before an approval is accepted.

`open` tells whether an approval is accepted now. Any disturbance (another window in front, loss of focus, a move, a
resize, other content) restarts the delay.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

SHOWN_S = 1.0
LOOK_MS = 50


class ApprovalDelay(QObject):
    """Counts the time that something was shown undisturbed.

    Args:
        fit: whether it is shown as it must be; called during the delay and again by `check`.

    Signals:
        changed: the delay ended, began again or became shorter (no payload).
    """

    changed = Signal()

    def __init__(
        self, fit: Callable[[], bool], parent: QObject | None = None, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._fit = fit
        self._monotonic = monotonic
        self._since: float | None = None
        self._open = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def open(self) -> bool:
        """Whether an approval is accepted."""
        return self._open

    @property
    def left_s(self) -> float:
        """The rest of the delay, if nothing disturbs it; 0 when a yes counts."""
        if self._open:
            return 0.0
        return SHOWN_S if self._since is None else max(0.0, SHOWN_S - (self._monotonic() - self._since))

    def begin(self) -> None:
        """Something (else) is shown: begin the delay."""
        self._since, self._open = None, False
        self._timer.start()
        self._look()

    def end(self) -> None:
        """Close the gate: nothing is shown."""
        self._timer.stop()
        self._since, self._open = None, False
        self.changed.emit()

    def disturb(self) -> None:
        """Begin again, unless nothing is shown."""
        if self._timer.isActive() or self._open:
            self.begin()

    def check(self) -> bool:
        """Whether an approval is accepted now: the delay has passed and the content is still shown as required."""
        if self._open and not self._fit():
            self.begin()
        return self._open

    def _look(self) -> None:
        fit = self._fit()
        now = self._monotonic()
        if not fit:
            self._since, self._open = None, False
        elif self._since is None:
            self._since = now
        elif not self._open and now - self._since >= SHOWN_S:
            self._open = True
        self.changed.emit()
