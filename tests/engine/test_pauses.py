"""Pauses, hand-overs, limits: nothing is sent meanwhile, and resuming captures a fresh frame."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, AskOperator, QuestionKind, TypeText, Wait
from operator_console.domain.decisions import DecisionKind
from operator_console.domain.errors import ComputerUnavailable, ProviderRefused, UnavailableReason
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    EndedOutcome,
    Observed,
    Paused,
    Performed,
    Proposed,
    Resumed,
    Warned,
)
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, End, HandBack, Pause, Resume, Say, Stop, TakeOver
from operator_console.domain.proposals import Brief, CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import HandedOver, Reviewing, Thinking
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.engine.session_context import Options
from operator_console.providers.runbook.provider import RunbookProvider
from tests.engine.rig import Gate, Rig, click, does, flagged, quiet, rig, said

BY_HUMAN = PausedState(by=PauseCause.HUMAN)


def question_id(r: Rig) -> str:
    assert r.session.question is not None
    return r.session.question.question_id


def why_shut(r: Rig) -> PauseCause | WaitsFor | None:
    return r.guard.shut_for


async def test_a_pause_while_the_model_thinks_cancels_the_request_and_asks_again_with_a_fresh_frame() -> None:
    gate = Gate(does(click()))
    r = rig(gate, said("ok"))
    await r.start()
    assert r.is_in(Thinking)
    await r.post(Pause())
    assert r.state == BY_HUMAN
    assert not r.guard.gate_open
    assert r.model.cancelled == 1
    gate.open()
    await r.clock.advance(100)
    assert r.injector.grants == []
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == [click()]
    assert r.computer.observed == 4
    assert r.of(Resumed)[0].by == "human"


async def test_an_answer_that_comes_with_a_pause_is_part_of_the_conversation_and_its_calls_are_answered() -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.session.post(Pause())
        return does(click(), click(2, 2))

    r = rig(think, said("ok"))
    await r.start()
    assert r.state == BY_HUMAN
    assert len(r.of(Proposed)) == 1
    await r.post(Resume())
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    assert r.injector.grants == []
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.NOT_DONE] * 2


@pytest.mark.parametrize("changed", [False, True])
async def test_after_a_silent_lease_an_answer_is_carried_out_where_the_screen_is_the_same(changed: bool) -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.guard.lease_silent()
        return does(click(), click(2, 2))

    r = rig(think, said("ok"))
    await r.start()
    assert r.state == PausedState(by=PauseCause.LEASE)
    if changed:
        r.computer.paint(Rect(0, 0, 50, 50), (1, 2, 3))
    r.guard.lease_answered()
    await r.end()
    assert len(r.model.seen) == 2, "the model is not asked for the same turn twice"
    done = [] if changed else [click(), click(2, 2)]
    assert r.injector.actions == done
    status = CallStatus.NOT_DONE if changed else CallStatus.DONE
    assert [result.status for result in r.model.seen[1].results] == [status] * 2
    assert [event.step for event in r.of(Observed)] == [1, 1, 2]


async def test_an_answer_outlives_a_second_silence_of_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.guard.lease_silent()
        return does(click())

    r = rig(think, said("ok"))
    changed, looked = r.computer.changed, Gate(said(""))

    async def slowly_changed(before: Frame) -> bool | None:
        await looked(r.model.seen[0])
        return await changed(before)

    monkeypatch.setattr(r.computer, "changed", slowly_changed)
    await r.start()
    r.guard.lease_answered()
    await quiet()
    r.guard.lease_silent()
    await quiet()
    looked.open()
    r.guard.lease_answered()
    await r.end()
    assert len(r.of(Paused)) == 2
    assert r.injector.actions == [click()]
    assert len(r.model.seen) == 2, "the model is not asked for the same turn twice"


async def test_after_a_silent_lease_input_is_checked_against_the_picture_that_the_model_saw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.guard.lease_silent()
        return does(click())

    async def changes_by_itself(_before: Frame) -> bool:
        return False

    r = rig(think, said("ok"))
    monkeypatch.setattr(r.computer, "changed", changes_by_itself)
    await r.start()
    r.computer.paint(Rect(80, 80, 40, 40), (1, 2, 3))
    r.guard.lease_answered()
    await r.end()
    seen = r.model.seen[0].frame
    checks = r.injector.grants[0].checks
    assert checks
    assert [check.pixels for check in checks] == [seen.crop(check.region) for check in checks]


async def test_after_a_silent_lease_the_model_is_asked_anew_where_the_operator_said_something() -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.guard.lease_silent()
        return does(click())

    r = rig(think, said("ok"))
    await r.start()
    await r.post(Say(text="not there"))
    r.guard.lease_answered()
    await r.end()
    assert r.injector.grants == []
    assert r.model.seen[1].messages == ("not there",)


async def test_a_pause_during_the_lead_time_answers_the_rest_and_proposes_anew() -> None:
    r = rig(does(click(), click(2, 2)), request=SessionRequest(task="x", lead_time_s=0.5))
    await r.start()
    await r.post(Pause(by=PauseCause.SCREEN_LOCK))
    assert r.state == PausedState(by=PauseCause.SCREEN_LOCK)
    await r.post(Resume())
    await r.end()
    assert r.injector.grants == []
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.NOT_DONE] * 2
    assert "paused" in r.model.seen[1].results[0].text


async def test_a_pause_while_acting_shuts_the_gate_and_keeps_the_outcome() -> None:
    r = rig(does(TypeText(text="long"), click()))
    r.injector.hold()
    await r.start()
    assert r.injector.acting
    r.session.post(Pause())
    await quiet()
    assert r.guard.calls[-1] == "gate shut"
    r.injector.kill()
    await quiet()
    assert r.state == BY_HUMAN
    performed = r.of(Performed)[0]
    assert performed.status is CallStatus.STOPPED
    await r.post(Resume())
    await r.end()
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.STOPPED, CallStatus.NOT_DONE]


async def test_a_pause_withdraws_an_open_question() -> None:
    """It is put again, with another id: a late answer to the one before counts for neither."""
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    old = question_id(r)
    await r.post(Pause())
    assert r.state == BY_HUMAN
    assert r.session.question is None
    await r.post(Answer(question_id=old, answer="yes"))
    await r.post(Resume())
    await r.settled()
    assert question_id(r) != old
    await r.post(Answer(question_id=old, answer="yes"))
    assert r.injector.grants == []
    await r.post(Stop())
    await r.end()


@pytest.mark.parametrize("answered", ["after it", "during it"])
@pytest.mark.parametrize("asks", [does(click()), flagged(click())], ids=["card", "dialog"])
async def test_a_silent_lease_leaves_an_open_question_open_and_its_answer_counts(asks: Proposal, answered: str) -> None:
    r = rig(asks, autonomy=Autonomy.STEP)
    await r.start()
    question = question_id(r)
    r.guard.lease_silent()
    await quiet()
    assert question_id(r) == question
    if answered == "after it":
        r.guard.lease_answered()
    await r.post(Answer(question_id=question, answer="yes"))
    if answered == "during it":
        assert r.injector.grants == []
        r.guard.lease_answered()
    await r.end()
    assert [event.answer for event in r.of(Answered)] == ["yes"]
    assert r.injector.actions == [click()]
    assert len(r.model.seen) == 2


async def test_a_silent_lease_does_not_ask_twice_whether_to_go_on() -> None:
    r = rig(does(Wait()), said("ok"), request=SessionRequest(task="x", max_steps=1))
    await r.start()
    await r.clock.advance(1)
    r.guard.lease_silent()
    await quiet()
    r.guard.lease_answered()
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    assert [event.answer for event in r.of(Answered)] == ["yes"]


@pytest.mark.parametrize("posted", [Pause(), TakeOver()])
async def test_what_a_person_answered_right_before_a_pause_reaches_the_model(posted: Pause | TakeOver) -> None:
    r = rig(does(AskOperator(question="Which?", answer=QuestionKind.TEXT)), said("ok"))
    await r.start()
    r.session.post(Answer(question_id=question_id(r), answer="the red one"))
    await r.post(posted)
    assert not r.guard.gate_open
    await r.post(HandBack() if isinstance(posted, TakeOver) else Resume())
    await r.end()
    assert [result.output for result in r.model.seen[1].results] == ["the red one"]


async def test_the_pause_chord_only_pauses() -> None:
    gate = Gate(said("ok"))
    r = rig(gate)
    await r.start()
    r.guard.press_pause()
    await quiet()
    r.guard.press_pause()
    await quiet()
    assert r.state == PausedState(by=PauseCause.HOTKEY)
    assert len(r.of(Paused)) == 1
    gate.open()
    await r.post(Resume())
    await r.end()


async def test_a_silent_lease_pauses_and_goes_on_by_itself_unless_a_human_paused_too() -> None:
    gate = Gate(does(click()))
    r = rig(gate)
    await r.start()
    r.guard.lease_silent()
    await quiet()
    assert r.state == PausedState(by=PauseCause.LEASE)
    r.guard.lease_answered()
    await quiet()
    assert r.is_in(Thinking)
    r.guard.lease_silent()
    await quiet()
    await r.post(Pause())
    assert r.state == BY_HUMAN
    r.guard.lease_answered()
    await quiet()
    assert r.state == BY_HUMAN
    gate.open()
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == [click()]


async def test_it_does_not_go_on_without_a_live_stop() -> None:
    gate = Gate(does(click()))
    r = rig(gate)
    await r.start()
    r.guard.lose_stop()
    await quiet()
    assert r.state == PausedState(by=PauseCause.STOP_NOT_LIVE)
    await r.post(Resume())
    assert r.state == PausedState(by=PauseCause.STOP_NOT_LIVE)
    assert "listener is dead" in r.of(Warned)[0].detail
    r.guard.find_stop()
    gate.open()
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == [click()]


async def test_take_over_at_any_time_and_words_reach_the_model_in_its_next_turn() -> None:
    gate = Gate(said("ok"))
    r = rig(gate)
    await r.start()
    await r.post(Say(text="be careful"))
    await r.post(TakeOver())
    assert r.is_in(HandedOver)
    await r.post(Pause())
    await r.post(Resume())
    assert r.is_in(HandedOver)
    await r.post(Say(text="I moved it"))
    gate.open()
    await r.post(HandBack())
    await r.end()
    words = " | ".join(r.model.seen[-1].messages)
    assert "be careful" in words
    assert "I moved it" in words
    assert "handed it back" in words
    assert [m for m in r.kinds if m == "message"] == ["message"] * 2


@pytest.mark.parametrize("hold", ["pause", "question", "hand-over"])
async def test_a_runbook_does_not_search_while_it_waits_for_its_human(hold: str) -> None:
    runbook = RunbookProvider(None)
    runbook.begin(Brief(task='wait for "Done" up to 20 s', instruction=""))
    r = rig(*[runbook.propose] * 60, options=Options(name="test", continue_question=hold == "question"))
    await r.start()
    for _ in range(12):
        await r.clock.advance(0.5)
    await r.post(TakeOver() if hold == "hand-over" else Pause())
    await r.clock.advance(100)
    if hold == "question":
        await r.post(Answer(question_id=question_id(r), answer="yes"))
    else:
        await r.post(HandBack() if hold == "hand-over" else Resume())
    resumed_s = r.clock.now
    ended = await r.end()
    assert ended.message == "Line 1: “Done” is not on the screen (searched for 20 s)."
    assert r.clock.now - resumed_s == pytest.approx(14, abs=1)


async def test_the_guard_is_told_why_the_session_does_not_act() -> None:
    r = rig(Gate(said("ok")), options=Options(name="test", continue_question=True))
    await r.start()
    assert why_shut(r) is None
    await r.post(Pause(by=PauseCause.SCREEN_LOCK))
    assert why_shut(r) == WaitsFor.ANSWER
    await r.post(TakeOver())
    assert why_shut(r) == WaitsFor.HAND_BACK
    await r.post(HandBack())
    assert why_shut(r) is None
    r.guard.lease_silent()
    await quiet()
    assert why_shut(r) == PauseCause.LEASE
    await r.post(Pause())
    assert why_shut(r) == WaitsFor.ANSWER
    r.session.post(Stop(reason=StopCause.BUTTON))
    await r.end()


async def test_an_action_and_a_review_tell_the_guard_why_they_wait() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    assert why_shut(r) == WaitsFor.ANSWER
    await r.post(Pause(by=PauseCause.SCREEN_LOCK))
    assert why_shut(r) == PauseCause.SCREEN_LOCK
    r.session.post(Stop(reason=StopCause.BUTTON))
    await r.end()
    r = rig(does(click()))
    r.injector.hold()
    await r.start()
    await r.post(TakeOver())
    assert why_shut(r) == WaitsFor.HAND_BACK
    r.session.post(Stop(reason=StopCause.BUTTON))
    await r.end()


@pytest.mark.parametrize("state", ["thinking", "asking", "paused", "handed over"])
async def test_an_end_by_the_human_is_recorded_as_one(state: str) -> None:
    asking = state == "asking"
    gate = Gate(said("ok"))
    r = rig(does(click()), autonomy=Autonomy.STEP) if asking else rig(gate)
    await r.start()
    if state in ("paused", "handed over"):
        await r.post(Pause() if state == "paused" else TakeOver())
    held = len(r.of(Paused))
    await r.post(End(why="The window was closed."))
    ended = await r.end()
    assert (ended.outcome, ended.message) == (EndedOutcome.FAILED, "You ended the session: The window was closed.")
    assert ended.message_notices[-1].code == "ended_by_operator_why"
    assert (len(r.of(Paused)), r.of(Resumed)) == (held, [])
    if asking:
        assert [answered.answer for answered in r.of(Answered)] == ["withdrawn"]
        assert [(decided.decision, decided.rule) for decided in r.of(Decided)] == [(DecisionKind.NOT_DONE, "ended")]
    assert r.guard.calls[-1] == "disarm"


async def test_words_are_delivered_once() -> None:
    r = rig(does(click()), does(click()))
    r.session.post(Say(text="hello"))
    await r.run()
    assert [observation.messages for observation in r.model.seen] == [("hello",), (), ()]


async def test_a_pause_and_its_resume_before_it_was_seen() -> None:
    r = rig(does(click()))

    def both(_action: Action) -> None:
        r.session.post(Pause())
        r.session.post(Resume())

    r.injector.on_act = both
    assert (await r.run()).outcome is EndedOutcome.FINISHED


async def test_a_block_by_the_provider_waits_for_a_human() -> None:
    r = rig(ProviderRefused("The service blocked this."), said("ok"))
    await r.start()
    assert r.state == PausedState(by=PauseCause.PROVIDER_BLOCKED)
    await r.post(Resume())
    assert (await r.end()).outcome is EndedOutcome.FINISHED


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (UnavailableReason.MINIMISED, PauseCause.TARGET),
        (UnavailableReason.LOCKED, PauseCause.SCREEN_LOCK),
        (UnavailableReason.BLANK, PauseCause.TARGET),
    ],
)
async def test_a_target_that_cannot_be_seen_pauses_and_says_why(reason: UnavailableReason, cause: PauseCause) -> None:
    r = rig(does(click()))
    r.injector.on_act = lambda _a: r.computer.fail_next_observe(ComputerUnavailable("It is not there.", reason=reason))
    await r.start()
    await r.settled()
    assert r.state == PausedState(by=cause)
    assert "It is not there." in r.of(Paused)[0].detail
    await r.post(Resume())
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    assert r.model.seen[1].results[0].status is CallStatus.DONE


async def test_a_limit_asks_whether_to_go_on() -> None:
    request = SessionRequest(task="x", max_steps=2)
    r = rig(*[does(Wait())] * 4, request=request)
    await r.start()
    await r.clock.advance(1)
    await r.clock.advance(1)
    assert r.is_in(Reviewing)
    question = r.session.question
    assert question is not None
    assert question.about == "limit"
    assert "2 steps" in question.text
    assert "Continue?" in question.text
    await r.post(Answer(question_id=question.question_id, answer="yes"))
    await r.clock.advance(1)
    await r.clock.advance(1)
    await r.post(Answer(question_id=question_id(r), answer="no"))
    ended = await r.end()
    assert ended.outcome is EndedOutcome.LIMIT
    assert ended.steps == 4


async def test_a_limit_ends_the_run_where_nobody_can_answer() -> None:
    request = SessionRequest(task="x", max_steps=1)
    r = rig(*[does(Wait())] * 4, request=request, options=Options(answerable=False))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.LIMIT
    assert ended.steps == 1


async def test_minutes_do_not_count_while_a_human_is_waited_for() -> None:
    request = SessionRequest(task="x", max_minutes=1, autonomy=Autonomy.STEP)
    r = rig(does(click()), does(Wait(duration_s=59)), does(Wait(duration_s=2)), said("ok"), request=request)
    await r.start()
    await r.clock.advance(10_000)
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    await r.settled()
    await r.clock.advance(59)
    assert r.of(Asked)[-1].question.about == "review"
    await r.clock.advance(2)
    assert r.of(Asked)[-1].question.about == "limit"
    assert "1 minute " in r.of(Asked)[-1].question.text
    await r.post(Answer(question_id=question_id(r), answer=None))
    assert (await r.end()).outcome is EndedOutcome.LIMIT


async def test_in_the_terminal_a_pause_asks_whether_to_go_on() -> None:
    gate = Gate(said("ok"))
    r = rig(gate, options=Options(continue_question=True))
    await r.start()
    await r.post(Pause(by=PauseCause.HOTKEY))
    assert r.is_in(Reviewing)
    gate.open()
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    assert (await r.end()).outcome is EndedOutcome.FINISHED

    r = rig(Gate(said("ok")), options=Options(continue_question=True, answerable=False))
    await r.start()
    await r.post(Pause(by=PauseCause.HOTKEY))
    assert (await r.end()).outcome is EndedOutcome.LIMIT


@pytest.mark.parametrize("by", [PauseCause.HUMAN, PauseCause.HOTKEY, PauseCause.SCREEN_LOCK])
@pytest.mark.parametrize("resumed_first", [False, True])
async def test_a_pause_that_follows_a_silent_lease_at_once_is_not_lost(by: PauseCause, resumed_first: bool) -> None:
    gate = Gate(does(click()))
    r = rig(gate)
    await r.start()
    r.session.on_pause(PauseCause.LEASE, "silent")
    if resumed_first:
        r.session.on_resume(PauseCause.LEASE)
    r.session.post(Pause(by=by))
    if not resumed_first:
        r.session.on_resume(PauseCause.LEASE)
    await quiet()
    assert r.state == PausedState(by=by)
    assert not r.guard.gate_open
    gate.open()
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == [click()]


async def test_a_pause_posted_with_the_end_of_a_lease_pause_is_not_lost() -> None:
    gate = Gate(does(click()))
    r = rig(gate)
    await r.start()
    await r.post(Pause(by=PauseCause.LEASE))
    assert r.state == PausedState(by=PauseCause.LEASE)
    r.session.post(Pause())
    r.session.on_resume(PauseCause.LEASE)
    await quiet()
    assert r.state == BY_HUMAN
    assert len(r.of(Resumed)) == 0
    gate.open()
    await r.post(Resume())
    await r.end()
