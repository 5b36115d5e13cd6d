"""What a question does to the gate and the approve chord, and what is no answer to it."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import AskOperator, Choice, QuestionKind
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Answered, Asked, Paused
from operator_console.domain.intents import Answer, Approve, Intent, Pause, Resume, Stop
from operator_console.domain.proposals import CallStatus, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.states import Reviewing
from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.engine.questions import WITHDRAWN
from tests.engine.rig import Rig, click, does, flagged, quiet, rig

WHICH = AskOperator(question="Which?", answer=QuestionKind.CHOOSE, choices=(Choice(label="a"), Choice(label="b")))


def on_card() -> Rig:
    return rig(does(click()), autonomy=Autonomy.STEP)


def question_id(r: Rig) -> str:
    assert r.session.question is not None
    return r.session.question.question_id


async def test_the_gate_is_shut_for_the_answer_and_the_chord_heard_until_it_came() -> None:
    r = on_card()
    await r.start()
    assert r.guard.shut_for is WaitsFor.ANSWER
    before = len(r.guard.calls)
    assert r.guard.calls[before - 2 :] == ["gate shut", "review open"]
    await r.post(Approve(question_id=question_id(r)))
    assert r.guard.calls[before : before + 2] == ["review shut", "gate open"]
    await r.end()


@pytest.mark.parametrize("turn", [does(WHICH), flagged(click())], ids=["the model's", "in the dialog"])
async def test_the_chord_answers_no_other_question(turn: Proposal) -> None:
    r = rig(turn)
    await r.start()
    assert r.is_in(Reviewing)
    assert not {"review open", "review shut"} & set(r.guard.calls)
    await r.post(Answer(question_id=question_id(r), answer="0"))
    await r.end()
    assert not {"review open", "review shut"} & set(r.guard.calls)


async def test_a_pause_that_comes_while_the_gate_is_shut_withdraws_what_was_asked() -> None:
    r = on_card()
    set_gate = r.guard.set_gate

    async def paused_meanwhile(*, open_: bool, why: PauseCause | WaitsFor = PauseCause.HUMAN) -> None:
        await set_gate(open_=open_, why=why)
        if why is WaitsFor.ANSWER and not r.of(Paused):
            r.session.post(Pause())
            await quiet(5)

    r.guard.set_gate = paused_meanwhile  # type: ignore[method-assign]
    await r.start()
    assert r.is_in(PausedState)
    assert [event.answer for event in r.of(Answered)] == [WITHDRAWN]
    assert not r.guard.review_open
    await r.post(Resume())
    await r.post(Approve(question_id=question_id(r)))
    await r.end()


@pytest.mark.parametrize("intent", [Pause(), Stop(reason=StopCause.BUTTON)])
async def test_once_it_is_withdrawn_the_chord_is_not_heard(intent: Intent) -> None:
    r = on_card()
    await r.start()
    await r.post(intent)
    assert not r.guard.review_open
    assert [event.answer for event in r.of(Answered)] == [WITHDRAWN]
    if isinstance(intent, Pause):
        await r.post(Resume())
        await r.post(Approve(question_id=question_id(r)))
    await r.end()
    assert ("review shut" in r.guard.calls) == isinstance(intent, Pause), "after a stop the guard is asked nothing"


async def test_an_answer_counts_although_the_guard_is_gone() -> None:
    r = on_card()
    await r.start()

    async def gone(open_: bool) -> None:
        raise OperatorError("The guard is gone")

    r.guard.set_review_open = gone  # type: ignore[method-assign]
    await r.post(Approve(question_id=question_id(r)))
    await r.end()
    assert r.injector.actions == [click()]


async def test_a_pause_that_passes_by_itself_leaves_it_open() -> None:
    r = on_card()
    await r.start()
    asked = question_id(r)
    r.guard.lease_silent()
    await quiet()
    assert r.is_in(Reviewing)
    r.guard.lease_answered()
    await r.post(Approve(question_id=asked))
    await r.end()
    assert r.injector.actions == [click()]
    assert len(r.of(Asked)) == 1


async def test_what_is_meant_for_another_question_or_is_no_answer_leaves_it_open() -> None:
    r = rig(does(WHICH))
    await r.start()
    for intent in (Answer(question_id="another", answer="1"), Approve(question_id=question_id(r))):
        await r.post(intent)
        assert r.is_in(Reviewing)
    await r.post(Answer(question_id=question_id(r), answer="1"))
    await r.end()
    assert r.model.seen[1].results[0].output == "1"


async def test_anything_but_yes_declines() -> None:
    r = rig(does(AskOperator(question="Sure?", answer=QuestionKind.CONFIRM)))
    await r.start()
    await r.post(Answer(question_id=question_id(r), answer="Yes, but"))
    await r.end()
    assert r.model.seen[1].results[0].status is CallStatus.DECLINED


async def test_how_long_it_was_open_is_recorded_and_not_counted_as_the_runs_time() -> None:
    r = on_card()
    await r.start()
    await r.clock.advance(40.0)
    await r.post(Approve(question_id=question_id(r)))
    await r.end()
    assert [(event.took_s, event.step, event.call, event.permits) for event in r.of(Answered)] == [(40.0, 1, 0, False)]


async def test_what_is_asked_in_a_pause_waits_with_the_gate_shut_as_before() -> None:
    r = rig(does(click()), does(click()), request=SessionRequest(task="x", max_steps=1))
    await r.start()
    await r.settled()
    assert (r.guard.gate_open, r.guard.shut_for) == (False, WaitsFor.ANSWER)
    gate = [call for call in r.guard.calls if call.startswith("gate")]
    await r.post(Answer(question_id=question_id(r), answer="yes"))
    await r.settled()
    assert [call for call in r.guard.calls if call.startswith("gate")][len(gate) :][:1] == ["gate open"]
    await r.post(Answer(question_id=question_id(r), answer=None))
    await r.end()
