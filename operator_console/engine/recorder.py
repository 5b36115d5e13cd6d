"""Writes what happens: state checked, journalled, then published, in this order and on the session's loop.

The only caller of Journal.append and of the audience. An audience that fails is logged and left alone; a journal
that fails raises RecordError, and then the event did not happen.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence

from operator_console.domain.events import Event, Record
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.states import Idle, State
from operator_console.engine.machine import Mark, next_state
from operator_console.engine.ports import Audience, Clock, Journal

_log = logging.getLogger(__name__)


class Recorder:
    """The one writer of a session. `state` is the session's state."""

    def __init__(self, clock: Clock, audiences: Sequence[Audience]) -> None:
        self._clock = clock
        self._audiences = tuple(audiences)
        self._journal: Journal | None = None
        self.state: State = Idle()

    @property
    def open(self) -> bool:
        """Whether there is a file to write to."""
        return self._journal is not None

    def use(self, journal: Journal) -> None:
        """From now on events go into this file."""
        self._journal = journal

    def mark(self, mark: Mark) -> None:
        """Move the state by something that is no event."""
        self._enter(next_state(self.state, mark, self._clock.monotonic()))

    def emit(self, event: Event) -> Record:
        """Journal, then publish. Raises IllegalTransition (a bug) and RecordError (nothing was published then)."""
        if self._journal is None:
            raise RuntimeError("events need a journal")
        following = next_state(self.state, event, self._clock.monotonic())
        record = self._journal.append(event)
        self._tell(lambda audience: audience.on_record(record))
        self._enter(following)
        return record

    def keep_picture(self, picture: Picture) -> str:
        """Put a picture into the record; its digest."""
        if self._journal is not None:
            self._journal.put_blob(picture.digest, picture.data, picture.mime_type)
        return picture.digest

    def keep_raw(self, raw: bytes) -> str:
        """Put a verbatim answer into the record; its digest, "" for nothing."""
        if not raw or self._journal is None:
            return ""
        digest = hashlib.sha256(raw).hexdigest()
        self._journal.put_blob(digest, raw, "application/json")
        return digest

    def show_frame(self, frame: Frame) -> None:
        """Let the audience see a frame."""
        self._tell(lambda audience: audience.on_frame(frame))

    def close(self) -> None:
        """Close the file."""
        if self._journal is not None:
            self._journal.close()

    def _enter(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._tell(lambda audience: audience.on_state(state))

    def _tell(self, say: Callable[[Audience], None]) -> None:
        for audience in self._audiences:
            try:
                say(audience)
            except Exception:  # noqa: BLE001 - a watcher's fault must not end what it watches
                _log.exception("an audience failed")
