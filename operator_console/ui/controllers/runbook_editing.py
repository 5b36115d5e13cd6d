"""A runbook in the task field: checked while it is written, opened from and saved to files, marked while it runs."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QDropEvent

from operator_console.domain.errors import ConsoleError, OperatorError
from operator_console.domain.translations import _
from operator_console.private_files import open_private
from operator_console.ui.backend import ConsoleBackend, ModelChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.panels.task_marks import TaskMarks
from operator_console.ui.theme_colours import Tokens
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

CHECK, FILE = "check the runbook", "runbook file"
CHECK_MS = 400
"""How long nothing must be typed before the text is checked."""
MOST_BYTES = 256_000
SUFFIXES = (".runbook", ".txt")


class RunbookEditing(QObject):
    """Works on the task field; everything but dropping a file counts only while the runbook is the chosen model.

    Signals:
        noticed: there is something to say about a file; carries a Notice.
    """

    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._setup = setup = window.setup
        self.marks = TaskMarks(setup.task)
        self._path: Path | None = None
        self._written = False
        self._said = ""
        self._soon = QTimer(setup)  # ends with the widgets that it is about
        self._soon.setSingleShot(True)
        self._soon.setInterval(CHECK_MS)
        self._soon.timeout.connect(self._check)
        setup.task.textChanged.connect(self._changed)
        setup.task.viewport().installEventFilter(self)
        setup.model_chosen.connect(self._model_chosen)
        setup.runbook_open_pressed.connect(self.open_file)
        setup.runbook_save_pressed.connect(self.save_file)

    def set_tokens(self, tokens: Tokens) -> None:
        """Use a theme's colours."""
        self.marks.set_tokens(tokens)

    def show_view(self, view: SessionView) -> None:
        """Mark the line that runs, if the field holds the session's task."""
        runs = view.phase.active and view.phase is not Phase.STARTING
        same = view.started is not None and self._text() == view.started.task.rstrip()
        self.marks.show_running(view.line if runs and same else 0)

    def failed(self, name: str, error: ConsoleError) -> Notice | None:
        """What to say about a file that could not be read or written; None for tasks of others."""
        return Notice.of(error) if name == FILE else None

    # files

    def open_file(self) -> None:
        """Ask for a file, and put its text in place of the task."""
        dialog = self._dialog(_("Open a runbook file"))
        dialog.setFileMode(dialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._file_chosen)
        dialog.open()

    def save_file(self) -> None:
        """Ask for a name, and write the task to that file."""
        dialog = self._dialog(_("Save the runbook as a file"))
        dialog.setAcceptMode(dialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(_("runbook"))
        dialog.selectFile(str(self._path or _("steps.runbook")))
        dialog.fileSelected.connect(self._place_chosen)
        dialog.open()

    def load(self, path: Path) -> None:
        """Read a file, and put its text in place of the task; undo brings back what was written."""
        self._bridge.run(FILE, self._load(path))

    def save(self, path: Path) -> None:
        """Write the task to a file."""
        self._bridge.run(FILE, self._save(path, self._setup.task.toPlainText()))

    def _dialog(self, title: str) -> QFileDialog:
        from PySide6.QtWidgets import QFileDialog  # not needed before Start can be pressed

        folder = str(self._path.parent) if self._path is not None else ""
        runbooks = _("Runbooks ({pattern})").format(pattern=" ".join(("*.runbook", "*.txt")))
        everything = _("All files ({pattern})").format(pattern="*")
        dialog = QFileDialog(self._window, title, folder, f"{runbooks};;{everything}")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    async def _load(self, path: Path) -> None:
        text = await asyncio.to_thread(read_runbook, path)
        self._path = path
        if path.suffix == SUFFIXES[0]:
            self._setup.choose_runbook()
        self._setup.write_task(text)
        self._setup.task.setFocus()

    async def _save(self, path: Path, text: str) -> None:
        await asyncio.to_thread(write_runbook, path, text)
        self._path = path
        self.noticed.emit(
            Notice(tone=Tone.INFO, title=_("Saved as {name}.").format(name=path.name), detail=str(path.parent))
        )

    def _file_chosen(self, path: str) -> None:
        self.load(Path(path))

    def _place_chosen(self, path: str) -> None:
        self.save(Path(path))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a text file that is dropped on the task. Other files are for the window; texts are dropped as ever."""
        if not isinstance(event, QDropEvent) or not event.mimeData().hasUrls():
            return super().eventFilter(watched, event)
        path = _dropped(event)
        if path is None:
            event.ignore()
            return True
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            self.load(path)
        return True

    # the check

    def _text(self) -> str:
        return self._setup.task.toPlainText().rstrip()

    def _runbook(self) -> ModelChoice | None:
        choice = self._setup.chosen_model
        return choice if choice is not None and choice.runbook else None

    def _model_chosen(self, _choice: object) -> None:
        written = self._runbook() is not None
        if written != self._written:
            self._written = written
            self.marks.show_lines(written)
            self._setup.show_runbook(written)
            if not written:
                self._setup.show_mistake(None)
                self.marks.show_mistake(0)
        self._changed()

    def _changed(self) -> None:
        self.marks.show_mistake(0)
        if self._written:
            self._soon.start()

    def _check(self) -> None:
        choice = self._runbook()
        if choice is not None and self._text():
            self._bridge.run(CHECK, self._ask(choice, self._text()))

    async def _ask(self, choice: ModelChoice, text: str) -> None:
        mistake = await self._backend.task_mistake(choice, text)
        if text != self._text() or self._runbook() is None:
            return
        self._setup.show_mistake(mistake, select=False)
        self.marks.show_mistake(mistake.line if mistake else 0, mistake.column if mistake else 0)
        said = mistake.title if mistake else ""
        if said and said != self._said:
            QAccessible.updateAccessibility(QAccessibleEvent(self._setup.mistake, QAccessible.Event.Alert))
        self._said = said


def read_runbook(path: Path) -> str:
    """The text of a file. Blocking. Raises OperatorError if it cannot be a runbook."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _not_read(_("It is larger than {most_kb} kB.").format(most_kb=MOST_BYTES // 1000))
        return path.read_text(encoding="utf-8").rstrip()
    except UnicodeDecodeError as error:
        raise _not_read(_("It is not UTF-8 text.")) from error
    except OSError as error:
        raise _not_read(f"{error.strerror}.") from error


def write_runbook(path: Path, text: str) -> None:
    """Write the text, whole or not at all. Blocking. Raises OperatorError."""
    part = path.with_name(f".{path.name}.part")
    try:
        try:
            with os.fdopen(open_private(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
                file.write(f"{text.rstrip()}\n")
            if path.exists():
                shutil.copymode(path, part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        detail = f"{error.strerror}."
        raise OperatorError(
            _("The runbook was not saved."), detail=detail, remedy=_("Choose another folder or name.")
        ) from error


def _not_read(why: str) -> OperatorError:
    return OperatorError(_("The file cannot be opened as a runbook."), detail=why, remedy=_("Choose another file."))


def _dropped(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix in SUFFIXES else None
