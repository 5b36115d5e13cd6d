"""Sizes of windows: fixed parts of the main one, the largest that fits the screen, and what a person gave one last."""

from __future__ import annotations

from collections.abc import MutableMapping

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QWidget

from operator_console.ui.window_place import Part

SIDE_WIDTH, HEADER_HEIGHT, STATUS_HEIGHT = 360, 48, 32
"""Of the main window: width of the right column, heights of the header and the status line, in logical pixels."""
_FRAME = QSize(16, 48)
"""Upper estimate of a window manager's borders and title bar, in logical pixels."""


def largest_window(window: QWidget) -> QSize:
    """The largest size for a window on its screen, with the window manager's frame around it."""
    return window.screen().availableSize() - _FRAME


class WindowSize(QObject):
    """Sizes a window that is not shown yet, and keeps the size that a person gives it, when it is hidden or closed.

    Args:
        chosen: where width and height are kept, in logical pixels, under `parts`.
        usual: the size where none was chosen. No size is larger than the screen.
    """

    def __init__(
        self, window: QWidget, chosen: MutableMapping[Part, int], parts: tuple[Part, Part], usual: QSize
    ) -> None:
        super().__init__(window)
        self._window, self._chosen, self._parts = window, chosen, parts
        width, height = parts
        wanted = QSize(chosen.get(width, usual.width()), chosen.get(height, usual.height()))
        window.resize(wanted.boundedTo(largest_window(window)))
        self._given = window.size()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the size of the window that goes, unless it is the one that it was given."""
        if event.type() is QEvent.Type.Hide and watched is self._window:
            size = self._window.size()
            if size != self._given and not self._window.isMaximized():
                self._chosen.update(zip(self._parts, (size.width(), size.height()), strict=True))
        return super().eventFilter(watched, event)
