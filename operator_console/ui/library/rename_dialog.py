"""Asks for the new name of a session. It stays open with the reason while a name is refused."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, button, button_row, column, fit_height, label

WIDTH = 420


class RenameDialog(QDialog):
    """A line for the name, with Rename and Cancel.

    Signals:
        named: carries the dialog, whose `line` has the name. It stays open: `accept` it, or `refuse` the name.
    """

    named = Signal(object)

    def __init__(self, session: Path, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.session = session
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Rename session — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Rename session"), "title"))
        rows.addWidget(
            label(_("The name is that of the file. The record itself stays as it is."), "secondary", wrap=True)
        )
        self.line = QLineEdit(session.stem)
        self.line.setAccessibleName(_("Name"))
        self.line.selectAll()
        rows.addWidget(self.line)
        self.trouble = label(role="trouble", wrap=True)
        self.trouble.hide()
        rows.addWidget(self.trouble)
        rows.addStretch(1)
        self.cancel, self.save = button(_("Cancel")), button(_("Rename"), "primary")
        rows.addLayout(button_row(self.cancel, self.save))
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.line.returnPressed.connect(self._save)
        self.line.textEdited.connect(self._edited)
        self.line.setFocus()
        fit_height(self, WIDTH)

    def refuse(self, reason: str) -> None:
        """Say why the name cannot be used."""
        self.trouble.setText(reason)
        self.trouble.show()
        fit_height(self, WIDTH)
        self.line.setAccessibleDescription(reason)
        self.line.setFocus()

    def _edited(self, _text: str) -> None:
        if not self.trouble.isHidden():
            self.trouble.hide()
            fit_height(self, WIDTH)
        self.line.setAccessibleDescription("")

    def _save(self) -> None:
        self.named.emit(self)
