"""One segment of the autonomy switch: a radio button whose whole face is the button, its text in the middle."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QStyle, QStyleOptionButton


class Segment(QRadioButton):
    """The segment. `edge`: "first", "last" or "" (its round corners)."""

    def __init__(self, text: str, edge: str, tip: str) -> None:
        super().__init__(text)
        self.setAccessibleName(text)
        self.setProperty("role", "segment")
        self.setProperty("edge", edge)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

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

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The face, then the text."""
        painter = QPainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        self.style().drawControl(QStyle.ControlElement.CE_RadioButton, option, painter, self)
        role = QPalette.ColorRole.Link if self.isChecked() and self.isEnabled() else QPalette.ColorRole.WindowText
        painter.setPen(self.palette().color(role))
        font = QFont(self.font())
        font.setBold(self.isChecked())
        painter.setFont(font)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()
