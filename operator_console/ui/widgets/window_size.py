"""Sizes of windows: fixed parts of the main one, the largest that fits the screen, and what a person gave one last."""

from __future__ import annotations

from collections.abc import MutableMapping

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QWidget

from operator_console.ui.window_place import Part

SIDE_WIDTH, STATUS_HEIGHT = 360, 32
"""Of the main window: least width of the right column, height of the status line, in logical pixels."""
_HEADER_HEIGHT, _HEADER_GROWTH = 48, 0.3
_SIDE_SHARE, _SIDE_WIDEST, _SETUP_SHARE, _SETUP_WIDEST = 0.19, 480, 0.14, 352
"""Of the window's width, for the two columns, and their widest in logical pixels; in a narrower window they are as wide
as they must be."""
_FRAME = QSize(16, 48)
"""Upper estimate of a window manager's borders and title bar, in logical pixels."""


def header_height() -> int:
    """Of the main window's top line, in logical pixels, for the present text size."""
    from operator_console.ui.widgets.controls import wide  # slow to import, and the window comes first

    return wide(_HEADER_HEIGHT, _HEADER_GROWTH)


def side_width(window_width: int) -> int:
    """The usual width of the right column, in logical pixels; with a width of 0 its least."""
    from operator_console.ui.widgets.controls import wide

    return max(wide(SIDE_WIDTH), min(round(window_width * _SIDE_SHARE), wide(_SIDE_WIDEST)))


def setup_width(window_width: int, least: int) -> int:
    """The width of the set-up column, in logical pixels, where it needs `least`."""
    from operator_console.ui.widgets.controls import wide

    return max(least, min(round(window_width * _SETUP_SHARE), wide(_SETUP_WIDEST)))


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
