"""Hold-to-run in a session: what is not held waits, and goes on where it was."""

from __future__ import annotations

from operator_console.domain.decisions import Surface
from operator_console.domain.events import Decided, Paused, Resumed
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Resume
from operator_console.domain.proposals import Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import PauseCause
from tests.engine.rig import Words, click, does, rig, said

HOLDING = SessionRequest(task="x", autonomy=Autonomy.HOLD, lead_time_s=0.0)
DELETE = Words(("Delete", Rect(90, 90, 40, 20)), ("Overview", Rect(90, 200, 60, 20)))


async def test_an_ordinary_action_runs_once_the_key_is_held() -> None:
    def let_go_meanwhile(_observation: Observation) -> Proposal:
        r.guard.let_go()
        return does(click(100, 210))

    r = rig(let_go_meanwhile, said("ok"), request=HOLDING, reader=DELETE)
    await r.start()
    await r.settled()
    assert r.injector.actions == []
    assert [each.by for each in r.of(Paused)] == [PauseCause.HOLD]
    await r.post(Resume())  # the window's Resume is no key that is held
    assert r.injector.actions == []
    r.guard.held_again()
    await r.end()
    assert r.injector.actions == [click(100, 210)]
    assert [each.by for each in r.of(Resumed)] == ["guard:hold"]
    assert "hold-to-run" in {each.rule for each in r.of(Decided)}


async def test_a_question_stays_open_and_its_yes_is_carried_out_once_the_key_is_held_again() -> None:
    r = rig(does(click(100, 100)), said("ok"), request=HOLDING, reader=DELETE)
    await r.start()
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    r.guard.let_go()
    await r.settled()
    assert r.session.question is not None
    await r.post(Answer(question_id=question.question_id, answer="yes"))
    assert r.injector.actions == []
    r.guard.held_again()
    await r.end()
    assert r.injector.actions == [click(100, 100)]
