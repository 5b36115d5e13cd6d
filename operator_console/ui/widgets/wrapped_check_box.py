"""A check box whose text goes on in further lines where its place is narrow; Qt's own has one line, and cuts it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent, QTextLayout
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter


class WrappedCheckBox(QCheckBox):
    """Its box stands beside the first line."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAccessibleName(text)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the box and the longest word."""
        longest = max(map(self.fontMetrics().horizontalAdvance, self.text().split()), default=0)
        whole = self.sizeHint()
        return QSize(min(whole.width(), self._beside() + longest + 2), whole.height())

    def hasHeightForWidth(self) -> bool:
        """Its height depends on its width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of its lines at this width, in logical pixels."""
        return self.sizeHint().height() + self._more(len(self._lines(width)))

    def hitButton(self, pos: QPoint) -> bool:
        """Each line can be pressed."""
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it in its style, with the lines that fit its width."""
        lines = self._lines(self.width())
        if len(lines) < 2:
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option)
        option.text = "\n".join(lines)
        place = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        whole, option.rect = QRect(option.rect), place
        painter.drawControl(QStyle.ControlElement.CE_CheckBoxLabel, option)
        option.rect = whole.adjusted(0, 0, 0, -self._more(len(lines)))
        option.text = ""
        option.state &= ~QStyle.StateFlag.State_HasFocus  # its frame surrounds all lines
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        painter.end()

    def _beside(self) -> int:
        """The width of all but the text."""
        return self.sizeHint().width() - self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()

    def _more(self, lines: int) -> int:
        """The height of the lines below the first."""
        return (lines - 1) * self.fontMetrics().lineSpacing()

    def _lines(self, width: int) -> list[str]:
        text, layout = self.text(), QTextLayout(self.text(), self.font())
        layout.beginLayout()
        made: list[str] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width - self._beside()))
            made.append(text[line.textStart() : line.textStart() + line.textLength()].strip())
        layout.endLayout()
        return made
