"""Shows what nobody asked for just now, without taking the keyboard from the application that a person types into.

Many window managers give the focus to every new window, whatever it says about itself, but to none that accepts no
focus. Qt activates each modal window once it is on the screen, whatever its attributes say.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QDialog, QWidget

_QT_IS_LATE_MS = 400
_LOOK_MS = 100


def show_without_focus(window: QWidget, show: Callable[[], None]) -> None:
    """Show a window in front of the others and ask for attention. A click, or the taskbar, gives it the keyboard.

    Args:
        window: not on the screen, and not modal.
        show: shows it.
    """
    window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
    window.winId()  # creates what the next lines change
    window.windowHandle().setFlag(Qt.WindowType.WindowDoesNotAcceptFocus)
    window.windowHandle().installEventFilter(_FocusOnceShown(window))
    show()
    window.raise_()
    QApplication.alert(window)


def open_modal(dialog: QDialog, *, takes_focus: bool, typing: Callable[[], bool] = bool) -> None:
    """Open a modal dialog.

    Args:
        dialog: not on the screen.
        takes_focus: whether a window of the console has the focus. If not, the dialog leaves it where it is, and is
            modal only once another window of the console gets it.
        typing: whether somebody is typing into that window of the console. While that is so, the dialog leaves it the
            focus and is not modal.
    """
    if takes_focus and typing():
        dialog.setWindowModality(Qt.WindowModality.NonModal)
        _ModalOnceQuiet(dialog, typing)
        show_without_focus(dialog, dialog.show)
    elif takes_focus:
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.open()
        dialog.raise_()
        dialog.activateWindow()
    else:
        dialog.setWindowModality(Qt.WindowModality.NonModal)
        _ModalOnceConsoleHasFocus(dialog)
        show_without_focus(dialog, dialog.show)


class _FocusOnceShown(QObject):
    """Lets a window accept the focus from its first picture on: the window manager has decided about it by then."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Only listens."""
        if event.type() is QEvent.Type.Expose and self._window.windowHandle().isExposed():
            watched.removeEventFilter(self)
            _accept_focus(self._window)
        return False


def _accept_focus(window: QWidget) -> None:
    window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)
    window.windowHandle().setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, False)


class _ModalOnceConsoleHasFocus(QObject):
    """Opens a dialog again, modal, when another window of the console gets the focus. Lives with the dialog."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.focusWindowChanged.connect(self._focus_changed)
        # Qt learns of a loss of the focus late, and of none at all where the focus is back by then.
        self._late = QTimer(self, singleShot=True, interval=_QT_IS_LATE_MS)
        self._late.timeout.connect(self._look)
        self._late.start()

    def _look(self) -> None:
        self._focus_changed(QGuiApplication.focusWindow())

    def _focus_changed(self, window: QWindow | None) -> None:
        dialog = self._dialog
        if window is None or window is dialog.windowHandle() or not dialog.isVisible():
            return
        self.deleteLater()
        _open_again(dialog)


class _ModalOnceQuiet(QObject):
    """Opens a dialog again, modal, when nobody is typing any more. Lives with the dialog."""

    def __init__(self, dialog: QDialog, typing: Callable[[], bool]) -> None:
        super().__init__(dialog)
        self._dialog, self._typing = dialog, typing
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        if self._typing() or not self._dialog.isVisible():
            return
        self._timer.stop()
        self.deleteLater()
        if QGuiApplication.focusWindow() in (None, self._dialog.windowHandle()):
            # Another application has the keyboard by now, or the dialog has it by a click.
            _ModalOnceConsoleHasFocus(self._dialog)
        else:
            _open_again(self._dialog)


def _open_again(dialog: QDialog) -> None:
    place = dialog.pos()
    dialog.hide()  # a window becomes modal when it is shown
    _accept_focus(dialog)  # it may not have been on the screen yet
    dialog.move(place)
    open_modal(dialog, takes_focus=True)
