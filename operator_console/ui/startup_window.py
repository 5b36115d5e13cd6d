"""The window during startup: the task can be typed, and Start pressed for the set-up of the last session, while
everything else loads.

Its imports delay the first paint, so a test limits them. `Console` takes the window over with the text typed so far,
and begins the session that Start was pressed for.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from operator_console.ui.theme_choice import DEFAULT_LOOK, Look
from operator_console.ui.theme_colours import Theme
from operator_console.ui.widgets.qt_accessibility import mend_accessibility
from operator_console.ui.window import MainWindow
from operator_console.ui.window_place import NO_PLACE, RememberedSetup, WindowPlace


class StartupWindow(QObject):
    """The window and its theme.

    Attributes:
        awaited: the set-up that was shown when Start was pressed; None while it is not pressed.

    Signals:
        writable: the set-up column is there, and the task can be written (no payload).
        handed_over: another object closes the window from now on (no payload).
        closed: `close` was called, also after that, until signals of the system go to the console (no payload).
    """

    writable = Signal()
    handed_over = Signal()
    closed = Signal()

    def __init__(
        self,
        app: QApplication,
        look: Look = DEFAULT_LOOK,
        place: WindowPlace = NO_PLACE,
        setup: RememberedSetup | None = None,
    ) -> None:
        """`place` and `setup`: of the last start and session; Start can be pressed early only for a known set-up."""
        super().__init__()
        self._setup = setup
        self.awaited: RememberedSetup | None = None
        mend_accessibility()
        self.theme = Theme(app, look)
        self.window = MainWindow()
        self.window.restore(place)
        self.closing = self._made = False
        self.window.close_wanted.connect(self.close)

    def show(self) -> None:
        """Show the window, with the set-up column once its first picture is painted."""
        self.window.drawn.connect(self.make_setup)
        self.window.show()

    def make_setup(self) -> None:
        """Create the set-up column, with the focus in the task, if it is not there yet."""
        if self._made:
            return
        self._made = True
        self.theme.size_text()
        self.window.make_setup()
        self.theme.style_widgets()
        if self._setup is not None:
            self.window.setup.show_remembered(self._setup)
            self.window.setup.start_pressed.connect(self._start_pressed)
            self.window.early_key.connect(self._key_pressed)
        self.writable.emit()

    def _start_pressed(self) -> None:
        if self.awaited is not None and self.window.setup.double_pressed:
            return
        self.awaited = self._setup if self.awaited is None else None
        self.window.setup.show_starting(self.awaited is not None)

    def _key_pressed(self, keys: object) -> None:
        """The key for Start presses it; as later, it cancels no start."""
        from operator_console.ui.window_shortcuts import SHORTCUTS, ShortcutAction  # slow to import: with `QtCore.Qt`

        if keys == SHORTCUTS[ShortcutAction.START] and self.awaited is None:
            self._start_pressed()

    def close(self) -> None:
        """Hide the window at once; the startup code ends the program in order."""
        self.closing = True
        self.window.hide()
        self.closed.emit()

    def look(self) -> None:
        """No-op, so that Python can run signal handlers."""

    def hand_over(self) -> None:
        """Another object handles closing, and Start, from now on."""
        self.make_setup()
        self.window.close_wanted.disconnect(self.close)
        if self._setup is not None:
            self.window.setup.start_pressed.disconnect(self._start_pressed)
            self.window.early_key.disconnect(self._key_pressed)
        self.handed_over.emit()
