"""What every part of a session shares: its request, ports, options, clock, recorder and state."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from operator_console.domain.actions import Action
from operator_console.domain.decisions import Grant, Outcome
from operator_console.domain.proposals import Provider
from operator_console.domain.requests import SessionRequest
from operator_console.domain.tools import ToolSpec
from operator_console.engine.input_state import InputState
from operator_console.engine.limits import Meter
from operator_console.engine.operator_channel import OperatorChannel
from operator_console.engine.ports import Clock, Computer, Guard, Injector, Journal, Reader
from operator_console.engine.recorder import Recorder
from operator_console.engine.turn.picture_changes import TurnPicture


class EffectPort(Protocol):
    """Something that acts and is no input: a launcher, a shell, an editor of files, own functions."""

    async def describe(self) -> Sequence[ToolSpec]:
        """Functions that it offers to the model by name; none where it serves actions that dialects know already.
        Raises OperatorError where one cannot be offered.
        """
        ...

    def handles(self, action: Action) -> bool:
        """Whether this action is its business."""
        ...

    async def perform(self, grant: Grant) -> Outcome:
        """Do what the grant says, once. Never raises for a refusal or a stop; cancelling it ends what it started."""
        ...

    async def close(self) -> None:
        """End what it holds; it is not used any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The other rooms, as this session has them.

    Attributes:
        open_journal: makes the session file; called once the guard is armed and the target was seen, so that a run
            that is refused writes none.
        reader: None where nothing reads text; what is at a target is then unread.
        effects: asked in order; what none of them handles is answered "not available here".
    """

    provider: Provider
    computer: Computer
    injector: Injector
    guard: Guard
    open_journal: Callable[[], Journal]
    reader: Reader | None = None
    effects: tuple[EffectPort, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How this session is run; not the operator's choices (those are the SessionRequest).

    Attributes:
        name: the session's name or file, for the lock and `status`.
        answerable: somebody can answer questions; False: each is declined at once and three in a row end the run.
        continue_question: a pause asks "Continue?" (the terminal); False: Resume is waited for (the app).
        resumed: the file goes on; `history` then says what happened before, for the model.
        unknown: the last action's outcome is not known: in words; the model is told to look.
        typing_delay_s: pause between characters of typed text.
        paste: long text beyond the keyboard may be typed by the clipboard.
        version, pid: for the record.
    """

    name: str = "session"
    answerable: bool = True
    continue_question: bool = False
    resumed: bool = False
    history: str = ""
    unknown: str = ""
    typing_delay_s: float = 0.0
    paste: bool = False
    version: str = ""
    pid: int = 0


class SystemClock:
    """The machine's own monotonic clock and asyncio's sleep."""

    def monotonic(self) -> float:
        """time.monotonic(), the clock that grants' expiries are checked by."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """One session's request, ports and shared parts."""

    request: SessionRequest
    ports: Ports
    options: Options
    clock: Clock
    recorder: Recorder
    channel: OperatorChannel
    meter: Meter
    input_state: InputState
    expected: TurnPicture
