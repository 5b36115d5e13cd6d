"""The record that is replayed: keeps its place, the chosen step and the inspector together."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from operator_console.ui.controllers.playback import Transport
from operator_console.ui.controllers.stage_pictures import Pictures
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.replayed_record import Replay
from operator_console.ui.view.session_view import Item, Note, Step


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

    def _moved(self, place: object) -> None:
        replay = self._replay
        if replay is None:
            return
        assert isinstance(place, int)
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
