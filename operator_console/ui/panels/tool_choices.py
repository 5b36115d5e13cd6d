"""The tools of the next session besides mouse and keyboard: MCP servers, bash and the text editor, own functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from operator_console.ui.widgets.controls import GRID, column, label

if TYPE_CHECKING:
    from operator_console.domain.requests import SessionRequest
    from operator_console.ui.backend import OfferedTools


_NAMES = {"bash": "Bash", "editor": "Text editor"}


class ToolChoices(QWidget):
    """A box to tick for each tool that the settings name; nothing where they name none."""

    def __init__(self) -> None:
        super().__init__()
        self._offered: OfferedTools | None = None
        self._servers: dict[str, QCheckBox] = {}
        self._sandboxed: dict[str, QCheckBox] = {}
        rows = column(self, spacing=2, margins=(0, GRID, 0, 0))
        rows.addWidget(label("Tools", "heading"))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(2)
        rows.addLayout(self._rows)
        self._functions = label(role="note", wrap=True)
        rows.addWidget(self._functions)
        self.hide()

    @property
    def boxes(self) -> tuple[QCheckBox, ...]:
        """The boxes, in order."""
        return (*self._servers.values(), *self._sandboxed.values())

    def show_tools(self, offered: OfferedTools) -> None:
        """Show what the settings name, ticked where they switch it on; ticks are kept while that stays the same."""
        if offered == self._offered:
            return
        self._offered = offered
        for box in self.boxes:
            box.hide()
            box.deleteLater()
        self._servers = {name: self._box(f"MCP server {name}", name in offered.enabled) for name in offered.servers}
        self._sandboxed = {
            tool.value: self._box(f"{_NAMES[tool.value]}, in a sandbox", tool in offered.sandboxed)
            for tool in offered.sandboxable
        }
        self._functions.setText(f"Functions of your own: {', '.join(offered.functions)}")
        self._functions.setVisible(bool(offered.functions))
        self.setVisible(bool(self.boxes or offered.functions))

    def chosen(self, request: SessionRequest) -> SessionRequest:
        """The request, with the choices that differ from the settings."""
        from dataclasses import replace

        if self._offered is None:
            return request
        servers = tuple(name for name, box in self._servers.items() if box.isChecked())
        sandboxed = tuple(tool for tool in self._offered.sandboxable if self._sandboxed[tool.value].isChecked())
        same_servers = set(servers) == set(self._offered.enabled)
        return replace(
            request,
            mcp_servers=None if same_servers else servers,
            sandbox_tools=None if set(sandboxed) == set(self._offered.sandboxed) else sandboxed,
        )

    def _box(self, text: str, ticked: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setAccessibleName(text)
        box.setChecked(ticked)
        self._rows.addWidget(box)
        return box
