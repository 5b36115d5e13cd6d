"""Delivers intents to a running session and interrupts what it is waiting for.

Anyone may post (the window, the terminal, the guard's client); only the session task reads, and only while it waits
here. A Stop ends any wait with `Stopping`. A Pause, TakeOver or End ends it with `Holding`, unless the wait says
otherwise. Messages for the model are kept for its next turn. Everything happens on the session's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeAlias, TypeVar

from operator_console.domain.intents import (
    ApproveNext,
    Edit,
    End,
    HandBack,
    Intent,
    NoteSnapshot,
    Pause,
    Resume,
    Revoke,
    Say,
    SetAutonomy,
    Skip,
    Stop,
    TakeOver,
)
from operator_console.domain.stopping import PauseCause, StopReport, WaitsFor
from operator_console.engine.ports import Clock

Hold: TypeAlias = Pause | TakeOver | End
"""What ends a wait of the session, but not the session itself at once."""

T = TypeVar("T")
R = TypeVar("R")
_log = logging.getLogger(__name__)

BY_GUARD = "guard:"
PAUSES_THAT_PASS = frozenset((PauseCause.LEASE, PauseCause.HOLD))
"""Pauses that the guard ends by itself: within two seconds or with a stop, or once the person holds the key again."""

# A cancelled task that has not ended after this is no longer waited for; its result is ignored.
ABANDON_AFTER_S = 0.25


class Stopping(Exception):
    """The session must stop. Control flow, not an error; never leaves the engine."""

    def __init__(self, intent: Stop) -> None:
        super().__init__(intent.reason.value)
        self.intent = intent


class Holding(Exception):
    """The session must pause, hand over or end. Control flow, not an error; never leaves the engine."""

    def __init__(self, intent: Hold) -> None:
        super().__init__(type(intent).__name__)
        self.intent = intent


class OperatorChannel:
    """Receives intents and interrupts waits.

    Attributes:
        stop: the Stop that was posted first; None while there is none. Never cleared.
        report: the guard's report of the stop; None while there is none.
        messages: messages that the model has not been given yet.
    """

    def __init__(
        self, on_message: Callable[[str], None], on_snapshot: Callable[[NoteSnapshot], None],
        on_leave: Callable[[SetAutonomy | ApproveNext | Revoke], None],
    ) -> None:  # fmt: skip
        self._on_message, self._on_snapshot, self._on_leave = on_message, on_snapshot, on_leave
        self._inbox: list[Intent] = []
        self._waker: asyncio.Future[None] | None = None
        self._marks: dict[tuple[int, int], Skip | Edit] = {}
        self._hold: Hold | None = None
        self._release: Resume | HandBack | None = None
        self.stop: Stop | None = None
        self.report: StopReport | None = None
        self.messages: list[str] = []

    def post(self, intent: Intent) -> None:
        """Deliver an intent; returns at once."""
        if isinstance(intent, Stop):
            self.stop = self.stop or intent
        else:
            self._inbox.append(intent)
        self._wake()

    def reported(self, report: StopReport) -> None:
        """Deliver the guard's report of a stop."""
        self.report = self.report or report
        self.post(Stop(reason=report.reason, detail=report.detail))

    def take_hold(self) -> Hold | None:
        """The pending hold, removed from the channel."""
        held, self._hold = self._hold, None
        return held

    def take_release(self) -> Resume | HandBack | None:
        """A Resume or HandBack that came before its hold was entered, removed from the channel."""
        released, self._release = self._release, None
        return released

    def take_mark(self, step: int, call: int) -> Skip | Edit | None:
        """The Skip or Edit that was posted for this call, removed from the channel."""
        return self._marks.pop((step, call), None)

    def has_edit(self, step: int, call: int) -> bool:
        """Whether an Edit was posted for this call."""
        return isinstance(self._marks.get((step, call)), Edit)

    def forget_edit(self, step: int, call: int) -> None:
        """Remove the Edit that was posted for this call."""
        if self.has_edit(step, call):
            del self._marks[step, call]

    def forget_marks(self, step: int) -> list[Skip | Edit]:
        """Remove the Skips and Edits of steps before `step`, which came too late, and return them."""
        late = [key for key in self._marks if key[0] < step]
        return [self._marks.pop(key) for key in late]

    def take_messages(self) -> tuple[str, ...]:
        """The messages for the model's next turn, removed from the channel."""
        messages, self.messages = tuple(self.messages), []
        return messages

    def hold(self, pause: Pause) -> NoReturn:
        """Pause for a cause that the session itself found. Raises Holding, now and at the next wait."""
        self._store(pause)
        raise Holding(pause)

    def check(self, *, holds: bool = True) -> None:
        """Raise Stopping or (with `holds`) Holding where one is pending."""
        self._drain(None, holds=holds)

    async def run(self, work: Awaitable[T], *, holds: bool = True) -> T:
        """Wait for `work`; on a stop (and, with `holds`, a pause or take-over) cancel it and raise."""
        task = asyncio.ensure_future(work)
        try:
            while True:
                self._drain(None, holds=holds)
                if task.done():
                    return task.result()
                await self._either(task)
        finally:
            await abandon(task)

    async def watch(self, task: asyncio.Future[Any], *, holds: bool = True, passing: bool = True) -> None:
        """Wait until `task` is done; raises Stopping or Holding without cancelling it.

        Without `passing`, a pause that passes by itself stays pending, and the next wait raises it.
        """
        while True:
            self._drain(None, holds=holds, passing=passing)
            if task.done():
                return
            await self._either(task)

    async def reply(
        self,
        accept: Callable[[Intent], R | None],
        deadline: Awaitable[object] | None,
        *,
        holds: bool = True,
        passing: bool = True,
    ) -> R | None:
        """The first result of `accept` that is not None; None once `deadline` (a sleep) has passed.

        `passing`: as of `watch`.
        """
        pending: asyncio.Future[Any] = asyncio.ensure_future(deadline or asyncio.Future())
        try:
            while True:
                found = self._drain(accept, holds=holds, passing=passing)
                if found is not None or pending.done():
                    return found
                await self._either(pending)
        finally:
            await abandon(pending)

    async def let_pass(self) -> None:
        """Wait for the end of a pending pause that passes by itself, and forget it. Any other hold stays pending.

        For a wait during which nothing could be sent. Raises Stopping.
        """
        while True:
            self._drain(None, holds=False)
            if not self._only_passes:
                return
            if self._release is not None:
                self._hold = self._release = None
                return
            await self.news()

    @property
    def _only_passes(self) -> bool:
        return isinstance(self._hold, Pause) and self._hold.by in PAUSES_THAT_PASS

    @property
    def interruption(self) -> Stop | Hold | None:
        """The stop that is pending, or else the strongest hold; None for neither."""
        held = [intent for intent in (self._hold, *self._inbox) if isinstance(intent, Hold)]
        return self.stop or (functools.reduce(stronger, held) if held else None)

    async def wait_for_interruption(self, within_s: float) -> None:
        """Wait until a stop or a hold is pending, at most `within_s`; raises neither."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.interruption is None:
                    await self.news()

    async def news(self) -> None:
        """Wait until anything is posted."""
        await self._either(asyncio.get_running_loop().create_future())

    def _drain(self, accept: Callable[[Intent], R | None] | None, *, holds: bool, passing: bool = True) -> R | None:
        if self.stop is not None:
            raise Stopping(self.stop)
        while self._inbox:
            intent = self._inbox.pop(0)
            found = accept(intent) if accept is not None else None
            if found is not None:
                return found
            self._store(intent)
            if holds and self._hold is not None and (passing or not self._only_passes):
                break  # what was posted after it is read during the hold
        if holds and self._hold is not None and (passing or not self._only_passes):
            raise Holding(self._hold)
        return None

    def _store(self, intent: Intent) -> None:
        match intent:
            case Say(text=text):
                self.messages.append(text)
                self._on_message(text)
            case NoteSnapshot():
                self._on_snapshot(intent)
            case SetAutonomy() | ApproveNext() | Revoke():
                self._on_leave(intent)
            case Pause() | TakeOver() | End():
                # A hold that was released already is replaced, and an earlier release does not end this one.
                self._hold = intent if self._hold is None or self._release is not None else stronger(self._hold, intent)
                self._release = None
            case Resume() | HandBack():
                # It came before the hold was entered. The gate may be shut already, so the hold is entered and left.
                if self._hold is not None and ends(intent, self._hold):
                    self._release = intent
            case Skip() | Edit():
                self._marks[intent.step, intent.call] = intent
            case _:
                _log.debug("no wait takes %s", type(intent).__name__)

    async def _either(self, task: asyncio.Future[Any]) -> None:
        self._waker = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait({task, self._waker}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waker = None

    def _wake(self) -> None:
        if self._waker is not None and not self._waker.done():
            self._waker.set_result(None)


def ends(release: Resume | HandBack, held: Hold) -> bool:
    """Whether `release` ends the hold: HandBack ends a take-over; a human's Resume ends any pause but that of
    hold-to-run, the guard's only a pause of the same cause; nothing takes an End back."""
    if isinstance(held, TakeOver):
        return isinstance(release, HandBack)
    if isinstance(held, End) or isinstance(release, HandBack):
        return False
    by_cause = release.by == BY_GUARD + held.by.value
    return by_cause or (held.by is not PauseCause.HOLD and not release.by.startswith(BY_GUARD))


def why_held(held: Hold) -> PauseCause | WaitsFor:
    """Why the gate is shut from a hold on."""
    match held:
        case Pause(by=by):
            return by
        case TakeOver():
            return WaitsFor.HAND_BACK
        case End():
            return PauseCause.HUMAN


def stronger(held: Hold, other: Hold) -> Hold:
    """The one that takes precedence: an ending, a take-over, then a pause that does not end by itself."""
    for kind in (End, TakeOver):
        if isinstance(other, kind) or isinstance(held, kind):
            return other if isinstance(other, kind) else held
    assert isinstance(held, Pause)
    return other if held.by in PAUSES_THAT_PASS else held


async def abandon(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait briefly for its end; where it does not end, its result is ignored."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=ABANDON_AFTER_S)
    if task.done():
        _consume(task)
    else:
        task.add_done_callback(_consume)


async def done_within(task: asyncio.Future[Any], clock: Clock, limit_s: float) -> bool:
    """Wait for a task, at most so many seconds. Returns whether it is done; it goes on where it is not."""
    deadline = asyncio.ensure_future(clock.sleep(limit_s))
    try:
        await asyncio.wait({task, deadline}, return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        await abandon(deadline)


def _consume(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.debug("a cancelled task ended with %r", error)
