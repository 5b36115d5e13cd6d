"""The sessions library: reads the list and the thumbnails, and does what its window asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _, ngettext
from operator_console.ui.backend import ConsoleBackend, SessionSummary, VerifyFinding, VerifyReport
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.exports import ExportController
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.library.sessions_model import Note, NoteTone, title_of
from operator_console.ui.theme_colours import Theme, Tokens
from operator_console.ui.view.words import size_words
from operator_console.ui.widgets.images import decode_picture
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.library.library_window import LibraryWindow, RenameDialog

LIST_TASK, THUMBNAILS_TASK = "sessions", "thumbnails"
WAITING_THUMBNAILS = 40
"""Requests for thumbnails that wait; older ones are of rows that were scrolled away."""


class LibraryController(QObject):
    """Opens the library and serves it.

    Signals:
        chosen: a file should be opened; carries its Path.
        set_up_wanted: a session should be set up; no payload.
        moved: a session file was renamed; carries (old Path, new Path).
        deleted: a session file was deleted; carries its Path.
    """

    chosen = Signal(object)
    set_up_wanted = Signal()
    moved = Signal(object)
    deleted = Signal(object)

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, parent: MainWindow, theme: Theme, exports: ExportController
    ) -> None:
        super().__init__()
        self._backend, self._bridge, self._parent, self._theme = backend, bridge, parent, theme
        self._exports = exports
        self._window: LibraryWindow | None = None
        self._wanted: list[SessionSummary] = []
        self._deleting: SessionSummary | None = None
        theme.changed.connect(self._theme_changed)
        exports.progressed.connect(self._exported)

    @property
    def window(self) -> LibraryWindow | None:
        """The library's window; None while closed."""
        return self._window

    def show(self) -> None:
        """Open the library, or raise it."""
        if self._window is None:
            from operator_console.ui.library.library_window import LibraryWindow  # not before it is wanted

            window = self._window = LibraryWindow(self._theme.tokens, self._parent.chosen_sizes, self._parent)
            window.chosen.connect(self.chosen)
            window.verify_wanted.connect(self._verify_wanted)
            window.export_wanted.connect(self._export_wanted)
            window.cancel_wanted.connect(self._cancel_wanted)
            window.written_wanted.connect(self._exports.open_written)
            window.rename_wanted.connect(self._rename_wanted)
            window.delete_wanted.connect(self._delete_wanted)
            window.thumbnail_wanted.connect(self._thumbnail_wanted)
            window.set_up_wanted.connect(self._set_up)
            window.again_wanted.connect(self._read)
            window.finished.connect(self._closed)
            window.show()
        else:
            self._window.raise_()
            self._window.activateWindow()
        self._read()

    def close(self) -> None:
        """Close it."""
        if self._window is not None:
            self._window.close()

    def refuse(self, path: Path, text: str) -> bool:
        """Say in the library why a file is not opened; False if it is closed."""
        if self._window is None:
            return False
        self._window.note(path, Note(text=text, tone=NoteTone.BAD))
        self._window.say(text)
        return True

    # the list

    def _read(self) -> None:
        self._bridge.run(LIST_TASK, self._list())

    async def _list(self, select: Path | None = None) -> None:
        try:
            found = await self._backend.sessions()
        except ConsoleError as error:
            if self._window is not None:
                self._window.show_error(error)
            return
        if self._window is not None:
            self._window.show_sessions(found, select)

    def _thumbnail_wanted(self, summary: SessionSummary) -> None:
        self._wanted.append(summary)
        if len(self._wanted) > WAITING_THUMBNAILS and self._window is not None:
            self._window.forget_thumbnail(self._wanted.pop(0))
        if not self._bridge.running(THUMBNAILS_TASK):
            self._bridge.run(THUMBNAILS_TASK, self._thumbnails())

    async def _thumbnails(self) -> None:
        """One after another, the last request first: that row is in view."""
        while self._wanted and self._window is not None:
            summary = self._wanted.pop()
            image = await self._thumbnail(summary, self._window.list.wanted_pixels)
            if self._window is not None:
                self._window.list.put_picture(summary, image)

    async def _thumbnail(self, summary: SessionSummary, within: QSize) -> QImage | None:
        try:
            data = await self._backend.session_picture(summary.path, summary.picture)
        except ConsoleError:
            return None  # the row says so when it is opened or verified
        return await asyncio.to_thread(decode_picture, data, within) if data is not None else None

    # what is asked for

    def _verify_wanted(self, summary: SessionSummary) -> None:
        self._note(summary.path, Note(text=_("Checking that nothing was changed…")))
        self._bridge.run(f"verify {summary.path}", self._verify(summary.path))

    async def _verify(self, path: Path) -> None:
        try:
            report = await self._backend.verify_session(path)
        except ConsoleError as error:
            self._note(path, failure(error))
            return
        self._note(path, verified(report))

    def _export_wanted(self, summary: SessionSummary) -> None:
        self._exports.ask(summary.path, self._window)

    def _cancel_wanted(self, summary: SessionSummary) -> None:
        self._exports.cancel(summary.path)

    def _exported(self, path: Path, note: Note) -> None:
        self._note(path, note)

    def _rename_wanted(self, summary: SessionSummary) -> None:
        from operator_console.ui.library.library_window import RenameDialog

        dialog = RenameDialog(summary.path, self._window)
        dialog.named.connect(self._named)
        dialog.open()

    def _named(self, dialog: RenameDialog) -> None:
        self._bridge.run("rename", self._rename(dialog))

    async def _rename(self, dialog: RenameDialog) -> None:
        path = dialog.session
        try:
            renamed = await self._backend.rename_session(path, dialog.line.text())
        except ConsoleError as error:
            dialog.refuse(failure(error).text)
            return
        dialog.accept()
        self._note(path, None)
        if renamed != path:
            self.moved.emit((path, renamed))
            await self._list(renamed)
            self._note(renamed, Note(text=_("Renamed to “{name}”.").format(name=renamed.stem), tone=NoteTone.GOOD))

    def _delete_wanted(self, summary: SessionSummary) -> None:
        detail = _(
            "“{title}” ({size}). The file with its pictures and everything typed is removed from "
            "this computer, and so is what a browser of the session saved beside it. You cannot undo "
            "this."
        ).format(title=title_of(summary), size=size_words(summary.size_bytes))
        self._deleting = summary
        dialog = ConfirmDialog(_("Delete this session?"), detail, _("Delete"), _("Keep"), self._window)
        dialog.confirmed.connect(self._delete_confirmed)
        dialog.open()

    def _delete_confirmed(self) -> None:
        summary, self._deleting = self._deleting, None
        if summary is not None:
            self._bridge.run(f"delete {summary.path}", self._delete(summary))

    async def _delete(self, summary: SessionSummary) -> None:
        try:
            freed = await self._backend.delete_session(summary.path)
        except ConsoleError as error:
            self._note(summary.path, failure(error))
            return
        self.deleted.emit(summary.path)
        await self._list()
        if self._window is not None:
            self._window.say(
                _("Deleted “{title}”: {size} freed.").format(title=title_of(summary), size=size_words(freed))
            )

    def _note(self, path: Path, note: Note | None) -> None:
        if self._window is not None:
            self._window.note(path, note)

    def _set_up(self) -> None:
        self.close()
        self.set_up_wanted.emit()

    def _theme_changed(self, tokens: Tokens) -> None:
        if self._window is not None:
            self._window.set_tokens(tokens)

    def _closed(self, _result: int) -> None:
        self._window = None
        self._wanted.clear()
        self._bridge.cancel(LIST_TASK)
        self._exports.show_in_console()


def failure(error: ConsoleError) -> Note:
    """An error as the note of a row."""
    text = " ".join(filter(None, error.worded))
    return Note(text=text, tone=NoteTone.BAD)


def verified(report: VerifyReport) -> Note:
    """What a verification found, as the note of a row."""
    match report.finding:
        case VerifyFinding.INTACT:
            text, tone = _("Intact: unchanged since it was recorded here"), NoteTone.GOOD
        case VerifyFinding.DAMAGED:
            text, tone = _("Damaged: changed or incomplete"), NoteTone.BAD
        case _:
            text, tone = _("Consistent, but recorded on another computer or by another user"), NoteTone.PLAIN
    if not report.remarks:
        events = ngettext("{count} event", "{count} events", report.events).format(count=report.events)
        blobs = ngettext("{count} picture or answer", "{count} pictures and answers", report.blobs)
        text = f"{text} ({events}, {blobs.format(count=report.blobs)})"
    return Note(text=" ".join((f"{text}.", *report.remarks)), tone=tone)
