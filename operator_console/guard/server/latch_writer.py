"""Writes the latch files on a separate thread: a disk may take seconds, and a stop must be handled meanwhile.

Changes are carried out in the order of the calls. A change is skipped if a later one for the same display is already
queued, so that a stop never waits for a queue of outdated writes.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from operator_console.guard import latch
from operator_console.guard.latch import LatchStatus

_log = logging.getLogger(__name__)


class LatchWriter:
    """A queue of changes to latch files; `close` waits for it. Threads may share it.

    A change that fails is logged, and its future raises the OSError.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="latch files")
        self._numbers = itertools.count()
        self._newest: dict[str, int] = {}
        self._unfinished: set[Future[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether changes are still queued or in progress."""
        return bool(self._unfinished)

    def write(self, status: LatchStatus, *, keep_room: bool = False) -> Future[None]:
        """Write the latch of `status.display` durably. `keep_room` as of `latch.write_latch`."""
        return self._change(status.display, lambda: latch.write_latch(status, keep_room=keep_room))

    def clear(self, display: str) -> Future[None]:
        """Remove the latch of a display."""
        return self._change(display, lambda: latch.clear_latch(display))

    def call(self, function: Callable[[], None]) -> Future[None]:
        """Run a function after the changes queued so far."""
        future = self._thread.submit(function)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

    async def settled(self) -> None:
        """Wait until everything queued so far is done or has failed."""
        await asyncio.wrap_future(self.call(lambda: None))

    async def close(self) -> None:
        """Wait until everything is done or has failed, and end the thread."""
        await asyncio.to_thread(self._thread.shutdown)

    def _change(self, display: str, change: Callable[[], None]) -> Future[None]:
        number = self._newest[display] = next(self._numbers)

        def carry_out() -> None:
            if self._newest[display] != number:
                return
            try:
                change()
            except OSError as error:
                _log.error("the latch file of %s could not be changed: %s", display, error)
                raise

        return self.call(carry_out)
