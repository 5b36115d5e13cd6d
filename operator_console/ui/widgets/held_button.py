"""A button for what costs a deliberate second: it acts once it was held down for that long.

Released early, left by the pointer, or disabled meanwhile, it does nothing. No key presses it, so that no key repeat
counts. A screen reader, which can press but not hold, starts the same second; pressed again, it takes that back.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent

from operator_console.ui.widgets.controls import GuardedButton

HOLD_S = 1.0
_STEP_MS = 16
_RADIUS = 6.0


class HeldButton(GuardedButton):
    """Emits `held` once it was held for `HOLD_S`; the part that has passed fills it from the left.

    Signals:
        held: no payload.
        progress_changed: the hold began or ended (no payload).
    """

    held = Signal()
    progress_changed = Signal()

    def __init__(
        self, text: str, fill: str, *, name: str = "", monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(text, name=name)
        self._monotonic = monotonic
        self._fill = QColor(fill)
        self._since: float | None = None
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._step)
        self.clicked.connect(self._pressed_by_reader)

    @property
    def progress(self) -> float:
        """The part of the second that has passed, 0 to 1; 0 while it is not held."""
        return 0.0 if self._since is None else min(1.0, (self._monotonic() - self._since) / HOLD_S)

    @property
    def holding(self) -> bool:
        """Whether it is held now."""
        return self._since is not None

    def release_hold(self) -> None:
        """Take back what has passed of the second."""
        if self._since is None:
            return
        self._since = None
        self._timer.stop()
        self.setDown(False)
        self.update()
        self.progress_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin the second."""
        event.accept()
        if event.button() is Qt.MouseButton.LeftButton and self.hitButton(event.position().toPoint()):
            self._hold()
        else:
            self.release_hold()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Take it back where the pointer leaves the button."""
        event.accept()
        if not self.hitButton(event.position().toPoint()):
            self.release_hold()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take it back: released early."""
        event.accept()
        self.release_hold()

    def changeEvent(self, event: QEvent) -> None:
        """Take it back where the button is disabled."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange and not self.isEnabled():
            self.release_hold()

    def hideEvent(self, event: QHideEvent) -> None:
        """Take it back where the button is hidden."""
        super().hideEvent(event)
        self.release_hold()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, and over it the part of the second that has passed."""
        super().paintEvent(event)
        progress = self.progress
        if not progress:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS - 1, _RADIUS - 1)
        painter.setClipPath(outline)
        tint = QColor(self._fill)
        tint.setAlphaF(0.28)
        passed = self.width() * progress
        painter.fillRect(QRectF(0, 0, passed, self.height()), tint)
        painter.fillRect(QRectF(0, self.height() - 4, passed, 4), self._fill)
        painter.end()

    def _hold(self) -> None:
        self._since = self._monotonic()
        self._timer.start()
        self.setDown(True)
        self.progress_changed.emit()

    def _step(self) -> None:
        self.update()
        if self.progress >= 1.0:
            self.release_hold()
            self.held.emit()

    def _pressed_by_reader(self) -> None:
        """The pointer never gets here: its press and release are handled above."""
        if self._since is not None:
            self.release_hold()
        elif self.isVisible():
            self._hold()
