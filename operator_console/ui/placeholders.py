"""Placeholders for the panels during startup: same sizes and backgrounds, so that nothing moves later.

They import only what the first paint needs.
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QSizePolicy, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import label, row_layout, wide
from operator_console.ui.widgets.window_size import SIDE_WIDTH, STATUS_HEIGHT, header_height


class Placeholders:
    """Placeholders of header, preview, right column and status line."""

    def __init__(self) -> None:
        self.header = _strip("header", header_height())
        self.preview = _ground("ground")
        self.side = _ground("side")
        self.side.setMinimumWidth(wide(SIDE_WIDTH))
        self.status = _strip("status", STATUS_HEIGHT)
        before, after = self.header.layout(), self.status.layout()
        assert isinstance(before, QHBoxLayout)
        assert isinstance(after, QHBoxLayout)
        pill = label(_("Getting ready"), "pill")
        pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        before.addWidget(label("Operator console", "brand"))
        before.addWidget(pill)
        before.addStretch(1)
        after.addStretch(1)
        after.addWidget(label(_("Stop not ready: the safety process is starting")))

    def give_way(self, rows: QLayout, header: QWidget, status: QWidget) -> None:
        """Replace them with the panels."""
        rows.replaceWidget(self.header, header)
        rows.replaceWidget(self.status, status)
        for early in (self.header, self.preview, self.side, self.status):
            early.setParent(None)
            early.deleteLater()


def _ground(role: str) -> QFrame:
    made = QFrame()
    made.setProperty("role", role)
    return made


def _strip(role: str, height: int) -> QFrame:
    made = _ground(role)
    made.setFixedHeight(height)
    row_layout(made, spacing=12, margins=(16, 0, 16, 0))
    return made
