"""A session in memory whose model calls functions that run in real processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from operator_console.domain.actions import Action
from operator_console.domain.admission import Admission
from operator_console.domain.events import EndedOutcome
from operator_console.domain.intents import Answer, Stop
from operator_console.domain.proposals import CallResult
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.engine.ports import EffectPort
from operator_console.tools.worker_process import KillableGroups
from tests.engine.rig import Rig, does, rig

Effect = TypeVar("Effect", bound=EffectPort)

# Autonomy auto with all that may be allowed.
EVERYTHING_ALLOWED = SessionRequest(
    task="do it",
    autonomy=Autonomy.AUTO,
    allow=tuple(category for category in Category if category not in ALWAYS_ASKED),
)


def session_with(
    make: Callable[[Admission, KillableGroups], Effect], *calls: Action, request: SessionRequest = EVERYTHING_ALLOWED
) -> tuple[Rig, Effect]:
    """A session with this effect, whose model makes these calls, one a turn."""
    made: list[Rig] = []

    async def set_killable(groups: Sequence[int]) -> None:
        return None

    def now_s() -> float:
        return made[0].clock.monotonic()

    admission = Admission(lambda: made[0].guard.grant_key, lambda: made[0].guard.epoch, monotonic=now_s)
    effect = make(admission, KillableGroups(set_killable))
    made.append(rig(*(does(call) for call in calls), request=request, effects=(effect,)))
    return made[0], effect


async def question_of(r: Rig) -> str:
    """The id of the next question, once it is open."""
    assert r.task is not None
    while r.session.question is None:
        await r.settled()
        await asyncio.wait({r.task}, timeout=0.001)
        assert not r.task.done(), r.task.result()
    return r.session.question.question_id


async def result_of(r: Rig, effect: EffectPort, answer: str = "yes") -> CallResult:
    """The result of the first call, whose question gets this answer; the session ends."""
    await r.start()
    r.session.post(Answer(question_id=await question_of(r), answer=answer))
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    await effect.close()
    return r.model.seen[1].results[0]


async def stop_ends(r: Rig, effect: EffectPort, pipe: Path) -> None:
    """Allow a call that writes its process's id to the FIFO `pipe` and hangs, stop, and wait for the process's end."""
    await r.start()
    with ThreadPoolExecutor() as threads:
        # The rig's executor would wait for the call on the loop.
        asyncio.get_running_loop().set_default_executor(threads)
        question = await question_of(r)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        r.session.post(Answer(question_id=question, answer="yes"))
        await _readable(reading)
        process = os.pidfd_open(int(os.read(reading, 20)))
        os.close(reading)
        r.session.post(Stop(reason=StopCause.BUTTON))
        assert (await r.end()).outcome is EndedOutcome.STOPPED
        await _readable(process)
        os.close(process)
        await effect.close()


async def _readable(fd: int) -> None:
    """Wait until there is something to read (of a process: until it has ended), without a thread."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fd)
