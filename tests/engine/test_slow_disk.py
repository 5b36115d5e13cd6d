"""A slow disk: only an action waits for its `granted`, the state says why, and a stop works at once."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Wait
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError, RecordError
from operator_console.domain.events import (
    Ended,
    EndedOutcome,
    Granted,
    Observed,
    Paused,
    Performed,
    SessionStarted,
    Stopped,
    Warned,
)
from operator_console.domain.frames import Frame
from operator_console.domain.grants import GRANT_LIFE_S
from operator_console.domain.intents import Pause, Resume
from operator_console.domain.proposals import CallStatus
from operator_console.domain.states import Acting, Observing, WaitingForDisk
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.states import Stopped as StoppedState
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.engine import recorder
from tests.engine.rig import Gate, Rig, click, does, quiet, rig, said


async def waiting_to_act() -> Rig:
    """A session whose disk does not answer from the intent of its first click on."""
    gate = Gate(does(click()))
    r = rig(gate, said("ok"))
    await r.start()
    r.journal.hangs = True
    gate.open()
    await quiet()
    assert isinstance(r.watcher.records[-1].event, Granted)
    assert r.injector.grants == []
    return r


def told(r: Rig) -> list[object]:
    return [record.event for record in r.watcher.records]


async def test_nothing_but_the_act_waits() -> None:
    r = await waiting_to_act()
    kinds = [record.event.kind for record in r.watcher.records]
    assert kinds == ["session_started", "observed", "proposed", "decided", "granted"]
    assert "granted" not in r.kinds
    assert r.state == Acting(step=1, call=0)
    r.journal.go_on()
    await r.end()
    assert r.injector.actions == [click()]
    assert r.of(Ended)[0].outcome is EndedOutcome.FINISHED
    assert r.watcher.records == r.journal.records


async def test_a_long_wait_is_shown_and_warned_of_and_is_no_pause() -> None:
    r = await waiting_to_act()
    assert told(r)[-1].kind != "warned"  # type: ignore[attr-defined]
    await r.clock.advance(recorder.SLOW_AFTER_S)
    assert r.state == WaitingForDisk(then=Acting(step=1, call=0))
    assert r.watcher.states[-1] == r.state
    assert isinstance(told(r)[-1], Warned)
    assert "disk" in told(r)[-1].title  # type: ignore[attr-defined]
    r.journal.go_on()
    await r.end()
    assert not [event for event in told(r) if isinstance(event, Paused)]
    assert r.injector.actions == [click()]


async def test_a_disk_that_stays_slow_is_warned_of_once() -> None:
    r = rig(does(click()), does(click()), said("ok"))
    r.journal.hangs = True
    await r.start()
    for _ in range(40):
        await r.clock.advance(recorder.SLOW_AFTER_S)
        r.journal.go_on()
        r.journal.hangs = True
        await quiet()
    r.journal.hangs = False
    await r.end()
    assert r.injector.actions == [click(), click()]
    assert len(r.of(Warned)) == 1


async def test_the_wait_takes_nothing_of_the_grants_life() -> None:
    r = await waiting_to_act()
    await r.clock.advance(GRANT_LIFE_S * 3)
    r.journal.go_on()
    await r.end()
    assert [event.result for event in r.of(Performed)] == [ActResult.DONE]


@pytest.mark.parametrize(("waited_s", "anew"), [(0.1, False), (5.0, True)])
async def test_the_picture_before_the_act_is_taken_anew_where_the_disk_was_slow(waited_s: float, anew: bool) -> None:
    r = await waiting_to_act()
    glimpse, looks = r.computer.glimpse, list[list[Action]]()

    async def counted() -> Frame:
        looks.append(r.injector.actions)
        return await glimpse()

    r.computer.glimpse = counted  # type: ignore[method-assign]
    await r.clock.advance(waited_s)
    r.journal.go_on()
    await quiet()
    assert ([] in looks) == anew
    await r.end()


async def test_a_stop_does_not_wait_and_nothing_is_lost() -> None:
    r = await waiting_to_act()
    await r.clock.advance(recorder.SLOW_AFTER_S)
    r.guard.press_stop(StopCause.HOTKEY)
    await quiet()
    assert r.state == StoppedState(reason=StopCause.HOTKEY)
    assert [type(event) for event in told(r)[-2:]] == [Stopped, Ended]
    assert "stopped" not in r.kinds
    r.journal.go_on()
    await r.end()
    assert r.watcher.records == r.journal.records
    assert r.injector.grants == []
    (performed,) = r.of(Performed)
    assert (performed.status, performed.grant_id) == (CallStatus.STOPPED, r.of(Granted)[0].grant_id)


async def test_a_pause_does_not_wait_and_the_call_is_answered_as_not_done() -> None:
    r = await waiting_to_act()
    await r.post(Pause())
    assert r.state == PausedState(by=PauseCause.HUMAN)
    assert not r.guard.gate_open
    r.journal.go_on()
    await r.post(Resume())
    await r.end()
    (performed,) = r.of(Performed)
    assert (performed.status, performed.grant_id) == (CallStatus.NOT_DONE, r.of(Granted)[0].grant_id)
    assert performed.result is ActResult.FAILED
    assert r.model.seen[-1].results[0].status is CallStatus.NOT_DONE


async def test_an_intent_that_cannot_be_written_is_closed_in_the_record() -> None:
    r = await waiting_to_act()
    r.journal.failing = lambda event: RecordError("The disk is full.") if isinstance(event, Granted) else None
    r.journal.go_on()
    await quiet()
    assert r.state == PausedState(by=PauseCause.RECORD)
    r.journal.failing = lambda _event: None
    await r.post(Resume())
    await r.end()
    granted = r.of(Granted)[0]
    closed = [(event.status, event.result) for event in r.of(Performed) if event.grant_id == granted.grant_id]
    assert closed == [(CallStatus.NOT_DONE, ActResult.FAILED)]


async def test_no_new_picture_is_taken_while_too_many_wait_to_be_written() -> None:
    r = rig(does(Wait(duration_s=0.1)), said("ok"))
    r.journal.backlog_bytes = recorder.MOST_BACKLOG_BYTES + 1
    await r.start()
    r.journal.hangs = True
    await r.settled()
    await r.clock.advance(recorder.SLOW_AFTER_S + 1)
    await r.clock.advance(recorder.SLOW_AFTER_S + 1)
    assert r.state == WaitingForDisk(then=Observing())
    seen = len([event for event in told(r) if isinstance(event, Observed)])
    r.journal.go_on()
    await r.end()
    assert len(r.of(Observed)) == seen + 1


async def test_a_run_begins_once_its_first_event_is_durable() -> None:
    r = rig(does(click()), said("ok"))
    r.journal.hangs = True
    await r.start()
    assert r.watcher.records == []
    await r.clock.advance(recorder.SLOW_AFTER_S)
    assert isinstance(r.state, WaitingForDisk)
    r.journal.go_on()
    await r.end()
    assert isinstance(told(r)[0], SessionStarted)
    assert r.injector.actions == [click()]


async def test_a_stop_while_the_first_event_is_written_ends_a_run_that_had_begun() -> None:
    r = rig(does(click()))
    r.journal.hangs = True
    await r.start()
    r.guard.press_stop(StopCause.HOTKEY)
    await quiet()
    r.journal.go_on()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.STOPPED
    assert r.kinds == ["session_started", "stopped", "ended"]


async def test_a_stop_while_the_file_is_opened_closes_it_and_begins_nothing() -> None:
    r = rig(does(click()))
    opened = r.session._ports.open_journal

    def open_and_stop() -> object:
        r.guard.press_stop(StopCause.HOTKEY)
        return opened()

    object.__setattr__(r.session._ports, "open_journal", open_and_stop)
    with pytest.raises(OperatorError, match="Stopped before"):
        await r.run()
    assert r.journal.closed
    assert r.watcher.records == []
