"""A thread that waits on a display connection and can be woken and stopped from any other thread.

Its work waits on `wake_fd` besides the connection, and returns once `stopping` is true.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class StoppableThread:
    """Runs `work(self)` in a thread of its own. Starts once."""

    def __init__(self, name: str, work: Callable[[StoppableThread], None]) -> None:
        """`work` must not raise."""
        self._work = work
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._lock = threading.RLock()  # held during a callback, and while the pipe is used or closed
        self.wake_fd, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.stopping = False

    def start(self) -> None:
        """Start."""
        self._thread.start()

    def wake(self) -> None:
        """Make the work look again, from any thread."""
        with self._lock:
            if self._wake_writer >= 0:
                with suppress(BlockingIOError):  # the pipe is full: it will look
                    os.write(self._wake_writer, b"!")

    def woken(self) -> bool:
        """Whether it was woken since the last call; for the work."""
        try:
            return bool(os.read(self.wake_fd, 4096))
        except BlockingIOError:
            return False

    def stop(self) -> None:
        """Stop; no callback follows. Does not wait for the thread, because the display server may hang."""
        with self._lock:
            self.stopping = True
            self.wake()

    def notify(self, callback: Callable[[T], None], value: T) -> None:
        """Call back, unless it was stopped; for the work. The callback must not wait for a thread that stops this."""
        with self._lock:
            if not self.stopping:
                callback(value)

    @property
    def running(self) -> bool:
        """Whether the thread is running; it may be for some milliseconds after `stop`."""
        return self._thread.is_alive()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the thread of a stopped one has ended, at most `timeout_s`. Blocking."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._work(self)
        finally:
            with self._lock:
                os.close(self.wake_fd)
                os.close(self._wake_writer)
                self.wake_fd, self._wake_writer = -1, -1
