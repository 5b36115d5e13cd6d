"""What is chosen about the isolated desktop before its session: the programs that are started with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPlainTextEdit, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import button, column, label, wide

KIND = "virtual"
"""The value of the isolated desktop's `TargetKind`."""
_HEIGHT = 66


class ProgramChoice(QWidget):
    """Shown while an isolated desktop is the chosen target that a session starts.

    Attributes:
        lacking: None: nothing has to be set here first.

    Signals:
        add_pressed: the installed applications should be offered (no payload).
    """

    add_pressed = Signal()
    lacking: tuple[QWidget, str] | None = None

    def __init__(self) -> None:
        super().__init__()
        rows = column(self, spacing=4)
        self.field = QPlainTextEdit()
        self.field.setAccessibleName(_("Programs to start"))
        self.field.setPlaceholderText(_("One a line, as Mousepad or xterm. May be empty."))
        self.field.setToolTip(_("By the name that menus show, or that of a program. Kept in the settings at Start."))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(wide(_HEIGHT, 1.0))
        head = QHBoxLayout()
        heading = label(_("Programs to start"))
        heading.setBuddy(self.field)
        head.addWidget(heading)
        head.addStretch(1)
        self.add = button(
            _("Add…"), "link", name=_("Add a program"), tip=_("Choose one of the applications that are installed here")
        )
        head.addWidget(self.add)
        rows.addLayout(head)
        rows.addWidget(self.field)
        self.menu: QMenu | None = None
        self.add.clicked.connect(self.add_pressed)

    def show_programs(self, names: Sequence[str]) -> None:
        """Show these as chosen."""
        self.field.setPlainText("\n".join(names))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names, each once."""
        lines = (line.strip() for line in self.field.toPlainText().splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))

    def offer(self, names: Sequence[str]) -> None:
        """Open a menu of applications; the chosen one is added."""
        self.menu = menu = QMenu(self)
        for name in names:
            menu.addAction(name.replace("&", "&&")).setData(name)
        if not names:
            menu.addAction(_("No application was found")).setEnabled(False)
        menu.triggered.connect(self._chose)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def _chose(self, action: QAction) -> None:
        name = str(action.data())
        self.show_programs(tuple(dict.fromkeys((*self.chosen, name))))
