"""A scroll area that is as high as its contents where there is room, and scrolls where there is not."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

LEAST_LINES = 3


def scroll_bar(*, needed: bool) -> Qt.ScrollBarPolicy:
    """The policy of a scroll bar beside wrapped text whose height is known.

    Left to itself, a bar that was there while the text changed stays: it narrows the text, which then needs the bar.
    """
    return Qt.ScrollBarPolicy.ScrollBarAsNeeded if needed else Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class FittingScrollArea(QScrollArea):
    """Scrolls vertically only.

    Args:
        contents: what it shows; has a layout.
        least_lines: how many lines it shows at least.
    """

    def __init__(self, contents: QWidget, *, least_lines: int = LEAST_LINES) -> None:
        super().__init__()
        self._least_lines = least_lines
        self._contents = contents
        contents.setProperty("role", "plain")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setWidget(contents)

    def sizeHint(self) -> QSize:
        """The height of the contents at the present width."""
        layout = self._contents.layout()
        width = self.viewport().width()
        return QSize(width, layout.totalHeightForWidth(width) if layout is not None else 0)

    def minimumSizeHint(self) -> QSize:
        """A few lines, or less where the contents are less."""
        return QSize(0, min(self.sizeHint().height(), self._least_lines * self.fontMetrics().lineSpacing()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """At another width the contents need another height."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """Take the new height when the contents change."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)
