"""Stops: running work is cancelled, queued actions are dropped and listed, late answers are ignored."""

from __future__ import annotations

import asyncio

import pytest

from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import ActResult, DecisionKind, Outcome
from operator_console.domain.errors import OperatorError, ProviderTransient
from operator_console.domain.events import Decided, EndedOutcome, Performed, Stopped
from operator_console.domain.intents import Answer, Pause, Resume, Stop, TakeOver
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Stopped as StoppedState
from operator_console.domain.stopping import StopCause
from tests.engine.rig import Gate, Rig, click, does, quiet, rig, said


async def stopped(r: Rig) -> Stopped:
    r.guard.press_stop(StopCause.HOTKEY, "Ctrl+Alt+X")
    await quiet()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    assert r.state == StoppedState(reason=StopCause.HOTKEY)
    assert r.kinds[-2:] == ["stopped", "ended"]
    assert r.journal.closed
    return r.of(Stopped)[0]


async def test_while_the_model_thinks() -> None:
    r = rig(Gate(does(click())))
    await r.start()
    event = await stopped(r)
    assert (event.reason, event.detail, event.latched, event.in_flight) == (
        StopCause.HOTKEY, "Ctrl+Alt+X", True, "",
    )  # fmt: skip
    assert r.model.cancelled == 1


async def test_a_model_that_answers_late_all_the_same_is_not_heard() -> None:
    release = asyncio.Event()

    async def stubborn(_observation: Observation) -> Proposal:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return does(click())

    r = rig(stubborn)
    try:
        await r.start()
        await stopped(r)
        count = len(r.events)
    finally:
        release.set()
    await quiet()
    assert len(r.events) == count
    assert r.injector.grants == []


async def test_while_acting_the_receipt_says_how_far_it_came_and_what_was_dropped() -> None:
    r = rig(does(TypeText(text="hello"), click(), Chord(keys=(Key("enter"),))))
    r.injector.hold()
    await r.start()
    r.guard.on_kill = lambda: r.injector._finish(Outcome(result=ActResult.STOPPED, delivered=2, total=5))
    event = await stopped(r)
    assert event.in_flight == "type “hello”"
    assert (event.delivered, event.total) == (2, 5)
    assert event.cancelled == ("click at 100, 100", "press Enter")
    assert r.of(Performed)[0].status is CallStatus.STOPPED
    assert [d.decision for d in r.of(Decided)] == [DecisionKind.APPROVE, DecisionKind.STOP, DecisionKind.STOP]


async def test_what_a_pause_interrupted_is_no_longer_in_flight_at_a_later_stop() -> None:
    gate = Gate(said("ok"))
    r = rig(does(TypeText(text="hello")), gate)
    r.injector.hold()
    await r.start()
    r.session.post(Pause())
    await quiet()
    r.injector._finish(Outcome(result=ActResult.STOPPED, delivered=2, total=5))
    await quiet()
    await r.post(Resume())
    assert len(r.model.seen) == 2
    event = await stopped(r)
    assert (event.in_flight, event.in_flight_action, event.delivered, event.total) == ("", None, 0, 0)


async def test_the_extent_of_an_action_is_not_that_of_the_one_before() -> None:
    r = rig(does(TypeText(text="hello"), Chord(keys=(Key("enter"),))))
    r.injector.on_act = lambda _action: r.injector.hold()
    await r.start()
    await r.settled()
    while not r.injector.acting:
        await r.clock.advance(r.clock.deadlines()[0])
    assert r.task is not None
    r.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await r.task
    [event] = r.of(Stopped)
    assert (event.in_flight, event.delivered, event.total) == ("press Enter", 0, 0)
    r.injector.kill()
    await quiet()


async def test_during_the_lead_time() -> None:
    r = rig(does(click()), request=SessionRequest(task="x", lead_time_s=1.0))
    await r.start()
    event = await stopped(r)
    assert event.cancelled == ("click at 100, 100",)
    assert r.injector.grants == []


async def test_while_a_question_is_open() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    question = r.session.question
    assert question is not None
    await stopped(r)
    r.session.post(Answer(question_id=question.question_id, answer="yes"))
    await quiet()
    assert r.injector.grants == []


@pytest.mark.parametrize("held", [Pause(), TakeOver()])
async def test_while_it_holds(held: Pause | TakeOver) -> None:
    r = rig(Gate(said("ok")))
    await r.start()
    await r.post(held)
    await stopped(r)
    r.session.post(Resume())
    await quiet()
    assert r.kinds[-1] == "ended"


async def test_while_a_retry_waits() -> None:
    r = rig(ProviderTransient("busy", retry_after_s=500), said("ok"))
    await r.start()
    assert r.kinds[-1] == "retrying"
    await stopped(r)
    assert len(r.model.seen) == 1


async def test_the_button_makes_the_guard_act_where_it_did_not_yet() -> None:
    r = rig(Gate(said("ok")))
    await r.start()
    await r.post(Stop(reason=StopCause.BUTTON))
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    assert r.guard.latched is StopCause.BUTTON
    assert "stop button" in r.guard.calls
    assert r.of(Stopped)[0].latched


async def test_an_interrupt_ends_in_order_and_does_not_latch() -> None:
    r = rig(Gate(said("ok")))
    await r.start()
    r.injector.held.add("shift")
    await r.post(Stop(reason=StopCause.INTERRUPT, detail="Ctrl-C"))
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    event = r.of(Stopped)[0]
    assert (event.latched, event.released_keys, event.reason) == (False, 1, StopCause.INTERRUPT)
    assert r.guard.latched is None
    assert r.guard.calls[-1] == "disarm"


async def test_a_cancelled_session_is_recorded_and_disarmed() -> None:
    r = rig(Gate(said("ok")))
    await r.start()
    assert r.task is not None
    r.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await r.task
    assert r.kinds[-2:] == ["stopped", "ended"]
    assert r.guard.calls[-1] == "disarm"
    assert r.journal.closed


async def test_a_stop_before_the_first_frame_writes_no_file() -> None:
    r = rig()
    r.session.post(Stop(reason=StopCause.INTERRUPT))
    with pytest.raises(OperatorError, match="Stopped before"):
        await r.session.run()
    assert r.opened == []
    assert r.guard.calls[-1] == "disarm"


async def test_a_stop_while_the_guard_is_arming() -> None:
    r = rig()

    async def arm(**_arguments: object) -> None:
        await asyncio.get_running_loop().create_future()

    r.guard.arm = arm  # type: ignore[method-assign]
    await r.start()
    await r.post(Stop(reason=StopCause.INTERRUPT))
    with pytest.raises(OperatorError, match="Stopped before"):
        await r.end()
    assert r.guard.calls == ["disarm"]


async def test_an_internal_error_ends_in_order() -> None:
    def broken(_observation: Observation) -> Proposal:
        raise ZeroDivisionError

    r = rig(broken)
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FAILED
    assert "ZeroDivisionError" in ended.message
    assert r.guard.calls[-1] == "disarm"
