"""One thread that owns a computer's connection: all its captures run there, in order, never on the event loop.

Called by desktop.py of this room. Work that waits (settling) looks at `interrupted` and waits on `wake_fd` too.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """A thread with a doorbell. `run` belongs to the event loop, `interrupted` and `wake_fd` to the work itself."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.wake_fd, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._running: object = None
        self._cut: set[object] = set()
        self._closed = False

    @property
    def interrupted(self) -> bool:
        """Whether the work that runs now should return soon."""
        return self._closed or self._running in self._cut

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, done in the thread. Cancelling it interrupts the work and does not wait for it."""
        token = object()

        def job() -> T:
            with suppress(BlockingIOError):
                os.read(self.wake_fd, 64)  # rung for somebody before us
            self._running = token
            try:
                return work()
            finally:
                self._running = None
                self._cut.discard(token)

        future = asyncio.get_running_loop().run_in_executor(self._pool, job)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._cut.add(token)
            os.write(self._bell, b"!")
            future.add_done_callback(_retrieve)
            raise

    async def close(self, last: Callable[[], None]) -> None:
        """Interrupt what runs, do `last` in the thread, end the thread. A second time does nothing."""
        if self._closed:
            return
        self._closed = True
        os.write(self._bell, b"!")
        try:
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._pool, last))
        finally:
            self._pool.shutdown(wait=True)
            os.close(self.wake_fd)
            os.close(self._bell)


def _retrieve(future: asyncio.Future[T]) -> None:
    """Nobody waits for it any more; looked at, so that its error is not reported as forgotten."""
    if not future.cancelled():
        future.exception()
