"""An icon in the desktop's panel, where it has a place for one: the state, Stop, and the window. Never the only way.

It is made when the first session begins, so that it does not delay the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from operator_console.domain.translations import _
from operator_console.resource_files import resource_path
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.view.state_words import pill_words

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu, QSystemTrayIcon


class Tray(QObject):
    """Follows the session.

    Signals:
        stop_pressed, open_pressed: no payload.
    """

    stop_pressed = Signal()
    open_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tried = False
        self.icon: QSystemTrayIcon | None = None
        self.menu: QMenu | None = None

    def show_view(self, view: SessionView) -> None:
        """Show the state; makes the icon once a session runs."""
        if not self._tried and view.phase.active:
            self._tried = True
            self._make()
        if self.icon is not None:
            self.icon.setToolTip(_("Operator console: {words}").format(words=pill_words(view)[0]))

    def close(self) -> None:
        """Take the icon away."""
        if self.icon is not None:
            self.icon.hide()
            self.icon.deleteLater()
        if self.menu is not None:
            self.menu.deleteLater()
        self.icon = self.menu = None

    def _make(self) -> None:
        from PySide6.QtGui import QIcon
        from PySide6.QtWidgets import QMenu, QSystemTrayIcon

        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        self.menu = QMenu()
        self.menu.addAction(_("Show the window")).triggered.connect(self.open_pressed)
        self.menu.addAction(_("Stop")).triggered.connect(self.stop_pressed)
        self.icon = QSystemTrayIcon(QIcon(str(resource_path("icons", "console.svg"))))
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        self.icon.show()

    def _activated(self, reason: object) -> None:
        from PySide6.QtWidgets import QSystemTrayIcon

        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.open_pressed.emit()
