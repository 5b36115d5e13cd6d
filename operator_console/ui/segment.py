"""One segment of the autonomy switch: a radio button whose whole face is the button, its text in the middle."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QStyleOptionButton

from operator_console.ui.parts import CENTRED


class Segment(QRadioButton):
    """The segment. `edge`: "first", "last" or "" (its round corners)."""

    def __init__(self, text: str, edge: str, tip: str) -> None:
        super().__init__(text)
        self.setAccessibleName(text)
        self.setProperty("role", "segment")
        self.setProperty("edge", edge)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(self._colour)

    def minimumSizeHint(self) -> QSize:
        """Its text in bold, so that choosing it moves nothing."""
        font = QFont(self.font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        return QSize(metrics.horizontalAdvance(self.text()) + 4, metrics.height() + 14)

    def sizeHint(self) -> QSize:
        """As its least."""
        return self.minimumSizeHint()

    def hitButton(self, pos: object) -> bool:
        """All of it can be clicked."""
        return self.rect().contains(pos)  # type: ignore[call-overload, no-any-return]

    def changeEvent(self, event: QEvent) -> None:
        """Another colour while disabled."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange:
            self._colour()

    def _colour(self) -> None:
        chosen = self.isChecked() and self.isEnabled()
        self.setForegroundRole(QPalette.ColorRole.Link if chosen else QPalette.ColorRole.WindowText)

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """Without its text, which the style would put beside the face."""
        super().initStyleOption(option)
        option.text = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The face, then the text."""
        super().paintEvent(event)
        painter = QPainter(self)  # its pen has the foreground role's colour; setting one loads `QtCore.Qt` (see parts)
        font = QFont(self.font())
        font.setBold(self.isChecked())
        painter.setFont(font)
        painter.drawText(self.rect(), CENTRED, self.text())
        painter.end()
