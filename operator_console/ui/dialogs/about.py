"""About this program: version, licence, and details for a report."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QWidget

from operator_console import __version__
from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, button, column, fit_height, label


def details() -> str:
    """What a report about a fault needs: versions and platform, nothing about the user."""
    return "\n".join((
        f"Operator console {__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()} ({QGuiApplication.platformName()})",
        platform.platform(),
    ))  # fmt: skip


class AboutDialog(QDialog):
    """Name, version, licence."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("About — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label("Operator console", "title"))
        rows.addWidget(
            label(
                _(
                    "Supervise a computer-use model on a real desktop: see each action before it happens, "
                    "decide, stop it."
                ),
                wrap=True,
            )
        )
        rows.addWidget(
            label(_("Version {version} · Apache License 2.0").format(version=__version__), "secondary", wrap=True)
        )
        rows.addWidget(label(details().split("\n", 1)[1], "secondary", wrap=True))
        line = QHBoxLayout()
        self.copy, self.close_button = button(_("Copy details")), button(_("Close"))
        line.addWidget(self.copy)
        line.addStretch(1)
        line.addWidget(self.close_button)
        rows.addLayout(line)
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        fit_height(self, 440)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(details())
