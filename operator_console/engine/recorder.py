"""Writes what happens: state checked, journalled, then published, in this order and on the session's loop.

The only caller of Journal.append and of the audience. An audience that fails is logged and left alone. Where the
journal fails, a run that has begun goes on in memory until it can be written again: `on_trouble` is told once, and what
would let something happen (`granted`) raises RecordError, so that nothing is done that is not recorded.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Granted, Record
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.states import Idle, State
from operator_console.engine.machine import Mark, next_state
from operator_console.engine.ports import Audience, Clock, Journal

_log = logging.getLogger(__name__)


class Recorder:
    """The one writer of a session. `state` is the session's state."""

    def __init__(self, clock: Clock, audiences: Sequence[Audience], on_trouble: Callable[[RecordError], None]) -> None:
        self._clock = clock
        self._on_trouble = on_trouble
        self._trouble: RecordError | None = None
        self._begun = False
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
        """Journal, then publish.

        Raises:
            IllegalTransition: a bug.
            RecordError: the first event, or a `granted`, cannot be written; it did not happen then.
        """
        if self._journal is None:
            raise RuntimeError("events need a journal")
        following = next_state(self.state, event, self._clock.monotonic())
        record = self._write(self._journal, event)
        self._tell(lambda audience: audience.on_record(record))
        self._enter(following)
        return record

    def write_again(self) -> RecordError | None:
        """Try to write what is in memory only; what still keeps it from being written, None where all is durable."""
        if self._journal is None or self._trouble is None:
            return None
        try:
            self._journal.flush()
        except RecordError as error:
            self._trouble = error
        else:
            self._trouble = None
        return self._trouble

    def _write(self, journal: Journal, event: Event) -> Record:
        if self._trouble is None:
            try:
                record = journal.append(event)
            except RecordError as error:
                if not self._begun:
                    raise
                self._trouble = error
                self._on_trouble(error)
            else:
                self._begun = True
                return record
        if isinstance(event, Granted):
            raise self._trouble
        return journal.defer(event)

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
            if (left := self.write_again()) is not None:
                _log.error("the end of the session could not be recorded: %s", left)
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
