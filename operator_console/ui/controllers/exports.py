"""Exports a session: asks where to and in which format, writes the file in a thread, and says what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from operator_console.domain.errors import ConsoleError
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.library.sessions_model import Note, NoteTone
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.texts import library as texts

if TYPE_CHECKING:
    from operator_console.ui.library.export_dialog import ExportDialog

SHOW_KEY = "show:"
"""Begins the key of a notice whose button opens an exported file; the file's path follows."""


class ExportController(QObject):
    """Exports sessions.

    Signals:
        progressed: carries the session's Path and a Note, when it begins and when it ends.
        noticed: carries a Notice, for a session that was exported from the console's window.
    """

    progressed = Signal(object, object)
    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: QWidget) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._folder: Path | None = None
        self._dialog: ExportDialog | None = None
        self._in_console = True

    @property
    def dialog(self) -> ExportDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def ask(self, path: Path, parent: QWidget | None = None) -> None:
        """Ask where to export a session to. `parent`: the window that shows the outcome; None: the console's."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        from operator_console.ui.library.export_dialog import ExportDialog  # not before it is wanted

        self._in_console = parent is None
        self._dialog = ExportDialog(path, self._folder, parent or self._window)
        self._dialog.export_wanted.connect(self._export_wanted)
        self._dialog.finished.connect(self._closed)
        self._dialog.open()

    def _export_wanted(self, target: object) -> None:
        assert isinstance(target, Path)
        assert self._dialog is not None
        path = self._dialog.session
        self._folder = target.parent
        self.progressed.emit(path, Note(text=texts.EXPORTING))
        if self._in_console:
            self.noticed.emit(Notice(tone=Tone.INFO, title=texts.EXPORTING))
        self._bridge.run(f"export {path}", self._export(path, target, in_console=self._in_console))

    def show_exported(self, notice: Notice) -> None:
        """Open what the notice's button names: a page itself, anything else's folder."""
        target = Path(notice.key.removeprefix(SHOW_KEY))
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(target if target.suffix == ".html" else target.parent)))

    async def _export(self, path: Path, target: Path, *, in_console: bool) -> None:
        try:
            await self._backend.export_session(path, target)
        except ConsoleError as error:
            text = " ".join(part for part in (error.title, error.detail, error.remedy) if part)
            self.progressed.emit(path, Note(text=text, tone=NoteTone.BAD))
            if in_console:
                self.noticed.emit(Notice.of(error))
            return
        said = texts.exported(target.name, str(target.parent))
        self.progressed.emit(path, Note(text=said, tone=NoteTone.GOOD))
        if in_console:
            act = texts.OPEN_PAGE if target.suffix == ".html" else texts.SHOW_FOLDER
            self.noticed.emit(Notice(tone=Tone.INFO, title=said, act=act, key=f"{SHOW_KEY}{target}"))

    def _closed(self, _result: int) -> None:
        self._dialog = None
