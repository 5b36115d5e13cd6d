"""How much is asked can be changed while a session runs: the level, and a number of actions approved ahead."""

from __future__ import annotations

import pytest

from operator_console.domain.decisions import DecidedBy, DecisionKind, Surface
from operator_console.domain.events import Asked, AutonomyChanged, Decided
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import (
    Answer,
    Approve,
    ApproveNext,
    HandBack,
    Pause,
    Resume,
    Say,
    SetAutonomy,
    Skip,
    TakeOver,
)
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Reviewing
from tests.engine.rig import Rig, Words, click, does, rig, said

DELETE = Words(("Delete", Rect(90, 90, 40, 20)), ("Overview", Rect(90, 200, 60, 20)))
PLAIN = click(100, 210)


async def approve(r: Rig) -> None:
    assert r.session.question is not None
    await r.post(Approve(question_id=r.session.question.question_id))


async def test_the_level_counts_from_the_next_action_on_and_is_recorded() -> None:
    r = rig(*(does(PLAIN) for _ in range(3)), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    assert r.is_in(Reviewing)
    await r.post(SetAutonomy(autonomy=Autonomy.GUARDED))
    assert r.is_in(Reviewing), "the open question stays"
    await approve(r)
    await r.end()
    assert len(r.of(Asked)) == 1
    assert r.injector.actions == [PLAIN] * 3
    assert [(each.autonomy, each.approve_next) for each in r.of(AutonomyChanged)] == [(Autonomy.GUARDED, 0)]


async def test_a_stricter_level_asks_the_next_action() -> None:
    r = rig(does(PLAIN), said("ok"), autonomy=Autonomy.GUARDED, reader=DELETE)
    r.session.post(SetAutonomy(autonomy=Autonomy.STEP))
    await r.start()
    assert r.is_in(Reviewing)
    await r.post(SetAutonomy(autonomy=Autonomy.OBSERVE))
    await approve(r)
    await r.end()


@pytest.mark.parametrize("level", [Autonomy.HOLD, Autonomy.STEP])
async def test_hold_to_run_is_neither_entered_nor_left(level: Autonomy) -> None:
    """The guard keeps it from the start on."""
    before = Autonomy.HOLD if level is Autonomy.STEP else Autonomy.GUARDED
    request = SessionRequest(task="x", autonomy=before, lead_time_s=0.0)
    r = rig(does(PLAIN), said("ok"), request=request, reader=DELETE)
    r.session.post(SetAutonomy(autonomy=level))
    await r.run()
    assert r.of(AutonomyChanged) == []
    assert r.of(Asked) == []


async def test_so_many_of_the_next_actions_are_approved_and_then_it_is_asked_again() -> None:
    r = rig(*(does(PLAIN) for _ in range(5)), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    await r.post(ApproveNext(count=2))
    await approve(r)
    await r.settled()
    assert r.is_in(Reviewing)
    assert r.injector.actions == [PLAIN] * 3
    assert [(each.by, each.rule) for each in r.of(Decided)] == [
        (DecidedBy.HUMAN, "step-by-step"),
        (DecidedBy.POLICY, "approved-next"),
        (DecidedBy.POLICY, "approved-next"),
    ]
    await r.post(ApproveNext(count=5))
    await r.post(ApproveNext(count=0))
    await approve(r)
    await r.settled()
    assert r.is_in(Reviewing), "it was taken back"
    assert [each.approve_next for each in r.of(AutonomyChanged)] == [2, 5, 0]
    await approve(r)
    await r.end()


async def test_what_is_risky_is_asked_whatever_was_approved_ahead() -> None:
    r = rig(does(PLAIN), does(click(100, 100)), does(PLAIN), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    await r.post(ApproveNext(count=9))
    await approve(r)
    await r.settled()
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.settled()
    assert r.is_in(Reviewing)
    assert r.session.question is not None
    assert r.session.question.surface is Surface.CARD, "a no takes back what was approved ahead"
    assert r.injector.actions == [PLAIN]
    assert r.of(AutonomyChanged)[-1].approve_next == 0
    await approve(r)
    await r.end()


async def test_a_hand_over_and_a_skip_take_back_what_was_approved_ahead() -> None:
    r = rig(*(does(PLAIN) for _ in range(4)), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    await r.post(ApproveNext(count=9))
    await r.post(TakeOver())
    await r.post(HandBack())
    await r.settled()
    assert r.is_in(Reviewing)
    await r.post(ApproveNext(count=9))
    assert r.session.question is not None
    step = r.session.question.step
    assert step is not None
    await r.post(Skip(step=step, call=0))
    await r.settled()
    assert r.is_in(Reviewing)
    assert [each.approve_next for each in r.of(AutonomyChanged)] == [9, 0, 9, 0]
    assert r.injector.actions == []
    await r.post(SetAutonomy(autonomy=Autonomy.GUARDED))
    await approve(r)
    await r.end()


@pytest.mark.parametrize("changes", [False, True])
async def test_a_pause_keeps_the_waiting_action_where_the_screen_stays_as_it_was(*, changes: bool) -> None:
    r = rig(does(PLAIN), does(PLAIN), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    await r.post(Pause())
    if changes:
        r.computer.paint(Rect(300, 200, 40, 40), (9, 200, 0))
    await r.post(Resume())
    await r.settled()
    assert r.is_in(Reviewing)
    asked = r.of(Asked)
    assert [each.step for each in asked] == ([1, 2] if changes else [1, 1])
    assert len(r.model.seen) == (2 if changes else 1)
    await approve(r)
    await r.settled()
    if not changes:
        await approve(r)
    await r.end()
    assert [each.decision for each in r.of(Decided)].count(DecisionKind.APPROVE) == (1 if changes else 2)


async def test_a_message_in_a_pause_goes_to_the_model_before_anything_is_done() -> None:
    r = rig(does(PLAIN), said("ok"), autonomy=Autonomy.STEP, reader=DELETE)
    await r.start()
    await r.post(Pause())
    await r.post(Say(text="Not that one."))
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == []
    assert "Not that one." in r.model.seen[1].messages
