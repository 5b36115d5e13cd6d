"""The main menu: its entries, when each is available, and its button. Qt's menu is imported when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from operator_console.domain.translations import _
from operator_console.ui.widgets.qt_accessibility import close_when_run
from operator_console.ui.window_shortcuts import SHORTCUTS, ShortcutAction

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuEntry:
    """An entry.

    Attributes:
        keys: the shortcut that does the same.
        idle_only: not while a session runs.
        why_not: why it is not available now, "" if it is; None: it is not offered now.
    """

    text: str
    run: Callable[[], object]
    keys: ShortcutAction | None = None
    idle_only: bool = False
    why_not: Callable[[], str | None] = lambda: ""


class MainMenu(QObject):
    """Opens below its button.

    Args:
        button: opens it.
        groups: the entries, with a line between the groups.
        busy: whether a session runs.
    """

    def __init__(
        self, button: QPushButton, groups: tuple[tuple[MenuEntry, ...], ...], busy: Callable[[], bool]
    ) -> None:
        super().__init__(button)
        self._button, self._groups, self._busy = button, groups, busy
        self._actions: list[tuple[QAction, MenuEntry]] = []
        self.menu: QMenu | None = None
        button.clicked.connect(self.open)

    def open(self) -> None:
        """Show the menu, with what is available now."""
        menu = self.menu or self._build()
        busy = self._busy()
        for action, entry in self._actions:
            why_not = _("Not while a session runs") if busy and entry.idle_only else entry.why_not()
            action.setVisible(why_not is not None)
            action.setEnabled(not why_not)
            action.setToolTip(why_not or "")
        menu.popup(self._button.mapToGlobal(self._button.rect().bottomLeft()))
        if not self._button.underMouse():  # opened by keyboard or by a reader, which goes on from an entry
            menu.setActiveAction(
                next(action for action, _ in self._actions if action.isEnabled() and action.isVisible())
            )

    def _build(self) -> QMenu:
        from PySide6.QtGui import QKeySequence
        from PySide6.QtWidgets import QMenu

        self.menu = menu = QMenu(self._button)
        menu.setAccessibleName(_("Menu"))
        menu.setToolTipsVisible(True)
        for place, group in enumerate(self._groups):
            if place:
                menu.addSeparator()
            for entry in group:
                action = menu.addAction(entry.text)
                if entry.keys is not None:
                    # Only shown: in a menu that is no button's or menu bar's, Qt does not obey it. The window's own
                    # shortcuts run the same, also before the menu exists.
                    action.setShortcut(QKeySequence(SHORTCUTS[entry.keys]))
                action.triggered.connect(self._triggered)
                self._actions.append((action, entry))
        close_when_run(menu)
        return menu

    def _triggered(self) -> None:
        entry = next((entry for action, entry in self._actions if action is self.sender()), None)
        if entry is not None:
            entry.run()
