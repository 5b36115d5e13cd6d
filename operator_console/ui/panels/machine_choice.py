"""What is chosen about a VNC machine before its session, its address, and what can be done about one: its settings and
its snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import breakable, button, column, enable, label, show_text, suggest_from_list

KIND = "vnc"
"""The value of the machine's `TargetKind`."""


class MachineChoice(QWidget):
    """Shown while a VNC machine is the chosen target.

    Signals:
        changed: something was chosen or typed (no payload).
        remove_pressed: an address should be taken off the list; carries it.
    """

    changed = Signal()
    remove_pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.read_address: Callable[[str], str] = str.strip
        rows = column(self, spacing=4)
        self.field = QComboBox()
        self.field.setEditable(True)
        line = self.field.lineEdit()
        assert line is not None
        line.setPlaceholderText(_("host, host:port or [IPv6]:port"))
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.field.setMinimumContentsLength(8)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        suggest_from_list(self.field)
        self.field.setAccessibleName(_("Address of the machine"))
        self.field.setToolTip(_("Without a port it is 5900. A server has 5901 for its display :1, 5902 for :2."))
        head = QHBoxLayout()
        heading = label(_("Address"))
        heading.setBuddy(self.field)
        head.addWidget(heading)
        head.addStretch(1)
        self.remove = button(
            _("Remove"),
            "link",
            name=_("Remove this address from the list"),
            tip=_("Take it off the list of machines used before. A password that was kept stays in the keyring."),
        )
        room = self.remove.sizePolicy()
        room.setRetainSizeWhenHidden(True)  # the field does not move while an address is typed
        self.remove.setSizePolicy(room)
        head.addWidget(self.remove)
        rows.addLayout(head)
        rows.addWidget(self.field)
        self._trouble = label(role="trouble", wrap=True)
        self._trouble.hide()
        rows.addWidget(self._trouble)
        self.remove.hide()
        self.field.editTextChanged.connect(self._changed)
        self.remove.clicked.connect(self._remove_clicked)

    def show_machines(self, addresses: Sequence[str]) -> None:
        """Offer these addresses; what is written stays."""
        written = self.field.currentText()
        self.field.blockSignals(True)
        self.field.clear()
        self.field.addItems(addresses)
        self.field.setCurrentIndex(-1)
        self.field.setEditText(written)
        self.field.blockSignals(False)
        self._changed()

    def show_spec(self, spec: str) -> None:
        """Show the address of a machine's specification; nothing for other targets."""
        kind, _, address = spec.partition(":")
        if kind == KIND:
            self.field.setEditText(address)

    @property
    def address(self) -> str:
        """HOST:PORT; "" for none."""
        return self.read_address(self.field.currentText())

    @property
    def lacking(self) -> tuple[QWidget, str] | None:
        """The field that has a mistake, and what is wrong; None for nothing."""
        if self.address:
            return None
        written = self.field.currentText().strip()
        return self.field, _("“{text}” is no address. Write it as host, host:port or [IPv6]:port.").format(
            text=written
        ) if written else _("Enter the address of the machine first.")

    def _changed(self, _: object = None) -> None:
        written, lacking = self.field.currentText().strip(), self.lacking
        show_text(self._trouble, breakable(lacking[1]) if written and lacking is not None else "")
        self.remove.setVisible(bool(self.address) and self.field.findText(self.address) >= 0)
        self.changed.emit()

    def _remove_clicked(self) -> None:
        address = self.address
        self.field.setFocus()
        self.field.setEditText("")
        self.remove_pressed.emit(address)


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
        self.settings.clicked.connect(self.settings_pressed)
        self.take.clicked.connect(self.take_pressed)
        self.go_back.clicked.connect(self.go_back_pressed)

    def show_machine(self, why_not: str | None) -> None:
        """Show why it takes no snapshot now, "" if it does; None: it takes none at all."""
        for each, tip in (
            (self.take, _("Keep the state of the machine, memory and disks. It replaces the one taken before.")),
            (self.go_back, _("Set the machine back to the snapshot. You are asked first.")),
        ):
            each.setVisible(why_not is not None)
            enable(each, why_not or "", tip=tip)
