"""The guard dies during a run: the run ends as stopped, and the record holds what was done."""

from __future__ import annotations

import asyncio

import pytest

from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Answered, EndedOutcome, Performed, Stopped
from operator_console.domain.intents import Answer, Pause, Stop
from operator_console.domain.risk import Autonomy
from operator_console.domain.stopping import StopCause, StopReport
from operator_console.engine.session import Session
from tests.engine.rig import Gate, Rig, click, does, quiet, rig, said

GONE = OperatorError("The stop is not available", detail="It ended.", remedy="")


class Dying:
    """A guard's method that does not answer until the guard dies; then it raises, as the client's does."""

    def __init__(self, r: Rig, *, reports: bool = True) -> None:
        self._session: Session = r.session
        self._guard = r.guard
        self._reports = reports
        self._dead: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.asked = False

    async def __call__(self, *_args: object, **_options: object) -> None:
        self.asked = True
        await self._dead

    def die(self) -> None:
        if not self._dead.done():
            self._dead.set_exception(GONE)
        self._guard.latched = StopCause.GUARD_DIED
        self._guard.on_kill()
        if self._reports:
            report = StopReport(reason=StopCause.GUARD_DIED, detail="The guard ended.", latched=True)
            self._session.on_stop(report)


def ended_as_stopped(r: Rig) -> None:
    (stopped,) = r.of(Stopped)
    assert (stopped.reason, stopped.latched) == (StopCause.GUARD_DIED, True)
    assert r.kinds[-2:] == ["stopped", "ended"]


@pytest.mark.parametrize("reports", [True, False])
async def test_while_an_action_under_way_is_paused(*, reports: bool) -> None:
    r = rig(does(click()))
    r.injector.hold()
    await r.start()
    dying = Dying(r, reports=reports)
    r.guard.set_gate = dying  # type: ignore[method-assign]
    r.guard.on_kill = lambda: r.injector._finish(Outcome(result=ActResult.STOPPED, delivered=1, total=3))
    await r.post(Pause())
    assert dying.asked
    dying.die()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    ended_as_stopped(r)
    (performed,) = r.of(Performed)
    assert (performed.result, performed.delivered, performed.total) == (ActResult.STOPPED, 1, 3)


async def test_a_stop_does_not_wait_for_a_guard_that_hangs_while_an_action_is_paused() -> None:
    r = rig(does(click()))
    r.injector.hold()
    await r.start()
    r.guard.set_gate = Dying(r)  # type: ignore[method-assign]
    await r.post(Pause())
    r.guard.on_kill = lambda: r.injector._finish(Outcome(result=ActResult.STOPPED))
    r.guard.press_stop(StopCause.HOTKEY)
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    assert [event.result for event in r.of(Performed)] == [ActResult.STOPPED]


async def test_while_the_review_is_closed() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    question = r.session.question
    assert question is not None
    dying = Dying(r)
    r.guard.set_review_open = dying  # type: ignore[method-assign]
    await r.post(Answer(question_id=question.question_id, answer="yes"))
    assert dying.asked
    dying.die()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    ended_as_stopped(r)
    assert [event.question_id for event in r.of(Answered)] == [question.question_id]
    assert r.injector.grants == []


async def test_while_it_is_told_to_stop() -> None:
    r = rig(Gate(said("ok")))
    await r.start()
    dying = Dying(r)
    r.guard.stop = dying  # type: ignore[method-assign]
    r.session.post(Stop(reason=StopCause.BUTTON))
    await quiet()
    assert dying.asked
    dying.die()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    ended_as_stopped(r)


async def test_an_error_that_the_stop_brought_with_it_is_no_failure() -> None:
    async def breaks(_observation: object) -> object:
        r.guard.press_stop(StopCause.GUARD_DIED, "The guard ended.")
        raise OperatorError("The target went with it")

    r = rig(breaks)  # type: ignore[arg-type]
    ended = await r.run()
    assert ended.outcome is EndedOutcome.STOPPED
    ended_as_stopped(r)
