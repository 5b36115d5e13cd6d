"""Exports a session: asks where to and in which format, has the file written, and says how far it is and what became of
it. An export can be cancelled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QSize, QStandardPaths, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _, ngettext
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.library.sessions_model import Note, NoteTone, open_words
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.widgets.controls import wide

SHOW_KEY, CANCEL_KEY = "show:", "cancel export:"
"""Begin the keys of notices whose button opens an exported file, and cancels an export; the path of the file, or of the
session, follows."""
_TOLD_EVERY_S = 0.1


@dataclass(slots=True, kw_only=True, eq=False)
class _Export:
    """An export that runs. `in_console`: it is shown in the console's window, not in the library."""

    session: Path
    target: Path
    in_console: bool


class ExportController(QObject):
    """Exports sessions, each once at a time.

    Signals:
        progressed: carries the session's Path and a Note: it begins, goes on, ends.
        noticed: carries a Notice, for an export that is shown in the console's window.
        went_on: carries the Notice that replaces the one with the same key, if that is still shown.
    """

    progressed = Signal(object, object)
    noticed = Signal(object)
    went_on = Signal(object)
    _told = Signal(object, int, int)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: QWidget) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._folder: Path | None = None
        self._dialog: ExportDialog | None = None
        self._in_console = True
        self._running: dict[Path, _Export] = {}
        self._told.connect(self._went_on)

    @property
    def dialog(self) -> ExportDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def ask(self, path: Path, parent: QWidget | None = None) -> None:
        """Ask where to export a session to. `parent`: the window that shows the outcome; None: the console's."""
        if path in self._running:
            if parent is None:
                self.noticed.emit(_under_way(path))  # it may have been closed
            return
        if self._dialog is not None:
            self._dialog.raise_()
            return
        self._in_console = parent is None
        self._dialog = ExportDialog(path, self._folder, parent or self._window)
        self._dialog.export_wanted.connect(self._export_wanted)
        self._dialog.finished.connect(self._closed)
        self._dialog.open()

    def cancel(self, path: Path) -> None:
        """End the export of a session, and leave nothing of it."""
        export = self._running.pop(path, None)
        if export is None:
            return
        self._bridge.cancel(_task_of(path))
        self.progressed.emit(path, Note(text=_("Export cancelled. No file was written.")))
        if export.in_console:
            self.noticed.emit(Notice(tone=Tone.INFO, title=_("Export cancelled. No file was written.")))

    def show_in_console(self) -> None:
        """Show all running exports in the console's window: the library, which showed them, was closed."""
        for export in self._running.values():
            if not export.in_console:
                export.in_console = True
                self.noticed.emit(_under_way(export.session))

    def _export_wanted(self, target: Path) -> None:
        assert self._dialog is not None
        path = self._dialog.session
        self._folder = target.parent
        export = self._running[path] = _Export(session=path, target=target, in_console=self._in_console)
        self.progressed.emit(path, Note(text=_("Exporting…"), cancel=True))
        if export.in_console:
            self.noticed.emit(_under_way(path))
        self._bridge.run(_task_of(path), self._export(export))

    def show_exported(self, notice: Notice) -> None:
        """Open what the notice's button names."""
        self.open_written(Path(notice.key.removeprefix(SHOW_KEY)))

    def open_written(self, target: Path) -> None:
        """Open an exported page itself, anything else's folder."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(target if target.suffix == ".html" else target.parent)))

    def cancel_noticed(self, notice: Notice) -> None:
        """Cancel what the notice's button names."""
        self.cancel(Path(notice.key.removeprefix(CANCEL_KEY)))

    async def _export(self, export: _Export) -> None:
        path, target = export.session, export.target
        try:
            await self._backend.export_session(path, target, self._telling(export))
        except ConsoleError as error:
            text = " ".join(filter(None, error.worded))
            self._end(export, Note(text=text, tone=NoteTone.BAD), Notice.of(error))
            return
        finally:
            if self._running.get(path) is export:
                del self._running[path]
        said = _("Exported to “{name}” in {folder}.").format(name=target.name, folder=str(target.parent))
        notice = Notice(tone=Tone.INFO, title=said, act=open_words(target), key=f"{SHOW_KEY}{target}")
        self._end(export, Note(text=said, tone=NoteTone.GOOD, written=target), notice)

    def _telling(self, export: _Export) -> Callable[[int, int], None]:
        """Passes progress on to the window's thread, not too often."""
        last_s = 0.0

        def told(done: int, of: int) -> None:
            nonlocal last_s
            now_s = time.monotonic()
            if of and now_s - last_s >= _TOLD_EVERY_S:
                last_s = now_s
                self._told.emit(export, done, of)

        return told

    def _went_on(self, export: _Export, done: int, of: int) -> None:
        path = export.session
        if self._running.get(path) is not export:
            return
        progress = (
            ngettext("{done} of {count} step", "{done} of {count} steps", of).format(done=done, count=of) if of else ""
        )
        self.progressed.emit(path, Note(text=_("Exporting…"), progress=progress, cancel=True))
        if export.in_console:
            self.went_on.emit(_under_way(path, progress))

    def _end(self, export: _Export, note: Note, notice: Notice) -> None:
        self.progressed.emit(export.session, note)
        if export.in_console:
            self.noticed.emit(notice)

    def _closed(self, _result: int) -> None:
        self._dialog = None


def _task_of(path: Path) -> str:
    return f"export {path}"


def _under_way(path: Path, progress: str = "") -> Notice:
    return Notice(
        tone=Tone.INFO, title=_("Exporting…"), progress=progress, act=_("Cancel export"), key=f"{CANCEL_KEY}{path}"
    )


class ExportDialog(QFileDialog):
    """A save dialog for one session: the format chosen changes the suffix. Qt asks before a file is replaced.

    Signals:
        export_wanted: carries the new file's Path.
    """

    export_wanted = Signal(object)

    def __init__(self, session: Path, folder: Path | None, parent: QWidget | None) -> None:
        """`folder`: where to begin; None for the user's documents."""
        super().__init__(parent, _("Export session"))
        self.session = session
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self._suffixes = {
            _("Web page to read or print ({pattern})").format(pattern="*.html"): ".html",
            _("Events as JSON lines ({pattern})").format(pattern="*.jsonl"): ".jsonl",
            _("Archive with page, pictures, events and session file ({pattern})").format(pattern="*.zip"): ".zip",
        }
        self.setNameFilters(list(self._suffixes))
        self.setDirectory(str(folder if folder is not None and folder.is_dir() else _documents()))
        self._use(next(iter(self._suffixes.values())), session.stem)
        self.resize(self.sizeHint().expandedTo(QSize(wide(640), wide(440))))
        self.filterSelected.connect(self._format_chosen)
        self.fileSelected.connect(self._file_selected)

    def _format_chosen(self, words: str) -> None:
        named = Path(next(iter(self.selectedFiles()), self.session.stem))
        known = named.suffix in self._suffixes.values()
        self._use(self._suffixes[words], named.stem if known else named.name)

    def _use(self, suffix: str, stem: str) -> None:
        self.setDefaultSuffix(suffix.removeprefix("."))
        self.selectFile(f"{stem}{suffix}")

    def _file_selected(self, path: str) -> None:
        self.export_wanted.emit(Path(path))


def _documents() -> Path:
    found = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    return found if found.is_dir() else Path.home()
