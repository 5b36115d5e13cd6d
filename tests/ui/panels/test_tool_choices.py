"""Bash and the text editor are switched on in the set-up only where a sandbox works."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from operator_console.domain.tools import SandboxTool
from operator_console.ui.backend import OfferedTools, Preferences
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened

OFF = Preferences(tools=OfferedTools(sandboxable=tuple(SandboxTool)))


def test_where_no_sandbox_works_the_box_does_not_stay_ticked(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=OFF)
        backend.no_sandbox = "bubblewrap is missing. Install it."
        async with opened(app, backend) as (console, _):
            tools = console.window.setup.tools
            tools.unfold.click()
            tools.boxes[0].click()
            await until(lambda: not tools.boxes[0].isChecked(), "the tick to be taken back")
            shown = [part.text() for part in tools.findChildren(QLabel) if part.isVisibleTo(tools)]
            assert backend.no_sandbox in shown

    on_qt(work())


def test_where_it_works_a_session_gets_the_tools_and_the_folder(app: QApplication, on_qt: Run, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(app, FakeBackend(preferences=OFF)) as (console, backend):
            tools = console.window.setup.tools
            tools.unfold.click()
            for box in tools.boxes:
                box.click()
            await until(lambda: not console.bridge.running("sandbox"), "the trial")
            tools.folder.click()
            (dialog,) = console.window.findChildren(QFileDialog)
            dialog.fileSelected.emit(str(tmp_path))
            dialog.reject()
            console.window.setup.task.setPlainText("Sort the files.")
            console.window.setup.start.click()
            await until(lambda: backend.requests, "the start")
            (request,) = backend.requests
            assert (request.sandbox_tools, request.sandbox_folder) == (tuple(SandboxTool), tmp_path)

    on_qt(work())
