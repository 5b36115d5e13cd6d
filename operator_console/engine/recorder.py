"""Writes what happens: state checked, handed to the record, then published, in this order and on the session's loop.

The record writes on a thread of its own, so no event waits for the disk. Two do: the first one of a run, and the
intent before an act (`granted`), which must be durable before anything is sent. Where the disk takes long, the state
says so; where the record cannot be written, `on_trouble` is told once, what happens meanwhile stays in memory, and an
intent raises RecordError, so that nothing is done that is not recorded.

An audience that fails is logged and left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable, Sequence
from typing import Any

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Record, SessionStarted, Warned
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.states import Idle, State
from operator_console.engine.ports import Audience, Clock, Journal
from operator_console.engine.state_machine import AwaitDisk, DiskDone, Mark, next_state

_log = logging.getLogger(__name__)

SLOW_AFTER_S = 1.0
"""A wait for the disk that lasts longer is shown, and warned of."""

MOST_BACKLOG_BYTES = 64 * 1024 * 1024
"""Pictures that wait to be written. With more of them no new one is taken: memory stays bounded."""

_SLOW = Warned(
    title="The disk is slow.",
    detail="Actions wait until the record is written. Nothing is lost, and Stop works.",
)


class Recorder:
    """The one writer of a session. `state` is the session's state."""

    def __init__(self, clock: Clock, audiences: Sequence[Audience], on_trouble: Callable[[RecordError], None]) -> None:
        self._clock = clock
        self._on_trouble = on_trouble
        self._trouble: RecordError | None = None
        self._told_trouble = False
        self._told_slow = False
        self._last = self._durable = 0
        self._waiting: list[tuple[int, asyncio.Future[RecordError | None]]] = []
        self._audiences = tuple(audiences)
        self._journal: Journal | None = None
        self.begun = False
        self.state: State = Idle()

    def use(self, journal: Journal) -> None:
        """From now on events go into this file. On the session's loop."""
        loop = asyncio.get_running_loop()

        def on_loop(heard: Callable[..., None], *args: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended before its record
                loop.call_soon_threadsafe(heard, *args)

        self._journal = journal
        journal.watch(lambda seq: on_loop(self._written, seq), lambda error: on_loop(self._failed, error))

    def mark(self, mark: Mark) -> None:
        """Move the state by something that is no event."""
        self._enter(next_state(self.state, mark, self._clock.monotonic()))

    async def begin(self, event: SessionStarted) -> None:
        """Write the first event of a run; `begun` says whether it was.

        Cancelled, it has begun all the same: the event is on its way to the disk.

        Raises:
            RecordError: it cannot be written; the run has not begun.
        """
        record = self._append(event)
        try:
            await self.durable()
        except asyncio.CancelledError:
            self._publish(record)
            raise
        self._publish(record)

    def emit(self, event: Event) -> Record:
        """Hand an event to the record, then publish it.

        Raises:
            IllegalTransition: a bug.
        """
        record = self._append(event)
        self._publish(record)
        return record

    @property
    def trouble(self) -> RecordError | None:
        """What keeps the record from being written; None where nothing does."""
        return self._trouble

    async def make_room(self) -> None:
        """Wait where too much waits in memory to be written. Raises RecordError where it cannot be written."""
        if self._journal is not None and self._journal.backlog_bytes > MOST_BACKLOG_BYTES:
            await self.durable()

    async def write_again(self) -> RecordError | None:
        """Try to write what is in memory only; what still keeps it from being written, None where all is durable."""
        if self._journal is None or self._trouble is None:
            return None
        self._trouble = None
        self._journal.retry()
        try:
            await self.durable()
        except RecordError as error:
            return error
        self._told_trouble = False
        return None

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

    async def close(self) -> None:
        """Write what is left and close the file, in a thread: the disk may take long. Cancelled, it is closed all the
        same, only not waited for."""
        if self._journal is not None:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._journal.close))

    def _append(self, event: Event) -> Record:
        if self._journal is None:
            raise RuntimeError("events need a journal")
        next_state(self.state, event, self._clock.monotonic())  # raises before anything is written
        record = self._journal.append(event)
        self._last = record.seq
        return record

    def _publish(self, record: Record) -> None:
        self.begun = True
        following = next_state(self.state, record.event, self._clock.monotonic())
        self._tell(lambda audience: audience.on_record(record))
        self._enter(following)

    async def durable(self) -> None:
        """Wait until everything emitted so far is on the disk; where that takes long, the state says so.

        Raises:
            RecordError: it cannot be written.
        """
        if self._durable >= self._last:
            return
        if self._trouble is not None:
            raise self._trouble
        written: asyncio.Future[RecordError | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((self._last, written))
        slow = asyncio.ensure_future(self._clock.sleep(SLOW_AFTER_S))
        try:
            first: set[asyncio.Future[Any]] = {written, slow}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if written.done():
                self._told_slow = False
            else:
                await self._slowly(written)
        finally:
            slow.cancel()
            self._waiting = [each for each in self._waiting if each[1] is not written]
        if (error := written.result()) is not None:
            raise error

    async def _slowly(self, written: asyncio.Future[RecordError | None]) -> None:
        self.mark(AwaitDisk())
        try:
            if self.begun and not self._told_slow:
                self._told_slow = True
                self.emit(_SLOW)
            await asyncio.wait({written})
        finally:
            self.mark(DiskDone())

    def _written(self, seq: int) -> None:
        self._durable = max(self._durable, seq)
        for wanted, written in self._waiting:
            if wanted <= seq and not written.done():
                written.set_result(None)

    def _failed(self, error: RecordError) -> None:
        self._trouble = error
        for _, written in self._waiting:
            if not written.done():
                written.set_result(error)
        if self.begun and not self._told_trouble:
            self._told_trouble = True
            self._on_trouble(error)

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
