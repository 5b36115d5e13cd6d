"""The dialog for what is set about one machine: keyboard layout, pasting, and the socket of its monitor."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDir, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QFileDialog, QLineEdit, QVBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.backend import MachineDefaults, MachineOptions
from operator_console.ui.widgets.controls import (
    GRID,
    ElidedCombo,
    breakable,
    button,
    button_row,
    column,
    fit_height,
    label,
    row_layout,
    suggest_from_list,
)
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox

WIDTH = 460
_EXAMPLE = "/run/user/1000/guest.qmp"


class MachineSettingsDialog(QDialog):
    """Opened with `open`.

    Signals:
        saved: carries the MachineOptions as edited. It stays open: `accept` it, or `refuse` them.
    """

    saved = Signal(object)

    def __init__(
        self, machine: str, options: MachineOptions, defaults: MachineDefaults, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.machine = machine
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Machine settings — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(
            label(breakable(_("Settings of {machine}").format(machine=machine.partition(":")[2])), "title", wrap=True)
        )
        rows.addSpacing(GRID // 2)
        self._build_typing(rows, options, defaults)
        rows.addSpacing(GRID)
        self._build_socket(rows, options)
        self.trouble = label(role="trouble", wrap=True)
        self.trouble.hide()
        rows.addWidget(self.trouble)
        rows.addSpacing(GRID // 2)
        self._build_buttons(rows)
        self._was_pasting = options.paste, self.paste.isChecked()
        self.layout_.setFocus()
        fit_height(self, WIDTH)

    def _build_typing(self, rows: QVBoxLayout, options: MachineOptions, defaults: MachineDefaults) -> None:
        self.layout_ = ElidedCombo()
        self.layout_.setEditable(True)
        self.layout_.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.layout_.setAccessibleName(_("Keyboard layout of the machine"))
        self.layout_.addItems(defaults.layouts)
        suggest_from_list(self.layout_)
        self.layout_.setCurrentIndex(-1)
        self.layout_.setEditText(options.layout)
        line = self.layout_.lineEdit()
        assert line is not None
        line.setPlaceholderText(
            _("{layout}, as for other machines").format(layout=defaults.layout)
            if defaults.layout
            else _("that of this computer")
        )
        line.returnPressed.connect(self._save)
        self.paste = WrappedCheckBox(_("Paste text that the layout lacks from its clipboard"))
        self.paste.setChecked(defaults.paste if options.paste is None else options.paste)
        heading = label(_("Keyboard layout"), "heading")
        heading.setBuddy(self.layout_)
        for part in (
            heading,
            self.layout_,
            label(
                _("The layout that its own system is set to, by its name in XKB: de, fr, us(intl)."),
                "secondary",
                wrap=True,
            ),
            self.paste,
        ):
            rows.addWidget(part)

    def _build_socket(self, rows: QVBoxLayout, options: MachineOptions) -> None:
        self.socket = QLineEdit(options.qmp)
        self.socket.setPlaceholderText(_EXAMPLE)
        self.socket.setAccessibleName(_("Socket of QEMU’s monitor (QMP)"))
        self.socket.returnPressed.connect(self._save)
        self.choose = button(_("Choose…"), name=_("Choose the socket"))
        self.choose.clicked.connect(self._choose)
        heading = label(_("Socket of QEMU’s monitor (QMP)"), "heading")
        heading.setBuddy(self.socket)
        place = row_layout(spacing=GRID)
        place.addWidget(self.socket, 1)
        place.addWidget(self.choose)
        rows.addWidget(heading)
        rows.addLayout(place)
        rows.addWidget(
            label(
                # Translators: the option of QEMU stays as it is, but for PATH.
                _(
                    "For a machine started with -qmp unix:PATH,server=on,wait=off: snapshots, and whether it "
                    "runs. A monitor has full control of the machine. The model reaches nothing of it."
                ),
                "secondary",
                wrap=True,
            )
        )

    def _build_buttons(self, rows: QVBoxLayout) -> None:
        self.cancel, self.save = button(_("Cancel")), button(_("Save"), "primary")
        rows.addLayout(button_row(self.cancel, self.save))
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)

    def refuse(self, trouble: str) -> None:
        """Say why they cannot be set."""
        self.trouble.setText(breakable(trouble))
        self.trouble.show()
        fit_height(self, WIDTH)

    def _options(self) -> MachineOptions:
        before, shown = self._was_pasting
        paste = before if self.paste.isChecked() is shown else self.paste.isChecked()
        return MachineOptions(layout=self.layout_.currentText().strip(), paste=paste, qmp=self.socket.text().strip())

    def _save(self) -> None:
        self.saved.emit(self._options())

    def _choose(self) -> None:
        place = self.socket.text().strip()
        dialog = QFileDialog(
            self, _("Socket of the monitor — Operator console"), str(Path(place).parent) if place else "/run"
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setFilter(QDir.Filter.AllDirs | QDir.Filter.Files | QDir.Filter.System)  # sockets are "system" files
        dialog.fileSelected.connect(self.socket.setText)
        dialog.open()
