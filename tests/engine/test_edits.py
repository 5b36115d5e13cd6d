"""Edits: an edited action is assessed and asked about like any other, and reported as the operator's."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Finish
from operator_console.domain.decisions import DecisionKind, Surface
from operator_console.domain.events import Decided, EndedOutcome, Warned
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Approve, Edit, Pause, Resume, Skip, Stop
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Paused
from operator_console.domain.stopping import PauseCause
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from tests.engine.rig import Rig, Words, click, does, rig, said

PLACES = Words(
    ("Delete", Rect(90, 90, 40, 20)), ("Send", Rect(90, 200, 40, 20)), ("Pay now", Rect(290, 200, 60, 20))
)  # fmt: skip
LEAD = SessionRequest(task="x", lead_time_s=0.5)
ALLOWING = SessionRequest(task="x", autonomy=Autonomy.AUTO, allow=(Category.DELETE,), lead_time_s=0.5)


async def answer(r: Rig, word: str) -> None:
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    await r.post(Answer(question_id=question.question_id, answer=word))


@pytest.mark.parametrize(("word", "done"), [("yes", True), ("no", False)])
async def test_what_is_allowed_edited_into_what_is_not_is_asked(word: str, done: bool) -> None:
    r = rig(does(click()), request=ALLOWING, reader=PLACES)
    await r.start()
    assert r.session.question is None
    await r.post(Edit(step=1, call=0, action=click(100, 210)))
    assert r.injector.grants == []
    await answer(r, word)
    await r.end()
    assert r.injector.actions == ([click(100, 210)] if done else [])


async def test_what_is_always_asked_is_asked_when_it_was_edited_before_its_turn() -> None:
    r = rig(does(click(20, 20), click(300, 210)), request=LEAD, reader=PLACES)
    await r.start()
    await r.post(Edit(step=1, call=1, action=click(302, 211)))
    await r.clock.advance(1.0)
    await r.settled()
    question = r.session.question
    assert question is not None
    assert question.action == click(302, 211)
    assert question.assessment is not None
    assert question.assessment.categories == (Category.PAY,)
    await answer(r, "no")
    await r.end()
    assert r.injector.actions == [click(20, 20)]


async def test_a_yes_to_an_edited_action_is_recorded_and_told_as_an_edit() -> None:
    r = rig(does(click(20, 20)), autonomy=Autonomy.STEP, reader=PLACES)
    await r.start()
    card = r.session.question
    assert card is not None
    await r.post(Approve(question_id=card.question_id, action=click()))
    await answer(r, "yes")
    await r.end()
    assert [(d.decision, d.action) for d in r.of(Decided)] == [(DecisionKind.MODIFY, click())]
    result = r.model.seen[1].results[0]
    assert result.executed == click()
    assert "operator changed" in result.text


async def test_a_skip_that_comes_while_the_text_at_the_target_is_read_counts() -> None:
    r = rig(does(click()), request=LEAD, reader=Words(slow=True))
    await r.start()
    assert r.of(Decided) == []
    await r.post(Skip(step=1, call=0, feedback="not there"))
    await r.end()
    assert [decided.decision for decided in r.of(Decided)] == [DecisionKind.SKIP]
    assert r.injector.grants == []


@pytest.mark.parametrize(
    ("mark", "word"), [(Edit(step=1, call=0, action=click(7, 8)), "edit"), (Skip(step=1, call=0), "skip")]
)
async def test_an_edit_that_comes_too_late_is_not_dropped_in_silence(mark: Edit | Skip, word: str) -> None:
    r = rig(does(click()), said("ok"))
    r.injector.on_act = lambda _action: r.session.post(mark)
    await r.run()
    assert r.injector.actions == [click()]
    (warned,) = r.of(Warned)
    assert (warned.step, word in warned.title) == (1, True)


async def test_an_edit_is_judged_for_display_without_deciding_anything() -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP, reader=Words(("Delete", Rect(290, 190, 60, 20))))
    await r.start()
    kinds = r.kinds
    judged = await r.session.judged(1, 0, click(310, 200))
    assert judged is not None
    assert judged.categories == (Category.DELETE,)
    same = await r.session.judged(1, 0, click())
    assert same is not None
    assert same.categories == ()
    assert await r.session.judged(2, 0, click()) is None
    assert await r.session.judged(1, 7, click()) is None
    assert r.kinds == kinds
    await r.post(Stop())
    await r.end()


async def edited_in_a_pause(r: Rig) -> None:
    """Pause in the lead time, edit the call into one that is always asked about, and resume."""
    await r.start()
    await r.post(Pause())
    await r.post(Edit(step=1, call=0, action=click(300, 210)))
    await r.post(Resume())
    await r.settled()


async def test_the_question_about_an_edit_during_a_pause_pauses_the_run_when_it_lapses() -> None:
    r = rig(does(click(20, 20), click(20, 20)), request=LEAD, reader=PLACES)
    await edited_in_a_pause(r)
    await r.clock.advance(SAFETY_QUESTION_LAPSES_AFTER_S)
    await r.settled()
    assert r.state == Paused(by=PauseCause.LAPSED_QUESTION)
    await r.post(Resume())
    await r.end()
    assert r.injector.grants == []
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.DECLINED, CallStatus.NOT_DONE]


async def test_a_second_pause_drops_the_question_about_an_edit_but_not_what_is_edited_then() -> None:
    r = rig(does(click(20, 20)), request=LEAD, reader=PLACES)
    await edited_in_a_pause(r)
    assert r.session.question is not None
    await r.post(Pause())
    assert [(decided.decision, decided.rule) for decided in r.of(Decided)][-1] == (DecisionKind.NOT_DONE, "paused")
    await r.post(Edit(step=1, call=0, action=click(301, 211)))
    await r.post(Resume())
    await r.settled()
    await answer(r, "yes")
    await r.end()
    assert r.injector.actions == [click(301, 211)]
    assert r.of(Warned) == []
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.DONE]


async def test_an_end_that_was_edited_during_a_pause_ends_the_run() -> None:
    end = Finish(message="All done.")

    def think(_seen: Observation) -> Proposal:
        r.session.post(Pause())
        return does(end)

    r = rig(think, said("went on"))
    await r.start()
    await r.post(Edit(step=1, call=0, action=end))
    await r.post(Resume())
    ended = await r.end()
    assert (ended.outcome, ended.message, len(r.model.seen)) == (EndedOutcome.FINISHED, "All done.", 1)
