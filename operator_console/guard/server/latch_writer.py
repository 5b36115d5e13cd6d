"""Writes the latch files on a thread of its own, because a disk may take seconds and the stop must be heard meanwhile.

Changes are carried out in the order of the calls. A change that a later one of the same display has replaced before
its turn is left out, so that a stop never waits for a row of older writes.
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
    """`write`, `clear` and `call` return at once; `close` it when the process ends.

    The futures that they return end with the OSError of a change that failed, which is logged too.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="latch files")
        self._numbers = itertools.count()
        self._newest: dict[str, int] = {}
        self._unfinished: set[Future[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether the files do not yet say what was asked for."""
        return bool(self._unfinished)

    def write(self, status: LatchStatus) -> Future[None]:
        """Write the latch of `status.display` durably."""
        return self._change(status.display, lambda: latch.write_latch(status))

    def clear(self, display: str) -> Future[None]:
        """Remove the latch of a display."""
        return self._change(display, lambda: latch.clear_latch(display))

    def call(self, function: Callable[[], None]) -> Future[None]:
        """Run a function after all changes so far."""
        future = self._thread.submit(function)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

    async def settled(self) -> None:
        """Wait until everything asked for so far is done, or has failed."""
        await asyncio.wrap_future(self.call(lambda: None))

    async def close(self) -> None:
        """Wait until everything is done, and end the thread."""
        await asyncio.to_thread(self._thread.shutdown)

    def _change(self, display: str, change: Callable[[], None]) -> Future[None]:
        number = self._newest[display] = next(self._numbers)

        def carry_out() -> None:
            if self._newest[display] != number:
                return
            try:
                change()
            except OSError:
                _log.exception("the latch file of %s could not be changed", display)
                raise

        return self.call(carry_out)
