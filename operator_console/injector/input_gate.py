"""Whether the injector may send now: asked before each press, motion and text, whatever the target is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.guard_times import INJECTOR_SILENCE_LIMIT_S
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Halted

_SILENCE_LIMIT_NS = int(INJECTOR_SILENCE_LIMIT_S * 1e9)
_POLL_S = 0.0005
_WAIT_STEP_S = 0.01


class InputGate:
    """The gate of the guard, its heartbeat and its pipe.

    Args:
        ledger: shared with the guard.
        guard_alive: whether the guard's end of the pipe is still open.
    """

    def __init__(self, ledger: Ledger, guard_alive: Callable[[], bool]) -> None:
        self._ledger = ledger
        self._guard_alive = guard_alive
        self._epoch = ledger.get(Word.EPOCH)

    def begin(self, epoch: int) -> None:
        """Start an action of this epoch."""
        self._epoch = epoch

    def check(self) -> None:
        """Raises Halted if the injector may not go on now."""
        ledger = self._ledger
        gate = ledger.gate
        if gate is not Gate.OPEN:
            raise Halted(NoticeCode.NOT_FINISHED_STOPPED if Gate.STOPPED in gate else NoticeCode.NOT_FINISHED_PAUSED)
        if ledger.get(Word.EPOCH) != self._epoch:
            raise Halted(NoticeCode.NOT_FINISHED_PAUSED)
        oldest_ns = time.monotonic_ns() - _SILENCE_LIMIT_NS
        if ledger.get(Word.BEAT_NS) < oldest_ns or ledger.get(Word.LEASE_NS) < oldest_ns:
            raise Halted(NoticeCode.NOT_FINISHED_NO_ANSWER)
        if not self._guard_alive():
            raise Halted(NoticeCode.NOT_FINISHED_GUARD_ENDED)

    @contextmanager
    def primitive(self) -> Iterator[None]:
        """Around one event, or a few that belong together. Raises Halted before it."""
        # Set before the gate is read: a guard that shuts the gate and then reads 0 knows that nothing more is sent.
        self._ledger.set(Word.IN_PRIMITIVE, 1)
        try:
            self.check()
            yield
        finally:
            self._ledger.set(Word.IN_PRIMITIVE, 0)

    def stamp(self, events: int = 1) -> None:
        """Note that presses or motions are sent now."""
        self._ledger.set(Word.EVENTS, self._ledger.get(Word.EVENTS) + events)
        self._ledger.set(Word.LAST_EVENT_NS, time.monotonic_ns())

    def wait(self, seconds: float) -> None:
        """Wait. Raises Halted within 10 ms of a stop."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, _WAIT_STEP_S))

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition; False if it did not become true in time. Raises Halted."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.check()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, _POLL_S))
        return True
