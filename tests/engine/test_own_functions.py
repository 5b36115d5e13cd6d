"""The operator's own functions in a session: offered, asked about, answered, declined, failed, killed by a stop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from operator_console.domain.actions import CallFunction
from operator_console.domain.admission import Admission
from operator_console.domain.decisions import Surface
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Asked, EndedOutcome, Granted, Performed
from operator_console.domain.intents import Answer, Stop
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.domain.requests import SessionRequest
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category, RiskClass
from operator_console.domain.stopping import StopCause
from operator_console.tools.killable_groups import KillableGroups
from operator_console.tools.own_functions import OwnFunctions
from tests.engine.rig import Rig, does, quiet, rig

MODULE = '''
import os, time

def book(night: int) -> str:
    """Book a room."""
    return f"room 7 for night {night}"

def fails():
    raise RuntimeError("no room left")

def hangs(pipe: str) -> None:
    with open(pipe, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(1000)
'''


def offering(folder: Path, *calls: CallFunction) -> Rig:
    """A session whose model calls these, one a turn."""
    (folder / "mine.py").write_text(MODULE)
    made: list[Rig] = []

    async def set_killable(groups: Sequence[int]) -> None:
        return None

    def now_s() -> float:
        return made[0].clock.monotonic()

    admission = Admission(lambda: made[0].guard.grant_key, lambda: made[0].guard.epoch, monotonic=now_s)
    functions = OwnFunctions(
        admission, ["mine:book", "mine:fails", "mine:hangs"], timeout_s=60, killable=KillableGroups(set_killable),
        environment={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    # Whatever may be allowed is, and it asks all the same.
    allowed = tuple(category for category in Category if category not in ALWAYS_ASKED)
    request = SessionRequest(task="do it", autonomy=Autonomy.AUTO, allow=allowed)
    made.append(rig(*(does(one) for one in calls), request=request, effects=(functions,)))
    return made[0]


async def answered(r: Rig, answer: str) -> None:
    """Answer the next question."""
    assert r.task is not None
    while r.session.question is None:
        await quiet()
        await asyncio.wait({r.task}, timeout=0.001)
        assert not r.task.done(), r.task.result()
    r.session.post(Answer(question_id=r.session.question.question_id, answer=answer))


async def result_of(r: Rig, answer: str = "yes") -> CallResult:
    await r.start()
    await answered(r, answer)
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    return r.model.seen[1].results[0]


async def test_it_is_offered_asked_in_the_dialog_and_answered_with_data(tmp_path: Path) -> None:
    r = offering(tmp_path, CallFunction(name="book", arguments_json='{"night": 3}'))
    result = await result_of(r)
    assert r.model.brief is not None
    assert [tool.name for tool in r.model.brief.tools] == ["book", "fails", "hangs"]
    (asked,) = r.of(Asked)
    assert asked.question.surface is Surface.DIALOG
    assert 'call book({"night": 3})' in asked.question.text
    assert asked.question.assessment is not None
    assert (asked.question.assessment.risk, asked.question.assessment.rule) == (RiskClass.C3, "own-function")
    assert result.status is CallStatus.DONE
    assert result.tool is not None
    assert result.tool.texts == ("room 7 for night 3",)
    assert len(r.of(Granted)) == 1
    assert "room 7 for night 3" in r.of(Performed)[0].detail
    assert r.injector.grants == []


async def test_a_no_leaves_it_uncalled(tmp_path: Path) -> None:
    r = offering(tmp_path, CallFunction(name="book", arguments_json='{"night": 3}'))
    assert (await result_of(r, "no")).status is CallStatus.DECLINED
    assert r.of(Granted) == []


async def test_its_fault_is_an_answer(tmp_path: Path) -> None:
    result = await result_of(offering(tmp_path, CallFunction(name="fails")))
    assert result.status is CallStatus.FAILED
    assert result.tool is not None
    assert (result.tool.error, result.tool.texts) == (True, ("RuntimeError: no room left",))


async def test_a_stop_in_the_middle_kills_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    r = offering(tmp_path, CallFunction(name="hangs", arguments_json=f'{{"pipe": "{pipe}"}}'))
    await r.start()
    with ThreadPoolExecutor() as threads:
        # The rig's executor would wait for the function on the loop.
        asyncio.get_running_loop().set_default_executor(threads)
        await answered(r, "yes")
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        await readable(reading)
        process = os.pidfd_open(int(os.read(reading, 20)))
        os.close(reading)
        r.session.post(Stop(reason=StopCause.BUTTON))
        assert (await r.end()).outcome is EndedOutcome.STOPPED
        await readable(process)
        os.close(process)


async def readable(fd: int) -> None:
    """Wait until there is something to read (of a process: until it has ended), without a thread."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fd)


async def test_one_that_cannot_be_offered_refuses_the_session_before_it_begins(tmp_path: Path) -> None:
    r = offering(tmp_path)
    (tmp_path / "mine.py").write_text("raise RuntimeError('no library')")
    with pytest.raises(OperatorError, match="cannot be offered"):
        await r.run()
    assert r.opened == []
