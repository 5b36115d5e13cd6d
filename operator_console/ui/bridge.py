"""Connects the event loop and the widgets: runs named, supervised tasks and turns events into Qt signals.

Records and states arrive on the loop and are passed on one by one. Live frames arrive on a worker thread, and only the
latest is passed on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from operator_console.domain.errors import ConsoleError
from operator_console.domain.events import Record
from operator_console.domain.frames import Frame
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.states import State
from operator_console.ui.backend import ConsoleBackend, GuardStatus, PictureSource, TargetChoice
from operator_console.ui.widgets.images import decode_picture

log = logging.getLogger(__name__)

FRAME_MS = 16
"""Least time between live frames: at most sixty a second reach the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCame:
    """A session wrote a record."""

    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCame:
    """A session's state changed."""

    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownToModel:
    """The model was shown a frame."""

    frame: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardCame:
    """The guard's status changed."""

    status: GuardStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTrouble:
    """The target cannot be captured."""

    error: ConsoleError


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCame:
    """A picture of the record was read; None if the record lacks it."""

    digest: str
    image: QImage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed:
    """A task of the window ended with an error for people."""

    name: str
    error: ConsoleError


Happening: TypeAlias = RecordCame | StateCame | ShownToModel | GuardCame | TargetTrouble | PictureCame | TaskFailed


