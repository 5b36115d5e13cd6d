"""Nobody is asked about an action whose place on the screen changed while the model was thinking."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, TypeText
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    RejectedReason,
    UnavailableReason,
)
from operator_console.domain.events import Asked, Decided, EndedOutcome, Paused
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Approve, Stop
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.states import Reviewing
from operator_console.engine.turn.decide import LOOKS_AGAIN
from tests.engine.rig import Rig, Words, click, does, rig

UNDER, BESIDE = Rect(60, 60, 80, 80), Rect(300, 200, 40, 40)
DELETE = Words(("Delete", Rect(90, 90, 40, 20)))


def changing(place: Rect, *, times: int = 1, action: Action | None = None, dialog: bool = False) -> Rig:
    """A session whose screen changes so many times while the model thinks; it proposes the same each time."""
    action = action or click()
    left = list(range(times))

    def answer(_observation: Observation) -> Proposal:
        if left:
            r.computer.paint(place, (left.pop() * 40, 200, 0))
        return does(action)

    autonomy = Autonomy.GUARDED if dialog else Autonomy.STEP
    r = rig(*(answer,) * (times + 1), autonomy=autonomy, reader=DELETE if dialog else None)
    return r


async def stop(r: Rig) -> None:
    await r.post(Stop())
    await r.end()


async def test_the_model_looks_again_instead_of_asking_in_vain() -> None:
    r = changing(UNDER)
    await r.start()
    assert r.is_in(Reviewing)
    first = r.of(Decided)[0]
    assert (first.decision, first.by, first.rule) == (DecisionKind.NOT_DONE, DecidedBy.POLICY, "stale")
    assert [asked.step for asked in r.of(Asked)] == [2]
    told = r.model.seen[1].results[0]
    assert told.status is CallStatus.NOT_DONE
    assert "no longer what you saw" in told.text
    assert r.of(Paused) == []
    assert r.session.question is not None
    await r.post(Approve(question_id=r.session.question.question_id))
    await r.end()
    assert r.injector.actions == [click()]


async def test_a_question_in_the_dialog_is_not_put_in_vain_either() -> None:
    r = changing(UNDER, dialog=True)
    await r.start()
    assert r.is_in(Reviewing)
    assert [asked.step for asked in r.of(Asked)] == [2]
    await stop(r)


async def test_a_change_elsewhere_is_no_reason() -> None:
    r = changing(BESIDE)
    await r.start()
    assert [asked.step for asked in r.of(Asked)] == [1]
    await stop(r)


async def test_an_action_without_a_place_of_its_own_is_asked_about() -> None:
    r = changing(UNDER, action=TypeText(text="at the cursor"))
    await r.start()
    assert [asked.step for asked in r.of(Asked)] == [1]
    await stop(r)


async def test_where_the_target_never_rests_a_person_is_asked_at_last() -> None:
    r = changing(UNDER, times=LOOKS_AGAIN + 2)
    await r.start()
    assert r.is_in(Reviewing)
    assert [asked.step for asked in r.of(Asked)] == [LOOKS_AGAIN + 1]
    await stop(r)


async def test_a_screen_that_rested_meanwhile_begins_the_row_anew() -> None:
    r = rig(*[does(click())] * 4, autonomy=Autonomy.STEP)

    def answer(observation: Observation) -> Proposal:
        if len(r.model.seen) != 2:
            r.computer.paint(UNDER, (len(r.model.seen) * 40, 200, 0))
        return does(click())

    r.model.turns = [answer] * 4
    await r.start()
    assert r.session.question is not None
    await r.post(Approve(question_id=r.session.question.question_id))
    await r.settled()
    assert [decided.rule for decided in r.of(Decided)] == ["stale", "step-by-step", "stale", "stale"]
    await r.end()


@pytest.mark.parametrize(
    "error",
    [
        ComputerUnavailable("It is not there.", reason=UnavailableReason.MINIMISED),
        ComputerRejected("It does not answer.", reason=RejectedReason.COVERED),
    ],
)
async def test_where_the_target_cannot_be_seen_now_a_person_is_asked(error: ComputerError) -> None:
    r = rig(does(click()), autonomy=Autonomy.STEP)

    async def unseen(checks: object) -> bool:
        raise error

    r.computer.still_shows = unseen  # type: ignore[method-assign]
    await r.start()
    assert [asked.step for asked in r.of(Asked)] == [1]
    await stop(r)


async def test_a_denial_in_the_dialog_takes_a_note_to_the_model_and_into_the_record() -> None:
    r = rig(does(click()), reader=DELETE)
    await r.start()
    assert r.session.question is not None
    await r.post(Answer(question_id=r.session.question.question_id, answer="no", note="Archive it instead."))
    await r.end()
    decided = r.of(Decided)[0]
    assert (decided.decision, decided.feedback) == (DecisionKind.DENY, "Archive it instead.")
    told = r.model.seen[1].results[0]
    assert told.status is CallStatus.DECLINED
    assert "Archive it instead." in told.text


async def test_nothing_is_asked_about_a_target_that_was_closed() -> None:
    """Nothing could be allowed; the session ends with what happened to the target."""

    def answer(_observation: Observation) -> Proposal:
        r.computer.closed = True
        return does(click())

    r = rig(answer, autonomy=Autonomy.STEP)
    ended = await r.run()
    assert r.of(Asked) == []
    assert ended.outcome is EndedOutcome.FAILED
    assert "closed" in ended.message
