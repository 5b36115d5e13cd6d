"""A part of the picture, enlarged, over a panel of the window: it covers neither Stop nor the buttons of a question."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import RiskClass
from operator_console.domain.translations import _
from operator_console.ui.theme_colours import OVERLAY_RISK, Tokens
from operator_console.ui.widgets.controls import GRID, CropView, ElidedLabel, button, column
from operator_console.ui.widgets.images import Cropper

TIMES = 2
"""Screen pixels of the enlarged crop for one of the picture, at 100 %."""
LARGEST = QSize(720, 540)


class EnlargedCrop(QFrame):
    """Closed by Esc, its button, a click in it, or another picture.

    Args:
        over: the panel that it stands over.
        room: the part of the panel that it may take, from its left edge; None: all of it. Call `fit` when it changes.

    Signals:
        closed: it is no longer shown (no payload).
    """

    closed = Signal()

    def __init__(self, over: QWidget, room: Callable[[], QSize] | None = None) -> None:
        super().__init__(over)
        self.setProperty("role", "sheet")
        self.setAccessibleName(_("Enlarged picture of the target"))
        self._room = room if room is not None else over.size
        self._point: NativePoint | None = None
        self._crop: Cropper = lambda _point, _size: None
        self._rows = column(self, spacing=GRID, margins=(12, 8, 12, 12))
        head = QHBoxLayout()
        self._title = ElidedLabel(role="strong")
        self.close_button = button(_("Close"), tip=_("Close (Esc)"))
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button)
        self._rows.addLayout(head)
        self._picture = CropView(QSize(1, 1), times=TIMES)
        self._picture.setAccessibleName(_("Enlarged picture of the target"))
        self._rows.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        self.close_button.clicked.connect(self.shut)
        over.installEventFilter(self)
        self.hide()

    def show_place(
        self,
        point: NativePoint,
        risk: RiskClass | None,
        crop: Cropper,
        tokens: Tokens,
    ) -> None:
        """Show the surroundings of a point of the picture."""
        self._point, self._crop = point, crop
        self._title.set_whole(_("Around {x}, {y} · {times} times").format(x=point.x, y=point.y, times=TIMES))
        self._picture.set_colours(tokens.line_strong, tokens.stage, OVERLAY_RISK[risk])
        self._fit()
        self.show()
        self.raise_()
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def shut(self) -> None:
        """Close it."""
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.shut()
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click closes it, and does not reach what is under it."""
        event.accept()
        self.shut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay in the middle."""
        super().resizeEvent(event)
        self._centre()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the panel."""
        if event.type() is QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        """Take the size for which there is room now."""
        if not self.isHidden():
            self._fit()

    def _fit(self) -> None:
        around = QSize(2 * 12 + 16, 8 + 12 + GRID + self.close_button.sizeHint().height() + 16)
        size = (self._room() - around).boundedTo(LARGEST).expandedTo(QSize(64, 48))
        self._picture.setFixedSize(size)
        if self._point is not None:
            self._picture.show_image(self._crop(self._point, self._picture.wanted()))
        self._rows.activate()
        self.resize(self._rows.sizeHint())
        self._centre()

    def _centre(self) -> None:
        room = self._room()
        self.move((room.width() - self.width()) // 2, max(0, (room.height() - self.height()) // 2))