class Bridge(QObject):
    """Task runner, signal source and audience of the session.

    Attributes:
        watched: the target of the live frames; "" for none.

    Signals:
        happened: carries a Happening.
        frame: carries the latest live Frame.
        targets: the list of targets changed; carries a sequence of TargetChoice.
        reduced_motion: carries whether the desktop asks for reduced motion now.
        looked: a live frame was taken, changed or not; carries the Frame.
        ended: a task ended, failed or was cancelled; carries its name.
    """

    happened = Signal(object)
    frame = Signal(object)
    looked = Signal(object)
    targets = Signal(object)
    reduced_motion = Signal(object)
    ended = Signal(object)
    _wake = Signal()

    def __init__(self, backend: ConsoleBackend) -> None:
        super().__init__()
        self._backend = backend
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()
        self._latest: Frame | None = None
        self._trouble: ConsoleError | None = None
        self._wake_pending = self._closed = False
        self._watched = 0
        self.watched = ""
        self._unwatch: Callable[[], None] | None = None
        self._unwatch_targets: Callable[[], None] | None = None
        self._throttle = QTimer(self)
        self._throttle.setSingleShot(True)
        self._throttle.setTimerType(Qt.TimerType.PreciseTimer)
        self._delivered_s = 0.0
        self._throttle.timeout.connect(self._deliver)
        self._last_id = ""
        self._wake.connect(self._schedule_delivery)
        self._unsubscribe = backend.subscribe_guard(self._guard_came)

    # tasks

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; one of the same name that still runs is cancelled first. None starts after `close`."""
        if self._closed:  # a timer may still ask for one before the widgets that it is about are gone
            work.close()
            return
        self.cancel(name)

        def ended(_task: asyncio.Task[None]) -> None:
            work.close()  # if it was cancelled before its first step, nothing else closes it

        task = asyncio.get_running_loop().create_task(self._supervised(name, work), name=f"window: {name}")
        self._tasks[name] = task
        task.add_done_callback(self._task_done)
        task.add_done_callback(ended)

    def cancel(self, name: str) -> None:
        """Cancel a task."""
        task = self._tasks.pop(name, None)
        if task is not None and task.cancel():
            self._ending.add(task)

    def running(self, name: str) -> bool:
        """Whether a task of this name runs."""
        task = self._tasks.get(name)
        return task is not None and not task.done()  # a finished one stays listed until its callbacks ran

    async def _supervised(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ConsoleError as error:
            self.happened.emit(TaskFailed(name=name, error=error))
        except Exception as error:  # a bug of ours: report it and keep the window alive
            log.exception("The window's task %r failed", name)
            reported = ConsoleError(
                notice(NoticeCode.CONSOLE_TASK_FAILED),
                detail=f"{type(error).__name__}: {error}",
                remedy=notice(NoticeCode.SESSION_CONTINUES),
            )
            self.happened.emit(TaskFailed(name=name, error=reported))

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        for name, known in list(self._tasks.items()):
            if known is task:
                del self._tasks[name]
                self.ended.emit(name)

    async def close(self) -> None:
        """Cancel every task and stop the live frames."""
        self._closed = True
        self.watch(None)
        if self._unwatch_targets is not None:
            self._unwatch_targets()
        self._unsubscribe()
        self._throttle.stop()
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._ending, return_exceptions=True)

    # events of the session (Audience)

    def on_record(self, record: Record) -> None:
        """The session wrote a record."""
        self.happened.emit(RecordCame(record=record))

    def on_state(self, state: State) -> None:
        """The session's state changed."""
        self.happened.emit(StateCame(state=state))

    def on_frame(self, frame: Frame) -> None:
        """The model was shown a frame."""
        self.happened.emit(ShownToModel(frame=frame))

    def _guard_came(self, status: GuardStatus) -> None:
        self.happened.emit(GuardCame(status=status))

    # targets and live frames

    def watch_targets(self) -> None:
        """Emit `targets` now and after each change. Once."""
        if self._unwatch_targets is None:
            self._unwatch_targets = self._backend.watch_targets(self._targets_came)

    def watch_reduced_motion(self) -> None:
        """Emit `reduced_motion` after each change, and soon if the desktop asks for it now. Once."""
        self._backend.watch_reduced_motion(self._motion_came)

    def _motion_came(self, reduced: bool) -> None:
        """Pass it on to the window's thread. Called on a worker thread."""
        self.reduced_motion.emit(reduced)

    def _targets_came(self, targets: Sequence[TargetChoice]) -> None:
        """Pass the list on to the window's thread. Called on a worker thread."""
        self.targets.emit(tuple(targets))

    def watch(self, target: str | None) -> None:
        """Show live frames of this target from now on; None: of no target."""
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        with self._lock:
            self._watched += 1
            self._latest, self._trouble, self._last_id = None, None, ""
            turn = self._watched
        self.watched = target or ""
        if target is None:
            return

        def on_frame(frame: Frame) -> None:
            self._store_latest(turn, frame, None)

        def on_trouble(error: ConsoleError) -> None:
            self._store_latest(turn, None, error)

        self._unwatch = self._backend.watch(target, on_frame, on_trouble)

    def _store_latest(self, turn: int, frame: Frame | None, error: ConsoleError | None) -> None:
        """Keep the latest frame and wake the window's thread once. Called on any thread."""
        with self._lock:
            if turn != self._watched:
                return
            self._latest, self._trouble = _rebase_change(self._latest, frame), error
            if self._wake_pending:
                return
            self._wake_pending = True
        self._wake.emit()

    def _schedule_delivery(self) -> None:
        if not self._throttle.isActive():
            since_ms = (time.monotonic() - self._delivered_s) * 1000
            self._throttle.start(max(0, round(FRAME_MS - since_ms)))

    def _deliver(self) -> None:
        self._delivered_s = time.monotonic()
        with self._lock:
            frame, trouble = self._latest, self._trouble
            self._latest, self._trouble, self._wake_pending = None, None, False
        if trouble is not None:
            self.happened.emit(TargetTrouble(error=trouble))
        if frame is None:
            return
        self.looked.emit(frame)
        if frame.frame_id != self._last_id:
            self._last_id = frame.frame_id
            self.frame.emit(frame)

    # pictures of a record

    def want_picture(self, source: PictureSource, digest: str) -> None:
        """Read and decode a picture in a thread; `PictureCame` follows."""
        name = f"picture {digest}"
        if not self.running(name):
            self.run(name, self._picture(source, digest))

    async def _picture(self, source: PictureSource, digest: str) -> None:
        image = await asyncio.to_thread(_decode, source, digest)
        self.happened.emit(PictureCame(digest=digest, image=image))


def _rebase_change(undelivered: Frame | None, frame: Frame | None) -> Frame | None:
    """The frame with its change relative to the last delivered frame instead of a skipped one."""
    if undelivered is None or frame is None or frame.change is None or frame.change.since != undelivered.frame_id:
        return frame
    earlier = undelivered.change
    return replace(frame, change=frame.change.after(earlier) if earlier is not None else None)


def _decode(source: PictureSource, digest: str) -> QImage | None:
    data = source.blob(digest)
    return None if data is None else decode_picture(data)
