"""Questions: which surface asks them, what counts as an answer, what happens without one."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Choice,
    Chord,
    Click,
    KeyDown,
    QuestionKind,
    Screenshot,
    TypeText,
)
from operator_console.domain.codec import encode
from operator_console.domain.consent import ConsentTrail
from operator_console.domain.decisions import DecidedBy, DecisionKind, Surface
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    EndedOutcome,
    Granted,
    Message,
    Observed,
    Paused,
    Proposed,
)
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.intents import Answer, Approve, Edit, HandBack, Pause, Resume, Skip, TakeOver
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Acting, HandedOver, Reviewing
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.stopping import PauseCause
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from operator_console.engine.screen_text import READ_WITHIN_S
from operator_console.engine.session_context import Options
from tests.engine.rig import Gate, Rig, Words, click, does, flagged, quiet, rig, said

DELETE = Words(("Delete", Rect(90, 90, 40, 20)), ("Rename", Rect(90, 200, 40, 20)))


def question_id(r: Rig) -> str:
    assert r.session.question is not None
    return r.session.question.question_id


async def test_step_asks_on_the_card_with_gate_shut_and_waits_for_ever() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    assert r.is_in(Reviewing)
    question = r.session.question
    assert question is not None
    assert (question.surface, question.about, question.timeout_s) == (Surface.CARD, "review", None)
    assert not r.guard.gate_open
    assert r.guard.review_open
    await r.clock.advance(100_000)
    assert r.injector.grants == []
    await r.post(Approve(question_id=question.question_id))
    ended = await r.end()
    assert ended.outcome is EndedOutcome.FINISHED
    assert r.injector.actions == [click()]
    assert r.of(Decided)[0].by is DecidedBy.HUMAN
    assert not r.guard.review_open


async def test_the_record_says_what_was_permitted_on() -> None:
    r = rig(does(click()), does(click()), autonomy=Autonomy.STEP)
    await r.start()
    for _ in range(2):
        await r.post(Approve(question_id=question_id(r)))
        await r.clock.advance(5)  # the screen settles
    await r.end()
    first, second = (granted.consent for granted in r.of(Granted))
    assert first is not None
    assert second is not None
    assert first.question != second.question
    assert [first.picture, second.picture] == [observed.picture for observed in r.of(Observed)[:2]]
    trail = ConsentTrail()
    for event in r.events:
        assert not isinstance(event, Granted) or trail.supports(event, encode(event))
        trail.see(event, encode(event))


async def test_a_stale_approval_does_not_count() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    await r.post(Approve(question_id="another"))
    await r.post(Answer(question_id="another", answer="yes"))
    assert r.injector.grants == []
    await r.post(Answer(question_id=question_id(r), answer="no"))
    await r.end()
    assert r.injector.grants == []
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_a_delete_is_asked_in_the_dialog_and_only_yes_lets_it_happen() -> None:
    for answer, done in (("yes", True), ("no", False), (None, False), ("Yes", False), ("", False)):
        r = rig(does(click()), reader=DELETE)
        await r.start()
        question = r.session.question
        assert question is not None
        assert (question.surface, question.about, question.timeout_s) == (
            Surface.DIALOG, "safety", SAFETY_QUESTION_LAPSES_AFTER_S,
        )  # fmt: skip
        assert "“Delete”" in question.text
        assert not r.guard.review_open
        await r.post(Answer(question_id=question.question_id, answer=answer))
        await r.end()
        assert bool(r.injector.grants) is done, answer
        expected = CallStatus.DONE if done else CallStatus.DECLINED
        assert r.model.seen[1].results[0].status is expected


async def test_the_dialog_takes_no_approve_and_no_edit() -> None:
    r = rig(does(click()), reader=DELETE)
    await r.start()
    await r.post(Approve(question_id=question_id(r)))
    await r.post(Approve(question_id=question_id(r), action=click(1, 1)))
    r.guard.gate_open, r.guard.review_open = False, True
    r.guard.press_approve()
    await quiet()
    assert r.is_in(Reviewing)
    assert r.injector.grants == []
    await r.post(Answer(question_id=question_id(r), answer=None))
    await r.end()
    assert r.injector.grants == []


async def test_a_dialog_lapses_to_no_and_the_run_pauses() -> None:
    r = rig(does(click()), reader=DELETE)
    await r.start()
    await r.clock.advance(59.9)
    assert r.kinds[-1] == "question"
    await r.clock.advance(0.2)
    assert r.state == PausedState(by=PauseCause.LAPSED_QUESTION)
    assert r.of(Answered)[0].by is DecidedBy.LAPSE
    assert r.of(Decided)[0].decision is DecisionKind.DENY
    await r.post(Resume())
    await r.end()
    assert r.injector.grants == []
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_the_approve_chord_answers_the_card() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    await r.clock.advance(1.0)
    r.guard.press_approve()
    await quiet()
    await r.end()
    assert r.injector.actions == [click()]


async def test_a_chord_pressed_before_the_card_could_be_seen_answers_nothing() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    r.guard.press_approve()  # the second press of a double press: this card has just come
    await quiet()
    assert r.is_in(Reviewing)
    assert r.injector.actions == []
    await r.clock.advance(1.0)
    r.guard.press_approve()
    await r.end()
    assert r.injector.actions == [click()]


async def test_an_edit_on_the_card_is_done_and_the_model_is_told() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)
    await r.start()
    await r.post(Approve(question_id=question_id(r), action=click(50, 60)))
    await r.end()
    assert r.injector.actions == [click(50, 60)]
    assert r.of(Answered)[0].answer == "edited"
    decided = r.of(Decided)[0]
    assert (decided.decision, decided.action) == (DecisionKind.MODIFY, click(50, 60))
    result = r.model.seen[1].results[0]
    assert result.executed == click(50, 60)
    assert "operator changed" in result.text


async def test_an_edited_action_is_judged_again_and_asked_again_where_its_class_rose() -> None:
    r = rig(does(click(100, 210)), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    first = r.session.question
    assert first is not None
    assert first.surface is Surface.CARD
    await r.post(Approve(question_id=first.question_id, action=click(100, 100)))
    second = r.session.question
    assert second is not None
    assert second.surface is Surface.DIALOG
    assert "“Delete”" in second.text
    assert second.action == click(100, 100)
    assert second.assessment is not None
    assert second.assessment.categories == (Category.DELETE,)
    assert r.injector.grants == []
    await r.post(Answer(question_id=second.question_id, answer="yes"))
    await r.end()
    assert r.injector.actions == [click(100, 100)]


async def test_skip_with_feedback_reaches_the_model() -> None:
    r = rig(does(click(), click(5, 5)), autonomy=Autonomy.STEP)
    await r.start()
    await r.post(Skip(step=1, call=0, feedback="use the menu"))
    await r.end()
    first, second = r.model.seen[1].results
    assert first.status is CallStatus.SKIPPED
    assert "use the menu" in first.text
    assert second.status is CallStatus.NOT_DONE
    assert r.of(Decided)[0].feedback == "use the menu"


async def test_take_over_and_hand_back() -> None:
    r = rig(does(click(), click(5, 5)), autonomy=Autonomy.STEP)
    await r.start()
    await r.post(TakeOver())
    assert r.is_in(HandedOver)
    assert r.of(Decided)[0].decision is DecisionKind.TAKE_OVER
    assert not r.guard.gate_open
    await r.clock.advance(1000)
    assert len(r.model.seen) == 1
    await r.post(HandBack(note="signed in"))
    await r.end()
    assert r.injector.grants == []
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.NOT_DONE] * 2
    assert "signed in" in " ".join(r.model.seen[1].messages)
    assert r.computer.observed == 3


async def test_a_providers_check_is_asked_even_in_auto_and_acknowledged_only_after_yes() -> None:
    request = SessionRequest(task="x", autonomy=Autonomy.AUTO, allow=tuple(Category))
    for answer, acknowledged in (("yes", True), ("no", False)):
        r = rig(flagged(click()), request=request)
        await r.start()
        question = r.session.question
        assert question is not None
        assert question.surface is Surface.DIALOG
        await r.post(Answer(question_id=question.question_id, answer=answer))
        await r.end()
        assert r.model.seen[1].results[0].acknowledged is acknowledged
        assert bool(r.injector.grants) is acknowledged


async def test_what_the_provider_forbids_is_not_done_and_stops_for_a_human() -> None:
    r = rig(flagged(click(), blocked=True))
    await r.start()
    assert r.state == PausedState(by=PauseCause.PROVIDER_BLOCKED)
    assert r.of(Asked) == []
    await r.post(Resume())
    await r.end()
    assert r.injector.grants == []
    assert not r.model.seen[1].results[0].acknowledged


async def test_auto_runs_what_is_allowed_and_asks_the_rest() -> None:
    request = SessionRequest(task="x", autonomy=Autonomy.AUTO, allow=(Category.DELETE,))
    r = rig(does(click()), request=request, reader=DELETE)
    await r.run()
    assert r.of(Asked) == []
    assert r.injector.actions == [click()]


async def test_the_lead_time_can_be_used_to_skip_or_edit() -> None:
    request = SessionRequest(task="x", lead_time_s=0.5)
    r = rig(does(click()), request=request)
    await r.start()
    assert r.is_in(Acting)
    assert r.of(Decided)[0].lead_s == 1.0  # twice the setting: what is at the place was not read
    assert r.injector.grants == []
    await r.clock.advance(0.9)
    assert r.injector.grants == []
    await r.clock.advance(0.2)
    assert r.injector.actions == [click()]
    await r.end()

    r = rig(does(click()), request=request)
    await r.start()
    await r.post(Skip(step=1, call=0, feedback="no"))
    await r.end()
    assert r.injector.grants == []
    assert [(event.decision, event.feedback) for event in r.of(Decided)][1:] == [(DecisionKind.SKIP, "no")]

    r = rig(does(click()), request=request)
    await r.start()
    await r.post(Edit(step=1, call=0, action=click(7, 8)))
    await r.end()
    assert r.injector.actions == [click(7, 8)]


@pytest.mark.parametrize(
    ("action", "risk", "lead_s"),
    [
        (Screenshot(), RiskClass.C0, 0.0),
        (click(100, 100), RiskClass.C1, 0.5),
        (Chord(keys=(Key("alt"), Key("f4"))), RiskClass.C2, 1.0),
    ],
)
async def test_the_lead_time_depends_on_the_class(action: Action, risk: RiskClass, lead_s: float) -> None:
    overview = Words(("Overview", Rect(90, 90, 60, 20)))
    r = rig(does(action), request=SessionRequest(task="x", lead_time_s=0.5), reader=overview)
    await r.start()
    decided = r.of(Decided)[0]
    assert decided.assessment is not None
    assert (decided.assessment.risk, decided.lead_s) == (risk, lead_s)
    await r.clock.advance(10)
    await r.end()


async def test_an_edit_in_a_pause_of_the_lead_time_is_done_after_it() -> None:
    r = rig(does(click(), click(5, 5)), said("ok"), request=SessionRequest(task="x", lead_time_s=0.5))
    await r.start()
    await r.post(Pause(detail="an action is being edited"))
    await r.clock.advance(100)
    assert r.injector.grants == []
    r.computer.paint(Rect(0, 0, 400, 300), (9, 9, 9))
    r.session.post(Edit(step=1, call=0, action=click(70, 80)))
    r.session.post(Resume())
    await r.end()
    assert r.injector.actions == [click(70, 80)]
    assert r.injector.grants[0].checks[0].pixels[:3] == b"\x09\x09\x09"
    first, second = r.model.seen[1].results
    assert (first.status, first.executed) == (CallStatus.DONE, click(70, 80))
    assert second.status is CallStatus.NOT_DONE


async def test_a_resume_without_an_edit_asks_the_model_anew() -> None:
    r = rig(does(click()), said("ok"), request=SessionRequest(task="x", lead_time_s=0.5))
    await r.start()
    await r.post(Pause())
    r.session.post(Edit(step=9, call=0, action=click(70, 80)))
    await r.post(Resume())
    await r.end()
    assert r.injector.grants == []
    assert r.model.seen[1].results[0].status is CallStatus.NOT_DONE


async def test_an_edit_in_a_pause_is_judged_like_any_other() -> None:
    r = rig(does(click(100, 210)), request=SessionRequest(task="x", lead_time_s=0.5), reader=DELETE)
    await r.start()
    await r.post(Pause())
    r.session.post(Edit(step=1, call=0, action=click(100, 100)))
    await r.post(Resume())
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
    assert r.injector.grants == []
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_every_proposed_call_shows_what_is_known_of_it() -> None:
    gate = Gate(does(click(), click(300, 20), None))
    r = rig(gate, reader=DELETE)
    await r.start()
    gate.open()
    await quiet()
    risks = [call.assessment and int(call.assessment.risk) for call in r.of(Proposed)[0].calls]
    assert risks == [3, 2, None]
    await r.post(Answer(question_id=question_id(r), answer="no"))
    await r.end()


async def test_held_keys_are_released_before_a_question_and_the_model_is_told() -> None:
    r = rig(does(KeyDown(key=Key("shift")), click()), reader=DELETE)
    await r.start()
    await r.settled()
    assert r.is_in(Reviewing)
    assert r.injector.held == set()
    await r.post(Answer(question_id=question_id(r), answer="no"))
    await r.end()
    assert "released 1 key or button" in r.model.seen[1].messages[0]
    assert r.of(Message)[0].by == "console"


async def test_three_denials_in_a_row_pause() -> None:
    r = rig(does(click()), does(click()), does(click()), does(click()), reader=DELETE)
    await r.start()
    for _ in range(3):
        await r.post(Answer(question_id=question_id(r), answer="no"))
    assert r.is_in(Reviewing)
    assert r.of(Paused)[0].by is PauseCause.LIMIT
    assert "3 calls in a row were declined" in r.of(Paused)[0].detail
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    await r.settled()
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    assert len(r.injector.grants) == 1


async def test_where_nobody_can_answer_three_questions_in_a_row_end_the_run() -> None:
    r = rig(*[does(click())] * 5, reader=DELETE, options=Options(answerable=False))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.LIMIT
    assert [answered.by for answered in r.of(Answered)] == [DecidedBy.NOBODY] * 3
    assert r.injector.grants == []
    assert len(r.model.seen) == 3


async def test_something_done_between_ends_the_row() -> None:
    turns = [does(click()), does(click()), does(click(200, 20)), does(click()), does(click()), said("ok")]
    r = rig(*turns, reader=DELETE, options=Options(answerable=False))
    assert (await r.run()).outcome is EndedOutcome.FINISHED
    assert r.injector.actions == [click(200, 20)]


@pytest.mark.parametrize(
    ("action", "answer", "output"),
    [
        (AskOperator(question="Which?", answer=QuestionKind.TEXT), "the left one", "the left one"),
        (AskOperator(question="Sure?", answer=QuestionKind.CONFIRM), "yes", "yes"),
        (
            AskOperator(question="Which?", answer=QuestionKind.CHOOSE, choices=(Choice(label="a"), Choice(label="b"))),
            "1",
            "1",
        ),
    ],
)
async def test_the_model_asks(action: AskOperator, answer: str, output: str) -> None:
    r = rig(does(action))
    await r.start()
    question = r.session.question
    assert question is not None
    assert (question.about, question.text, question.choices) == ("model", action.question, action.choices)
    await r.post(Answer(question_id=question.question_id, answer=answer))
    await r.end()
    result = r.model.seen[1].results[0]
    assert (result.status, result.output) == (CallStatus.DONE, output)


async def test_a_choice_that_is_none_is_no_answer() -> None:
    choose = AskOperator(question="Which?", answer=QuestionKind.CHOOSE, choices=(Choice(label="a"),))
    r = rig(does(choose))
    await r.start()
    for wrong in ("1", "-1", "a", "", "０"):
        await r.post(Answer(question_id=question_id(r), answer=wrong))
        assert r.is_in(Reviewing), wrong
    await r.post(Answer(question_id=question_id(r), answer=None))
    await r.end()
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_a_narration_that_is_not_finished_is_a_question() -> None:
    r = rig(said("Which account do you mean?", finished=False))
    await r.start()
    question = r.session.question
    assert question is not None
    assert question.text == "Which account do you mean?"
    await r.post(Answer(question_id=question.question_id, answer="the second"))
    await r.end()
    assert r.model.seen[1].messages == ("the second",)


async def test_an_unread_target_is_noted_and_late_reading_does_not_hold_up() -> None:
    r = rig(does(click()), reader=Words(slow=True))
    await r.start()
    assert r.of(Decided) == []
    await r.clock.advance(READ_WITHIN_S)
    decided = r.of(Decided)[0]
    assert decided.assessment is not None
    assert decided.assessment.rule == "unread-target"
    await r.end()


async def test_enter_in_a_terminal_is_judged_by_what_was_typed() -> None:
    r = rig(does(TypeText(text="rm -r build")), does(Chord(keys=(Key("enter"),))))
    r.computer.focus = WindowInfo(window_id=5, title="xterm", app="XTerm", pid=1, rect=Rect(0, 0, 10, 10))
    await r.start()
    await r.settled()
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    decided = [d for d in r.of(Decided) if d.assessment is not None]
    assert decided[0].assessment is not None
    assert decided[0].assessment.rule == "text-into-terminal"
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
    last = [d for d in r.of(Decided) if d.assessment is not None][-1]
    assert last.assessment is not None
    assert set(last.assessment.categories) == {Category.TERMINAL, Category.DELETE}
    assert len(r.of(Granted)) == 1


async def test_a_double_edit_mark_before_its_turn_is_used() -> None:
    r = rig(does(click(), Click(at=NativePoint(9, 9))))
    r.injector.on_act = lambda _a: r.session.post(Skip(step=1, call=1, feedback="not that"))
    await r.run()
    assert r.model.seen[1].results[1].status is CallStatus.SKIPPED
