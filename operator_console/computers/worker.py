"""One thread that owns a computer's connection: its work runs there in order, never on the event loop.

Work that waits (for the picture to stand still) must look at `interrupted` and wait on `wake_fd` as well.
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
    """One piece of work. `cancelled` is set by the event loop and read by the thread."""

    __slots__ = ("cancelled",)

    def __init__(self) -> None:
        self.cancelled = False


class Worker:
    """A thread that can be woken. `run` and `close` belong to the event loop, the rest to the work itself."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.wake_fd, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._running: _Job | None = None
        self._closed = False

    @property
    def interrupted(self) -> bool:
        """Whether the work that runs now should return soon."""
        running = self._running
        return self._closed or (running is not None and running.cancelled)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, done in the thread.

        Cancelling drops work that has not begun; work that has begun is interrupted and not waited for.
        """
        job = _Job()

        def begin() -> T:
            with suppress(BlockingIOError):
                os.read(self.wake_fd, 64)  # rung for an earlier job, or for this one just now
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
                self._ring()
            raise

    async def close(self, last: Callable[[], None]) -> None:
        """Interrupt what runs, do `last` in the thread, end the thread. A second time does nothing."""
        if self._closed:
            return
        self._closed = True
        self._ring()
        try:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._pool, last))
        finally:
            self._pool.shutdown(wait=True)
            os.close(self.wake_fd)
            os.close(self._bell)

    def _ring(self) -> None:
        with suppress(BlockingIOError):  # rung often enough already
            os.write(self._bell, b"!")
