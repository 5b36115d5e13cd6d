"""The session file that is open for reading, and its replay: the place moves with the chosen step and the inspector."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.backend import ConsoleBackend, OpenRecord, SessionSummary
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.preview_pictures import Pictures
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.panels.playback import Transport
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.replayed_record import Replay
from operator_console.ui.view.session_view import Item, Note, Step
from operator_console.ui.view.words import task_line
from operator_console.ui.window import MainWindow

OPEN_KEY = "open:"


class RecordController(QObject):
    """Opens and closes a session file.

    Signals:
        opened: carries the OpenRecord.
        failed: a file was not opened; carries its Path and the ConsoleError.
        moved: the file that is open is read from another path now; carries the OpenRecord.
        noticed: there is a notice about a file; carries a Notice.
    """

    opened = Signal(object)
    failed = Signal(object, object)
    moved = Signal(object)
    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self.record: OpenRecord | None = None
        self.replay = Replay.of(())
        self._cut_off: SessionSummary | None = None

    def open(self, path: Path) -> None:
        """Open a file; `opened` or `failed` follows."""
        self._bridge.run("open", self._open(path))

    def move(self, path: Path) -> None:
        """Read the open file from its new path; its place stays. `moved` or `failed` follows."""
        self._bridge.run("move", self._move(path))

    def look_for_interrupted(self) -> None:
        """Offer the record of a session that a crash of the console interrupted."""
        self._bridge.run("interrupted", self._interrupted())

    def offer_moved(self, before: Path, after: Path) -> Notice | None:
        """The notice of the interrupted session, whose file had the path `before`; None if that is another file."""
        if self._cut_off is None or self._cut_off.path.absolute() != before.absolute():
            return None
        self._cut_off = replace(self._cut_off, path=after)
        return _offer_of(self._cut_off)

    def close(self) -> None:
        """Close the open file."""
        self._window.transport.pause()
        record, self.record, self.replay = self.record, None, Replay.of(())
        if record is not None:
            record.close()

    async def _interrupted(self) -> None:
        self._cut_off = await self._backend.interrupted()
        if self._cut_off is not None:
            self.noticed.emit(_offer_of(self._cut_off))

    async def _move(self, path: Path) -> None:
        before = self.record
        try:
            record = await self._backend.open_record(path)
        except ConsoleError as error:
            self.failed.emit(path, error)
            return
        if before is None or self.record is not before:  # closed meanwhile, or another one was opened
            record.close()
            return
        self.record = record
        self.moved.emit(record)
        before.close()

    async def _open(self, path: Path) -> None:
        try:
            record = await self._backend.open_record(path)
        except ConsoleError as error:
            self.failed.emit(path, error)
            return
        try:
            replay = await asyncio.to_thread(Replay.of, record.records, interrupted=record.cut_off)
        except BaseException:
            record.close()
            raise
        self.close()
        self.record, self.replay = record, replay
        self.opened.emit(record)


def offer_key(path: Path) -> str:
    """The key of the notice that offers to open a file."""
    return f"{OPEN_KEY}{path}"


def _offer_of(summary: SessionSummary) -> Notice:
    task = task_line(summary.task, runbook=summary.is_runbook)
    name, folder = brief(summary.path.name, 200), brief(str(summary.path.parent), 400)
    kept = _("Its record is kept as “{name}” in {folder}.").format(name=name, folder=folder)
    return Notice(
        tone=Tone.INFO, title=_("The last session was interrupted."),
        detail=f"{kept} {_('Task: {task}').format(task=task)}" if task else kept,
        act=_("Open record"), key=offer_key(summary.path),
    )  # fmt: skip


class ReplayController(QObject):
    """A chosen step moves the place of the record; a moved place moves the choice, if there is one.

    Signals:
        moved: the place changed; carries the SessionView there.
    """

    moved = Signal(object)

    def __init__(self, transport: Transport, timeline: Timeline, pictures: Pictures) -> None:
        super().__init__()
        self._transport, self._timeline, self._pictures = transport, timeline, pictures
        self._replay: Replay | None = None
        self._choosing = False
        transport.moved.connect(self._moved)
        timeline.chosen.connect(self._chosen)

    @property
    def whole(self) -> ChunkedList[Item] | None:
        """Everything in the record, reached or not; None without one."""
        return self._replay.whole.items if self._replay is not None else None

    def open(self, replay: Replay) -> None:
        """Show a record, at its end."""
        self._replay = replay
        self._transport.open_replay(replay)

    def close(self) -> None:
        """Forget the record."""
        self._replay = None

    def _moved(self, place: int) -> None:
        replay = self._replay
        if replay is None:
            return
        item = replay.item_at(place)
        if self._pictures.chosen is not None and not self._choosing:
            if item is None:  # before everything: the step that was chosen is a later one
                self._pictures.back_to_live()
            else:
                self._pictures.follow(item)
                self._timeline.mark_chosen(item)
        self.moved.emit(replay.view_at(place))

    def _chosen(self, item: object) -> None:
        if self._replay is None or not isinstance(item, Step | Note):
            return
        self._choosing = True
        self._transport.go_to_item(item)
        self._choosing = False
