"""The window during startup: the task can be typed while everything else loads.

Its imports delay the first paint, so a test limits them. `Console` takes the window over with the text typed so far.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from operator_console.ui.theme_choice import DEFAULT_LOOK, Look
from operator_console.ui.theme_colours import Theme
from operator_console.ui.widgets.menu_accessibility import describe_open_menus
from operator_console.ui.widgets.scroll_area_accessibility import describe_scrolled_areas
from operator_console.ui.window import MainWindow
from operator_console.ui.window_place import NO_PLACE, WindowPlace


class StartupWindow(QObject):
    """The window and its theme.

    Signals:
        handed_over: another object closes the window from now on (no payload).
        closed: `close` was called, also after that, until signals of the system go to the console (no payload).
    """

    handed_over = Signal()
    closed = Signal()

    def __init__(self, app: QApplication, look: Look = DEFAULT_LOOK, place: WindowPlace = NO_PLACE) -> None:
        """`place`: from `MainWindow.place` of the last start."""
        super().__init__()
        describe_scrolled_areas()
        describe_open_menus()
        self.theme = Theme(app, look)
        self.window = MainWindow()
        self.theme.style_widgets()
        self.window.restore(place)
        self.closing = False
        self.window.close_wanted.connect(self.close)

    def show(self) -> None:
        """Show it with the focus in the task."""
        self.window.show()
        self.window.setup.task.setFocus()

    def close(self) -> None:
        """Hide the window at once; the startup code ends the program in order."""
        self.closing = True
        self.window.hide()
        self.closed.emit()

    def look(self) -> None:
        """No-op, so that Python can run signal handlers."""

    def hand_over(self) -> None:
        """Another object handles closing from now on."""
        self.window.close_wanted.disconnect(self.close)
        self.handed_over.emit()
