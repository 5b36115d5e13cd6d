"""Session files: the list, and the file that is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from operator_console.ui.backend import ConsoleBackend, OpenRecord
from operator_console.ui.bridge import Bridge
from operator_console.ui.dialogs.sessions import SessionsDialog
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.window import MainWindow


class RecordController(QObject):
    """Shows the list of session files and opens one.

    Signals:
        chosen: a file should be opened; carries its Path.
        opened: carries the OpenRecord.
        noticed: there is a notice about a file; carries a Notice.
    """

    chosen = Signal(object)
    opened = Signal(object)
    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._dialog: SessionsDialog | None = None
        self.record: OpenRecord | None = None

    @property
    def dialog(self) -> SessionsDialog | None:
        """The open list; None while closed."""
        return self._dialog

    def show_list(self) -> None:
        """Open the list of session files."""
        dialog = self._dialog = SessionsDialog(self._window)
        dialog.chosen.connect(self.chosen)
        dialog.finished.connect(self._list_closed)
        dialog.open()
        self._bridge.run("sessions", self._list())

    def open(self, path: Path) -> None:
        """Open a file; `opened` follows, or the task fails with an error."""
        self._bridge.run("open", self._open(path))

    def look_for_interrupted(self) -> None:
        """Offer the record of a session that a crash of the console interrupted."""
        self._bridge.run("interrupted", self._interrupted())

    def close(self) -> None:
        """Close the open file."""
        self._window.transport.pause()
        record, self.record = self.record, None
        if record is not None:
            record.close()

    async def _interrupted(self) -> None:
        summary = await self._backend.interrupted()
        if summary is not None:
            self.noticed.emit(Notice(
                tone=Tone.INFO, title="The last session was interrupted.", detail=f"Its record is kept: {summary.task}",
                act="Open record", key=f"open:{summary.path}",
            ))  # fmt: skip

    async def _list(self) -> None:
        found = await self._backend.sessions()
        if self._dialog is not None:
            self._dialog.show_sessions(found)

    async def _open(self, path: Path) -> None:
        record = await self._backend.open_record(path)
        self.close()
        self.record = record
        self.opened.emit(record)

    def _list_closed(self, _result: int) -> None:
        self._dialog = None
