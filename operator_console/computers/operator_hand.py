"""What all hands of the operator share: the permission, and the queue of what was given.

What goes through a hand is the person's own input and needs no grant. It is permitted while the operator has taken
over, when the injector's gate is shut. The permission is asked for when input is given, and again right before it is
sent.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

from operator_console.computers.worker_thread import Worker
from operator_console.domain.hand_input import (
    UNUSED,
    HandInput,
    HandMay,
    HandMove,
    HandSender,
    HandTab,
    HandUse,
)

_MOST_WAITING = 500


class OperatorHand(ABC):
    """Fits `hand_input.Hand`. A subclass carries out what was given, one after the other."""

    def __init__(self) -> None:
        self.told: Callable[[str], None] = lambda _: None
        self._may = HandMay.NOTHING
        self._used = UNUSED
        self._waiting: deque[HandInput] = deque()
        self._working: asyncio.Task[None] | None = None

    @property
    def may(self) -> HandMay:
        """What is permitted now."""
        return self._may

    @property
    def used(self) -> HandUse:
        """What was given since everything was permitted last."""
        return self._used

    def permit(self, may: HandMay) -> None:
        """Permit this from now on, and nothing else. What waits is dropped."""
        if may is self._may:
            return
        self._may = may
        self._waiting.clear()
        if may is HandMay.EVERYTHING:
            self._used = UNUSED
        else:
            self._withdrawn()

    def give(self, given: HandInput) -> bool:
        """Send input to the target; False if it is not permitted, and then nothing of it is sent."""
        if not self._permits(given) or len(self._waiting) >= _MOST_WAITING:
            return False
        self._used = self._used.and_then(given)
        if isinstance(given, HandMove) and self._waiting and isinstance(self._waiting[-1], HandMove):
            self._waiting.pop()  # the target is slower than the hand: only the newest place counts
        self._waiting.append(given)
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._work(), name="the operator's hand")
        return True

    async def close(self) -> None:
        """Permit nothing any more, releasing what is held."""
        self.permit(HandMay.NOTHING)
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    def _permits(self, given: HandInput) -> bool:
        return self._may is HandMay.EVERYTHING

    @abstractmethod
    def _withdrawn(self) -> None:
        """Release what is held: the permission has ended."""

    @abstractmethod
    async def _carry_out(self, given: HandInput) -> bool:
        """Send this, if it is still permitted; False where the target was not reached."""

    async def _work(self) -> None:
        while self._waiting:
            if not await self._carry_out(self._waiting.popleft()):
                self._waiting.clear()


class ThreadedHand(OperatorHand):
    """A hand whose sender blocks, and so works in a thread."""

    def __init__(self, sender: HandSender) -> None:
        super().__init__()
        self._sender = sender
        self._worker = Worker("hand")
        self._period = 0

    async def close(self) -> None:
        """Permit nothing any more, releasing what is held."""
        await super().close()
        await self._worker.close(self._sender.release)

    def _permits(self, given: HandInput) -> bool:
        return super()._permits(given) and not isinstance(given, HandTab)

    def _withdrawn(self) -> None:
        self._period += 1
        self._worker.start(self._sender.release)

    async def _carry_out(self, given: HandInput) -> bool:
        period = self._period

        def permitted() -> bool:
            return self._may is HandMay.EVERYTHING and self._period == period

        trouble = await self._worker.run(lambda: self._sender.send(given, permitted))
        if trouble and permitted():
            self.told(trouble)
        return True
