"""The live picture of a target for the preview: grabbed when something was painted, up to 60 times a second.

By the same capture path as the model's pictures, on a thread and a connection of its own, so that neither waits for the
other. Nothing is grabbed while nothing changes.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.computers.live_frames import LiveFrames
from operator_console.desktop.protocols import PaintWatch
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds

LEAST_GAP_S = 1 / 60
_POLL_S = 0.1  # without XDamage
_RETRY_S = 0.5  # while the target cannot be seen
_LOOK_AGAIN_S = 1.0  # without any event: whether the target is still there, and under which title
_FOR_GOOD = frozenset({UnavailableReason.GONE, UnavailableReason.NO_DISPLAY})

T = TypeVar("T")
SomeEye = MonitorEye | WindowEye
OnFrame = Callable[[Frame], None]
OnLost = Callable[[ConsoleError], None]

_log = logging.getLogger(__name__)


class LiveSource:
    """Frames of one target, handed to callbacks in this source's own thread.

    `on_frame(Frame)`: whenever the picture may have changed. `on_lost(ConsoleError)`: once when the target cannot be
    seen (minimised, gone ...); frames go on when it can be seen again. A gone target ends the source.
    `on_same(Frame)`: it was looked at again, about once a second, and the picture is still the same.
    """

    def __init__(self, make_eye: Callable[[], SomeEye]) -> None:
        self._make_eye = make_eye
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()  # held while a callback runs, and around the pipe's life
        self._wake_fd, self._bell = -1, -1
        self._stopping = False
        self._on_frame: OnFrame = _ignore
        self._on_lost: OnLost = _ignore
        self._on_same: OnFrame = _ignore

    def start(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame | None = None) -> None:
        """Begin. The callbacks must be quick, must not raise, and must not wait for the thread that calls `stop`."""
        assert self._thread is None, "a source starts once"
        self._on_frame, self._on_lost, self._on_same = on_frame, on_lost, on_same or _ignore
        self._wake_fd, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="live", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """No callback comes after this. Does not wait for the thread: a server that hangs must not hold the caller."""
        with self._lock:
            if self._stopping or self._thread is None:
                return
            self._stopping = True
            if self._bell >= 0:
                os.write(self._bell, b"!")

    @property
    def running(self) -> bool:
        """Whether its thread still runs; for some milliseconds also after `stop`."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the thread of a stopped source, `timeout_s` at most. Blocking."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._look_until_stopped()
        finally:
            with self._lock:
                os.close(self._wake_fd)
                os.close(self._bell)
                self._wake_fd, self._bell = -1, -1

    def _look_until_stopped(self) -> None:
        try:
            eye = self._make_eye()
        except ConsoleError as error:
            self._tell(self._on_lost, error)
            return
        try:
            self._look(eye)
        except ConsoleError as error:
            self._tell(self._on_lost, error)
        except Exception:  # noqa: BLE001
            # A supervisor: the preview may fail, the session must not.
            _log.exception("the live picture stopped")
            self._tell(self._on_lost, ConsoleError("The live picture stopped.", remedy="Choose the target again."))
        finally:
            eye.close()

    def _tell(self, callback: Callable[[T], None], value: T) -> None:
        with self._lock:
            if not self._stopping:
                callback(value)

    def _look(self, eye: SomeEye) -> None:
        said = False
        while not self._stopping:
            try:
                with eye.display.losing():
                    for frame in self._frames(eye):
                        said = False
                        self._tell(self._on_frame, frame)
            except ComputerUnavailable as error:
                if error.reason in _FOR_GOOD:
                    raise
                if not said:
                    self._tell(self._on_lost, error)
                said = True
                self._idle(_RETRY_S)

    def _frames(self, eye: SomeEye) -> Iterator[Frame]:
        """Frames while the target can be seen, each time the picture changed."""
        watch, needs, last_id = eye.watch(), ImageNeeds(), ""
        row = LiveFrames(eye, watch)
        try:
            while not self._stopping:
                version, began = eye.capture.scene.version, time.monotonic()
                frame = row.next(needs)
                if frame.frame_id != last_id:
                    last_id = frame.frame_id
                    yield frame
                else:
                    self._tell(self._on_same, frame)
                self._idle(LEAST_GAP_S - (time.monotonic() - began))
                self._await_change(eye, watch, version)
        finally:
            watch.close()

    def _await_change(self, eye: SomeEye, watch: PaintWatch, version: int) -> None:
        if not watch.available:
            self._idle(_POLL_S)
            return
        deadline = time.monotonic() + _LOOK_AGAIN_S
        eye.display.pump()
        while not (self._stopping or watch.pending or eye.capture.scene.version != version):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            eye.display.wait(left, also=self._wake_fd)

    def _idle(self, seconds: float) -> None:
        if seconds > 0:
            select.select([self._wake_fd], [], [], seconds)


def _ignore(_: object) -> None:
    return
