"""What can be set and done about one machine before, between and after sessions: its settings and its snapshot."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import button, column, enable


class MachineActs(QWidget):
    """Shown while a machine is the chosen target.

    Signals:
        settings_pressed, take_pressed, go_back_pressed: no payload.
    """

    settings_pressed = Signal()
    take_pressed = Signal()
    go_back_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        rows = column(self, spacing=4)
        head = QHBoxLayout()
        head.setContentsMargins(-6, 0, 0, 0)  # the link's padding: its text stands below the field
        self.settings = button(
            _("Machine settings…"), "link", tip=_("Keyboard layout, clipboard and monitor of this machine")
        )
        head.addWidget(self.settings)
        head.addStretch(1)
        rows.addLayout(head)
        self.take, self.go_back = button(_("Take snapshot")), button(_("Go back to snapshot"))
        for each in (self.take, self.go_back):
            each.hide()
            rows.addWidget(each)
        self.settings.clicked.connect(self._settings_clicked)
        self.take.clicked.connect(self._take_clicked)
        self.go_back.clicked.connect(self._go_back_clicked)

    def show_machine(self, why_not: str | None) -> None:
        """Show why it takes no snapshot now, "" if it does; None: it takes none at all."""
        for each, tip in (
            (self.take, _("Keep the state of the machine, memory and disks. It replaces the one taken before.")),
            (self.go_back, _("Set the machine back to the snapshot. You are asked first.")),
        ):
            each.setVisible(why_not is not None)
            enable(each, why_not or "", tip=tip)

    def _settings_clicked(self) -> None:
        self.settings_pressed.emit()

    def _take_clicked(self) -> None:
        self.take_pressed.emit()

    def _go_back_clicked(self) -> None:
        self.go_back_pressed.emit()
