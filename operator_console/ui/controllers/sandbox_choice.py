"""Switching sandboxed tools on in the set-up: tries whether a sandbox works here, and asks for the working folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.window import MainWindow


class SandboxChoiceController(QObject):
    """Handles the sandboxed tools of the set-up."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        window.setup.tools.sandbox_wanted.connect(self._wanted)
        window.setup.tools.folder_pressed.connect(self._choose_folder)

    def _wanted(self) -> None:
        self._bridge.run("sandbox", self._try())

    async def _try(self) -> None:
        trouble = await self._backend.sandbox_trouble()
        if trouble:
            self._window.setup.tools.refuse_sandbox(trouble)

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self._window, _("Working folder — Operator console"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.open()

    def _folder_chosen(self, path: str) -> None:
        self._window.setup.tools.show_folder(Path(path))
