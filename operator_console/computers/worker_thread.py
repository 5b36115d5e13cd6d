"""One thread in which a computer's blocking calls run, one after the other.

A call that waits must also wait on `wake_fd`, and return once `interrupted` is true.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class _Job:
    """One call. `cancelled` is set by the event loop and read by the thread."""

    __slots__ = ("cancelled",)

    def __init__(self) -> None:
        self.cancelled = False


class Worker:
    """A thread that can be interrupted. `run` and `close` are for the event loop, the rest for the work itself."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.wake_fd, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._running: _Job | None = None
        self._closed = False

    @property
    def interrupted(self) -> bool:
        """Whether the current work should return as soon as possible."""
        running = self._running
        return self._closed or (running is not None and running.cancelled)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run in the thread.

        Cancelling drops work that has not started; work that has started is interrupted, but not awaited.
        """
        job = _Job()

        def begin() -> T:
            with suppress(BlockingIOError):
                os.read(self.wake_fd, 64)  # left over from an earlier job, or written for this one just now
            if job.cancelled:
                raise CancelledError
            self._running = job
            try:
                return work()
            finally:
                self._running = None

        submitted = self._pool.submit(begin)
        try:
            return await asyncio.wrap_future(submitted)
        except asyncio.CancelledError:
            if not submitted.cancel():
                job.cancelled = True
                self._wake()
            raise

    def start(self, work: Callable[[], None]) -> None:
        """Run `work` in the thread, after what was asked for before; from any thread. Nothing waits for it.

        Nothing happens once the thread has ended. `work` must not raise.
        """
        with suppress(RuntimeError):  # closed meanwhile
            self._pool.submit(lambda: None if self._closed else work())

    async def close(self, last: Callable[[], None]) -> None:
        """Interrupt the current work, run `last` in the thread, then end the thread. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._wake()
        try:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._pool, last))
        finally:
            self._pool.shutdown(wait=True)
            os.close(self.wake_fd)
            os.close(self._wake_writer)

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full, so the thread wakes up anyway
            os.write(self._wake_writer, b"!")
