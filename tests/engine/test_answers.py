"""Results for the model and the record: interrupted calls, questions that nobody could answer, early Finish."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Finish, Navigate, TypeText
from operator_console.domain.decisions import ActResult, DecidedBy, Outcome
from operator_console.domain.events import Answered, Decided, EndedOutcome, Paused, Performed, Record, Warned
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, HandBack, Pause, Resume, TakeOver
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallStatus, Proposal, SafetySignal
from operator_console.domain.risk import Autonomy
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.stopping import PauseCause, StopLiveness
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from tests.engine.rig import call, click, does, quiet, rig, said

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


async def test_a_stop_that_no_longer_works_between_the_parts_of_a_call_pauses_the_run() -> None:
    r = rig(does(Navigate(url="http://127.0.0.1/")), said("ok"))
    r.computer.focus = BROWSER
    r.injector.on_act = lambda _action: setattr(r.guard, "_liveness", StopLiveness(live=False, detail="deaf"))
    await r.start()
    await r.settled()
    assert r.state == PausedState(by=PauseCause.STOP_NOT_LIVE)
    r.guard.find_stop()
    await r.post(Resume())
    await r.end()
    assert r.model.seen[1].results[0].text.startswith("Interrupted: the session was paused. Only the first part")


BEHIND = Outcome(
    result=ActResult.STOPPED, detail=notice(NoticeCode.NOT_FINISHED_GUARD_BEHIND), delivered=3, total=9
)  # fmt: skip


async def test_what_nobody_interrupted_is_told_to_model_and_operator_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("operator_console.engine.turn.act.OUTCOME_WITHIN_S", 0.0)
    r = rig(does(TypeText(text="123456789"), click()), said("ok"))
    r.injector.answer = lambda _grant: BEHIND
    assert (await r.run()).outcome is EndedOutcome.FINISHED
    first, second = r.model.seen[1].results
    assert (first.status, second.status) == (CallStatus.STOPPED, CallStatus.NOT_DONE)
    assert first.text == f"{BEHIND.detail} 3 of 9 were sent. Look at the new picture before going on."
    (warned,) = r.of(Warned)
    assert (warned.step, warned.detail) == (1, BEHIND.detail)
    assert warned.title == "An action was not finished, although nobody paused or stopped it."
    assert r.of(Paused) == []


@pytest.mark.parametrize(
    ("interruption", "told"),
    [
        (Pause(), "Interrupted by the operator."),
        (Pause(by=PauseCause.HOTKEY), "Interrupted by the operator."),
        (TakeOver(), "Interrupted by the operator."),
        (Pause(by=PauseCause.LEASE), "Interrupted: the session was paused."),
        (Pause(by=PauseCause.SUSPEND), "Interrupted: the session was paused."),
    ],
)
async def test_the_model_is_told_what_interrupted_its_call(interruption: Pause | TakeOver, told: str) -> None:
    r = rig(does(TypeText(text="123456789")), said("ok"))
    r.injector.hold()
    await r.start()
    r.session.post(interruption)
    await quiet()
    r.injector._finish(replace(BEHIND, detail=notice(NoticeCode.NOT_FINISHED_PAUSED)))
    await r.settled()
    await r.post(HandBack() if isinstance(interruption, TakeOver) else Resume())
    await r.end()
    assert r.model.seen[1].results[0].text.startswith(f"{told} 3 of 9 were sent.")
    assert r.of(Warned) == []


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
