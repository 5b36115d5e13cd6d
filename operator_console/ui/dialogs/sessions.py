"""The list of recorded sessions; one of them, or another file, can be opened. Opened with `open()`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QDialog, QFileDialog, QHBoxLayout, QListView, QWidget

from operator_console.engine.action_wording import brief
from operator_console.ui.backend import SessionSummary
from operator_console.ui.view.session_view import parse_time
from operator_console.ui.view.words import size_words, task_line
from operator_console.ui.widgets.controls import GRID, button, column, label

PATH_ROLE = Qt.ItemDataRole.UserRole + 1


class SessionsDialog(QDialog):
    """Lists session files.

    Signals:
        chosen: carries the Path of a session file.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle("Sessions — Operator console")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 420)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label("Open a session", "title"))
        self._note = label("Looking for sessions…", "secondary", wrap=True)
        rows.addWidget(self._note)
        self.files = QListView()
        self.files.setProperty("role", "boxed")
        self.files.setAccessibleName("Sessions")
        self.files.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._model = QStandardItemModel(self)
        self.files.setModel(self._model)
        rows.addWidget(self.files, 1)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        self.other = button("Other file…")
        self.cancel = button("Cancel")
        self.open_file = button("Open", "primary")
        self.open_file.setEnabled(False)
        line.addWidget(self.other)
        line.addStretch(1)
        line.addWidget(self.cancel)
        line.addWidget(self.open_file)
        rows.addLayout(line)
        self.files.activated.connect(self._activated)
        self.files.selectionModel().currentChanged.connect(self._current)
        self.open_file.clicked.connect(self._open_clicked)
        self.cancel.clicked.connect(self.reject)
        self.other.clicked.connect(self._other_clicked)

    def show_sessions(self, sessions: Sequence[SessionSummary]) -> None:
        """Show the session files."""
        self._model.clear()
        for summary in sessions:
            item = QStandardItem(session_words(summary))
            item.setData(str(summary.path), PATH_ROLE)
            item.setToolTip(f"{brief(summary.task, 2_000)}\n{summary.path}")
            self._model.appendRow(item)
        many = "These files contain everything typed, passwords included." if sessions else "No sessions yet."
        self._note.setText(many)
        if sessions:
            self.files.setCurrentIndex(self._model.index(0, 0))
            self.files.setFocus(Qt.FocusReason.OtherFocusReason)

    def _current(self, index: QModelIndex, _before: QModelIndex) -> None:
        self.open_file.setEnabled(index.isValid())

    def _activated(self, index: QModelIndex) -> None:
        self._choose(Path(index.data(PATH_ROLE)))

    def _open_clicked(self) -> None:
        index = self.files.currentIndex()
        if index.isValid():
            self._activated(index)

    def _other_clicked(self) -> None:
        dialog = QFileDialog(self, "Open a session", "", "Sessions (*.ocsession);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._file_selected)
        dialog.open()

    def _file_selected(self, path: str) -> None:
        self._choose(Path(path))

    def _choose(self, path: Path) -> None:
        self.chosen.emit(path)
        self.accept()


def session_words(summary: SessionSummary) -> str:
    """Describe a file in two lines: its task; when, how it ended, steps, size."""
    began = parse_time(summary.started)
    when = began.astimezone().strftime("%Y-%m-%d %H:%M") if began is not None else ""
    ended = summary.outcome or "interrupted"
    parts = [when, ended, f"{summary.steps} steps", size_words(summary.size_bytes)]
    return f"{task_line(summary.task, 90)}\n{' · '.join(part for part in parts if part)}"
