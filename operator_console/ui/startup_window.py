"""The window as it is there first: in its scheme, the task can be written, everything else is getting ready.

What it imports is what the user waits for (a test holds it to that). `Console` takes it over, with what was written.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from operator_console.ui.scheme import ThemeChoice
from operator_console.ui.theme import Theme
from operator_console.ui.widgets.scroll_area_accessibility import describe_scrolled_areas
from operator_console.ui.window import MainWindow


class StartupWindow(QObject):
    """The window and its scheme.

    Signals:
        handed_over: somebody else sees to the window's end now (no payload).
    """

    handed_over = Signal()

    def __init__(self, app: QApplication, scheme: str = "") -> None:
        """`scheme`: a ThemeChoice's word; anything else is as the system has it."""
        super().__init__()
        describe_scrolled_areas()
        known = scheme in {choice.value for choice in ThemeChoice}
        self.theme = Theme(app, ThemeChoice(scheme) if known else ThemeChoice.SYSTEM)
        self.window = MainWindow()
        self.closing = False
        self.window.close_wanted.connect(self.close)

    def show(self) -> None:
        """Show it, ready to be written in."""
        self.window.show()
        self.window.setup.task.setFocus()

    def close(self) -> None:
        """Closed before there was anything behind it: out of sight at once, ended in order."""
        self.closing = True
        self.window.hide()

    def look(self) -> None:
        """Nothing: a moment in which Python hands on the signals that came."""

    def hand_over(self) -> None:
        """From here on somebody else hears that it is to be closed."""
        self.window.close_wanted.disconnect(self.close)
        self.handed_over.emit()
