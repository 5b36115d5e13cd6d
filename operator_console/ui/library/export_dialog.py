"""Asks where a session is exported to, and in which format: the format chosen changes the file's suffix."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from operator_console.domain.translations import _
from operator_console.ui.texts import library as texts
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
        self.setNameFilters(list(texts.EXPORT_FORMATS))
        self.setDirectory(str(folder if folder is not None and folder.is_dir() else _documents()))
        self._use(next(iter(texts.EXPORT_FORMATS.values())), session.stem)
        self.resize(self.sizeHint().expandedTo(QSize(wide(640), wide(440))))
        self.filterSelected.connect(self._format_chosen)
        self.fileSelected.connect(self._file_selected)

    def _format_chosen(self, words: str) -> None:
        named = Path(next(iter(self.selectedFiles()), self.session.stem))
        known = named.suffix in texts.EXPORT_FORMATS.values()
        self._use(texts.EXPORT_FORMATS[words], named.stem if known else named.name)

    def _use(self, suffix: str, stem: str) -> None:
        self.setDefaultSuffix(suffix.removeprefix("."))
        self.selectFile(f"{stem}{suffix}")

    def _file_selected(self, path: str) -> None:
        self.export_wanted.emit(Path(path))


def _documents() -> Path:
    found = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    return found if found.is_dir() else Path.home()
