"""Results for the model and the record: interrupted calls, questions that nobody could answer, early Finish."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Chord, Finish, Navigate
from operator_console.domain.decisions import DecidedBy
from operator_console.domain.events import Answered, Decided, EndedOutcome, Paused, Performed, Record
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Pause, Resume, TakeOver
from operator_console.domain.proposals import Call, CallStatus, Proposal, SafetySignal
from operator_console.domain.risk import Autonomy
from operator_console.domain.stopping import PauseCause
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from tests.engine.rig import call, click, does, rig, said

BROWSER = WindowInfo(window_id=9, title="Start", app="Chromium", pid=1, rect=Rect(0, 0, 400, 300))


async def test_a_pause_between_the_parts_of_a_call_says_what_was_done() -> None:
    r = rig(does(Navigate(url="http://127.0.0.1/"), click()), said("ok"))
    r.computer.focus = BROWSER

    def pause(action: Action) -> None:
        assert isinstance(action, Chord)
        r.session.post(Pause())

    r.injector.on_act = pause
    await r.start()
    await r.post(Resume())
    await r.end()
    assert len(r.injector.grants) == 1
    first, second = r.model.seen[1].results
    assert (first.status, second.status) == (CallStatus.STOPPED, CallStatus.NOT_DONE)
    assert "press Ctrl+L" in first.text
    assert [event.status for event in r.of(Performed)] == [CallStatus.DONE, CallStatus.STOPPED]
    assert len([event for event in r.of(Decided) if event.call == 0]) == 1


async def test_questions_that_nobody_was_there_for_are_recorded_so_and_end_the_run() -> None:
    r = rig(*[does(click())] * 5, autonomy=Autonomy.STEP)
    await r.start()
    while (question := r.session.question) is not None:
        await r.post(Answer(question_id=question.question_id, answer=None, nobody=True))
        await r.settled()
    ended = await r.end()
    assert ended.outcome is EndedOutcome.LIMIT
    assert [event.by for event in r.of(Answered)] == [DecidedBy.NOBODY] * 3
    assert [event.by for event in r.of(Decided)] == [DecidedBy.NOBODY] * 3
    assert "nobody" in r.model.seen[1].results[0].text


async def test_the_models_end_stands_whatever_it_calls_after_it() -> None:
    r = rig(does(Finish(message="all done", success=True), click()), said("went on"))
    ended = await r.run()
    assert (ended.outcome, ended.message) == (EndedOutcome.FINISHED, "all done")
    assert len(r.model.seen) == 1


@pytest.mark.parametrize("hold", [Pause(), TakeOver(), Pause(by=PauseCause.LEASE)])
async def test_the_models_end_stands_where_a_pause_comes_after_it(hold: Pause | TakeOver) -> None:
    r = rig(does(Finish(message="all done", success=True), click()), said("went on"))
    r.injector.on_act = lambda _action: r.session.post(hold)
    ended = await r.run()
    assert (ended.outcome, ended.message) == (EndedOutcome.FINISHED, "all done")
    assert (len(r.model.seen), r.of(Paused)) == (1, [])


async def test_the_models_end_stands_where_a_pause_drops_the_calls_after_it() -> None:
    r = rig(does(Finish(message="all done", success=True), click(), click()), said("went on"))
    r.watcher.on_record = lambda record: (  # type: ignore[method-assign]
        r.session.post(Pause()) if isinstance(record.event, Performed) and record.event.call == 0 else None
    )
    assert (await r.run()).message == "all done"
    assert r.injector.grants == []
    assert [(event.call, event.rule) for event in r.of(Decided)][1:] == [(1, "paused"), (2, "paused")]


@pytest.mark.parametrize("after", [(), (click(),)], ids=["last call", "calls follow"])
async def test_a_question_that_lapsed_pauses_the_run_where_the_console_was_briefly_busy_meanwhile(
    after: tuple[Action, ...],
) -> None:
    r = rig(Proposal(calls=(call(click()), *flagged_after(*after))), said("ok"))

    def busy(record: Record) -> None:
        if isinstance(record.event, Decided) and record.event.by is DecidedBy.LAPSE:
            r.guard.lease_silent()
            r.guard.lease_answered()

    r.watcher.on_record = busy  # type: ignore[method-assign]
    await r.start()
    while r.session.question is None:
        await r.clock.advance(0.1)
    await r.clock.advance(SAFETY_QUESTION_LAPSES_AFTER_S)
    await r.settled()
    assert [event.by for event in r.of(Paused)] == [PauseCause.LAPSED_QUESTION]
    await r.post(Resume())
    await r.end()


def flagged_after(*actions: Action) -> tuple[Call, ...]:
    """A call with a check of the provider's, as the second of its turn, and others after it."""
    signal = SafetySignal(source="test", decision="require_confirmation")
    return (call(click(), 1, safety=signal), *(call(action, index) for index, action in enumerate(actions, start=2)))


async def test_a_question_names_the_window_that_would_get_it() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    r.computer.focus = BROWSER
    await r.start()
    question = r.session.question
    assert question is not None
    assert question.window == "Start — Chromium"
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
