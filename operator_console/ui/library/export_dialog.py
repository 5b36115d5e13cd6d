"""Asks where a session is exported to, and in which format: the format chosen changes the file's suffix."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import wide


class ExportDialog(QFileDialog):
    """A save dialog for one session. Qt asks before a file is replaced.

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
            _("Web page to read or print (*.html)"): ".html",
            _("Events as JSON lines (*.jsonl)"): ".jsonl",
            _("Archive with page, pictures, events and session file (*.zip)"): ".zip",
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
