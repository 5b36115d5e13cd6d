"""A question of the window ("close although a session runs?"), opened with `open()`; it has no default button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, breakable, button, column, fit_height, label


class ConfirmDialog(QDialog):
    """Two buttons, neither a default.

    Signals:
        confirmed: no payload; closing the dialog in any other way means no.
    """

    confirmed = Signal()

    def __init__(
        self, title: str, text: str, yes: str, no: str, parent: QWidget | None, *,
        heading: str = "", exact: str = "", warns: bool = False,
    ) -> None:  # fmt: skip
        """`exact`: something to compare, in letters of one width, under its heading. `warns`: the text is a warning."""
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("{title} — Operator console").format(title=title))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label(breakable(title), "title", wrap=True))
        rows.addWidget(label(text, "warning" if warns else "", wrap=True))
        if exact:
            rows.addWidget(label(heading, "heading", wrap=True))
            self.exact = label(exact, "code", wrap=True)
            self.exact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.exact.setAccessibleName(f"{heading}: {exact}")
            rows.addWidget(self.exact)
        line = QHBoxLayout()
        line.addStretch(1)
        self.no, self.yes = button(no), button(yes)
        line.addWidget(self.no)
        line.addWidget(self.yes)
        rows.addLayout(line)
        self.no.clicked.connect(self.reject)
        self.yes.clicked.connect(self._confirmed)
        fit_height(self, 440)

    def _confirmed(self) -> None:
        self.confirmed.emit()
        self.accept()
