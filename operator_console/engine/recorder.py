"""Records events: checks the state, queues the event for the journal, then publishes it, on the session's loop.

The journal writes on its own thread, so the session does not wait for the disk, with two exceptions: the first event of
a run, and `granted`, must be durable before anything else is done or sent. While such a wait is long, the state says
so. Where the journal cannot be written, `on_trouble` is called once, later events stay in memory, and `durable` raises
RecordError, so that no action happens unrecorded.

Passwords that were typed are replaced in all of it (`HiddenTexts`). Exceptions of an audience are logged and otherwise
ignored.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from operator_console.domain.codec import canonical
from operator_console.domain.consent import ConsentTrail
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, Granted, Record, SessionStarted, Warned
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Observation
from operator_console.domain.question_load import QuestionLoad
from operator_console.domain.recorded_requests import pictures_in, told_of
from operator_console.domain.states import Idle, State
from operator_console.engine.hidden_texts import HiddenTexts
from operator_console.engine.ports import Audience, Clock, Journal
from operator_console.engine.state_machine import AwaitDisk, DiskDone, Mark, next_state

_log = logging.getLogger(__name__)

SLOW_AFTER_S = 1.0
"""A longer wait for the disk is shown as a state, with a warning."""

MOST_BACKLOG_BYTES = 64 * 1024 * 1024
"""With more than this waiting to be written, no new picture is taken, so that memory stays bounded."""

_SLOW = Warned(
    title=notice(NoticeCode.DISK_SLOW),
    detail=notice(NoticeCode.DISK_SLOW_EFFECT),
)


class Recorder:
    """Records and publishes one session's events.

    Attributes:
        state: the session's state.
        begun: the first event of the run was recorded.
        load: how much was asked, and how quickly it was answered.
    """

    def __init__(
        self, clock: Clock, audiences: Sequence[Audience], on_trouble: Callable[[RecordError], None],
        hidden: HiddenTexts,
    ) -> None:  # fmt: skip
        self._clock = clock
        self._hidden = hidden
        self._consent = ConsentTrail()
        self.load = QuestionLoad()
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
        """Use this journal from now on. Must be called on the session's loop."""
        loop = asyncio.get_running_loop()

        def on_loop(heard: Callable[..., None], *args: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended before the journal
                loop.call_soon_threadsafe(heard, *args)

        self._journal = journal
        journal.watch(lambda seq: on_loop(self._written, seq), lambda error: on_loop(self._failed, error))

    def mark(self, mark: Mark) -> None:
        """Change the state without an event."""
        self._enter(next_state(self.state, mark, self._clock.monotonic()))

    async def begin(self, event: SessionStarted) -> None:
        """Write the first event of a run and wait until it is durable.

        If cancelled, the run has begun all the same: the event is queued.

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
        """Queue an event for the journal, then publish it. A permission is told what it rests on.

        Raises:
            PermissionError: a permission without an approval (a bug).
            IllegalTransition: the event is not possible in this state (a bug).
        """
        record = self._append(event)
        self._publish(record)
        return record

    async def make_room(self) -> None:
        """Wait while too much is queued in memory. Raises RecordError where it cannot be written."""
        if self._journal is not None and self._journal.backlog_bytes > MOST_BACKLOG_BYTES:
            await self.durable()

    async def write_again(self) -> RecordError | None:
        """Retry after a failure; the error where it still fails, None once everything is durable."""
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
        """Store a picture in the journal; returns its digest."""
        if self._journal is not None:
            self._journal.put_blob(picture.digest, picture.data, picture.mime_type)
        return picture.digest

    def keep_raw(self, raw: bytes) -> str:
        """Store a model's answer in the journal, verbatim but for passwords; its digest, "" for an empty one."""
        if not raw or self._journal is None:
            return ""
        raw = self._hidden.without_in_json(raw)
        digest = hashlib.sha256(raw).hexdigest()
        self._journal.put_blob(digest, raw, "application/json")
        return digest

    def keep_told(self, observation: Observation) -> str:
        """Store what the model was told beside the picture, with the pictures in it; returns its digest."""
        for picture in pictures_in(observation):
            self.keep_picture(picture)
        return self.keep_raw(canonical(told_of(observation)))

    def show_frame(self, frame: Frame) -> None:
        """Publish a frame to the audiences."""
        self._tell(lambda audience: audience.on_frame(frame))

    async def close(self) -> None:
        """Write what is queued and close the journal, in a thread because the disk may be slow. If cancelled, it is
        closed all the same, without waiting for it."""
        if self._journal is not None:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._journal.close))

    def _append(self, event: Event) -> Record:
        if self._journal is None:
            raise RuntimeError("events need a journal")
        event = self._hidden.without_in(event)
        if isinstance(event, Granted):
            event = replace(event, consent=self._consent.consent(event))
        next_state(self.state, event, self._clock.monotonic())  # raises before anything is written
        record = self._journal.append(event)
        self._consent.see(record.event)
        self.load = self.load.after(record.event)
        self._last = record.seq
        return record

    def _publish(self, record: Record) -> None:
        self.begun = True
        following = next_state(self.state, record.event, self._clock.monotonic())
        self._tell(lambda audience: audience.on_record(record))
        self._enter(following)

    async def durable(self) -> None:
        """Wait until everything emitted so far is on the disk; a long wait changes the state to WaitingForDisk.

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
            except Exception:  # noqa: BLE001 - a fault of an audience must not end the session
                _log.exception("an audience failed")
