"""The tools of the next session besides mouse and keyboard: MCP servers, bash and the text editor, own functions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, button, column, label, plain, row_layout, set_role

if TYPE_CHECKING:
    from operator_console.domain.session_request import SessionRequest
    from operator_console.ui.backend import ConsoleBackend, OfferedTools
    from operator_console.ui.bridge import Bridge


class ToolChoices(QWidget):
    """A box to tick for each MCP server of the settings and each sandboxed tool; folded where the settings name none.

    Signals:
        sandbox_wanted: a sandboxed tool was ticked that was not (no payload).
        folder_pressed: the working folder should be chosen (no payload).
    """

    sandbox_wanted = Signal()
    folder_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._offered: OfferedTools | None = None
        self._folder: Path | None = None
        self._servers: dict[str, QCheckBox] = {}
        self._sandboxed: dict[str, QCheckBox] = {}
        rows = column(self, spacing=2, margins=(0, GRID, 0, 0))
        head = QHBoxLayout()
        head.addWidget(label(_("Tools"), "heading"))
        head.addStretch(1)
        tip = _("Tools that the model may use besides mouse and keyboard in the next session")
        self.unfold = button(_("Show"), "link", name=_("Show tools"), tip=tip)
        head.addWidget(self.unfold)
        rows.addLayout(head)
        self._inner = plain()
        inside = column(self._inner, spacing=2)
        self._rows = column(spacing=2)
        inside.addLayout(self._rows)
        self._folder_line = plain()
        line = row_layout(self._folder_line, margins=(26, 0, 0, 0))
        self._folder_name = label(role="note", wrap=True)
        self.folder = button(
            _("Folder…"), "link", name=_("Working folder"), tip=_("Choose the folder that these tools work in")
        )
        line.addWidget(self._folder_name, 1)
        line.addWidget(self.folder)
        inside.addWidget(self._folder_line)
        self._note = label(role="note", wrap=True)
        inside.addWidget(self._note)
        self._functions = label(role="note", wrap=True)
        inside.addWidget(self._functions)
        rows.addWidget(self._inner)
        self.unfold.clicked.connect(self._unfold_clicked)
        self.folder.clicked.connect(self.folder_pressed)
        for later in (self._inner, self._folder_line, self._note):
            later.hide()

    @property
    def boxes(self) -> tuple[QCheckBox, ...]:
        """The boxes, in order."""
        return (*self._servers.values(), *self._sandboxed.values())

    @property
    def unfolded(self) -> bool:
        """Whether the boxes are shown."""
        return not self._inner.isHidden()

    def show_tools(self, offered: OfferedTools) -> None:
        """Show what can be chosen, ticked where the settings switch it on; ticks are kept while that stays the same."""
        if offered == self._offered:
            return
        self._offered = offered
        for box in self.boxes:
            box.hide()
            box.deleteLater()
        self._servers = {
            name: self._box(_("MCP server {name}").format(name=name), name in offered.enabled)
            for name in offered.servers
        }
        self._sandboxed = {
            tool.value: self._box(
                _("{tool}, in a sandbox").format(tool=_("Bash") if tool.value == "bash" else _("Text editor")),
                tool in offered.sandboxed,
            )
            for tool in offered.sandboxable
        }
        for box in self._sandboxed.values():
            box.toggled.connect(self._sandbox_toggled)
        self._functions.setText(_("Functions of your own: {names}").format(names=", ".join(offered.functions)))
        self._functions.setVisible(bool(offered.functions))
        self.show_folder(None)
        self._show_inner(bool(offered.servers or offered.sandboxed or offered.functions))

    def show_folder(self, folder: Path | None) -> None:
        """Show the working folder of the sandboxed tools; None: that of the settings, else a new one."""
        self._folder = folder
        usual = self._offered.folder if self._offered is not None else ""
        self._folder_name.setText(
            (str(folder) if folder is not None else usual or _("A new folder for each session")).replace("/", "/\u200b")
        )
        self._show_folder_line()

    def refuse_sandbox(self, why: str) -> None:
        """Untick the sandboxed tools, and say why they cannot be used here."""
        for box in self._sandboxed.values():
            box.setChecked(False)
        self._note.setText(why)
        set_role(self._note, role="trouble")
        self._note.show()

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
            sandbox_folder=self._folder if sandboxed else None,
        )

    def _box(self, text: str, ticked: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setAccessibleName(text)
        box.setChecked(ticked)
        self._rows.addWidget(box)
        return box

    def _show_folder_line(self) -> None:
        self._folder_line.setVisible(any(box.isChecked() for box in self._sandboxed.values()))

    def _sandbox_toggled(self, ticked: bool) -> None:
        self._show_folder_line()
        if ticked:
            self._note.setText(_("Commands and changes to files wait for you, unless you allowed them for Auto."))
            set_role(self._note, role="note")
            self.sandbox_wanted.emit()
        self._note.setVisible(any(box.isChecked() for box in self._sandboxed.values()))

    def _unfold_clicked(self) -> None:
        self._show_inner(not self.unfolded)

    def _show_inner(self, shown: bool) -> None:
        self._inner.setVisible(shown)
        self.unfold.setText(_("Hide") if shown else _("Show"))
        self.unfold.setAccessibleName(_("Hide tools") if shown else _("Show tools"))


class SandboxChoiceController(QObject):
    """Switching sandboxed tools on: tries whether a sandbox works here, and asks for the working folder."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, tools: ToolChoices) -> None:
        super().__init__()
        self._backend, self._bridge, self._tools = backend, bridge, tools
        tools.sandbox_wanted.connect(self._wanted)
        tools.folder_pressed.connect(self._choose_folder)

    def _wanted(self) -> None:
        self._bridge.run("sandbox", self._try())

    async def _try(self) -> None:
        trouble = await self._backend.sandbox_trouble()
        if trouble:
            self._tools.refuse_sandbox(trouble)

    def _choose_folder(self) -> None:
        from PySide6.QtCore import Qt  # dear, and not needed for a start
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self._tools.window(), _("Working folder — Operator console"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.open()

    def _folder_chosen(self, path: str) -> None:
        self._tools.show_folder(Path(path))
