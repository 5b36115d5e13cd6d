"""The recent tasks: a menu at the task field, made when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.panels.setup_column import SetupColumn
from operator_console.ui.view.words import task_line
from operator_console.ui.widgets.qt_accessibility import close_when_run

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

REMEMBER_START = "remember start"
LINE = 60
"""Characters of a task in the menu."""


class RecentTasks(QObject):
    """Remembers the tasks that were started, and offers them again."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, setup: SetupColumn) -> None:
        super().__init__()
        self._backend, self._bridge, self._setup = backend, bridge, setup
        self.menu: QMenu | None = None
        setup.recent.clicked.connect(self.open)
        setup.recent.setVisible(bool(backend.recent_tasks))

    def started(self, task: str) -> None:
        """A session with this task, and the set-up that is shown, began."""
        self._bridge.run(REMEMBER_START, self._backend.remember_start(task, self._setup.remembered))
        self._setup.recent.show()

    def open(self) -> None:
        """Show the menu."""
        from PySide6.QtWidgets import QMenu

        button = self._setup.recent
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = QMenu(button)
        self.menu.setToolTipsVisible(True)
        close_when_run(self.menu)
        for task in self._backend.recent_tasks:
            action = self.menu.addAction(task_line(task, LINE).replace("&", "&&"))
            action.setToolTip(task_line(task, 400))
            action.setData(task)
            action.triggered.connect(self._chosen)
        self.menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _chosen(self) -> None:
        from PySide6.QtGui import QAction

        action = self.sender()
        assert isinstance(action, QAction)
        self._setup.write_task(str(action.data()))
        self._setup.task.setFocus()
