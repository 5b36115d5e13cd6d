"""The dialog to enter a service's API key, which is saved in the system keyring and checked. Opened with `open()`."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QProgressBar, QWidget

from operator_console.domain.errors import ConsoleError
from operator_console.ui.backend import ModelChoice
from operator_console.ui.widgets.controls import GRID, breakable, button, column, fit_height, label


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntered:
    """A key to save; hidden from `repr`."""

    choice: ModelChoice
    key: str

    def __repr__(self) -> str:
        return f"KeyEntered({self.choice.provider})"


WIDTH = 460


class KeyDialog(QDialog):
    """Asks for a key and shows the result of its check.

    Signals:
        entered: carries a KeyEntered; the caller saves and checks it, then calls `show_result` or `show_error`.
    """

    entered = Signal(object)

    def __init__(self, choice: ModelChoice, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.choice = choice
        self.setProperty("role", "sheet")
        self.setWindowTitle("API key — Operator console")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(f"API key for {breakable(choice.title)}", "title", wrap=True))
        if choice.leaves:
            rows.addWidget(label("What leaves this machine", "heading"))
            rows.addWidget(label(breakable(choice.leaves), wrap=True))
        heading = label("API key", "heading")
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setAccessibleName("Key")
        heading.setBuddy(self.key)
        rows.addWidget(heading)
        rows.addWidget(self.key)
        rows.addWidget(label("Saved in the system keyring, nowhere else.", "secondary", wrap=True))
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.hide()
        self._result = label(wrap=True)
        self._result.hide()
        rows.addWidget(self._busy)
        rows.addWidget(self._result)
        line = QHBoxLayout()
        line.addStretch(1)
        self.cancel = button("Cancel")
        self.keep = button("Check and save", "primary")
        line.addWidget(self.cancel)
        line.addWidget(self.keep)
        rows.addLayout(line)
        self.keep.setEnabled(False)
        self.key.textChanged.connect(self._changed)
        self.key.returnPressed.connect(self._entered)
        self.keep.clicked.connect(self._entered)
        self.cancel.clicked.connect(self.reject)
        fit_height(self, WIDTH)

    def show_result(self, text: str) -> None:
        """Show that the key was saved."""
        self._settle(text, "secondary")
        self.cancel.setText("Close")
        self.key.clear()

    def show_error(self, error: ConsoleError) -> None:
        """Show why the key was not saved."""
        self._settle(str(error), "trouble")

    def _settle(self, text: str, role: str) -> None:
        self._busy.hide()
        self._result.setProperty("role", role)
        self._result.style().polish(self._result)
        self._result.setText(breakable(text))
        self._result.show()
        fit_height(self, WIDTH)
        self.key.setEnabled(True)
        self._changed("")

    def _changed(self, _text: str) -> None:
        self.keep.setEnabled(bool(self.key.text().strip()) and self.key.isEnabled())

    def _entered(self) -> None:
        key = self.key.text().strip()
        if not key or not self.key.isEnabled():
            return
        self.key.setEnabled(False)
        self.keep.setEnabled(False)
        self._result.hide()
        self._busy.show()
        fit_height(self, WIDTH)
        self.entered.emit(KeyEntered(choice=self.choice, key=key))
