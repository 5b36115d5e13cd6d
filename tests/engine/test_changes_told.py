"""Whether the screen changed after a call: told to the record and the model, also where the effect comes late."""

from __future__ import annotations

import asyncio

from operator_console.domain.actions import Action, Chord, Click, Move, TypeText
from operator_console.domain.events import Observed, Proposed, Settled, Warned
from operator_console.domain.frames import SettleReason
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Observation, Proposal
from operator_console.engine.targeting import must_show
from operator_console.engine.turn.call_results import NOTHING_CHANGED
from tests.engine.rig import Gate, Rig, click, does, quiet, rig, said


def painting(r: Rig, *acts: int) -> None:
    """Let these acts, counted from 1, paint something new."""
    done: list[int] = []

    def paint(_action: object) -> None:
        done.append(1)
        if len(done) in acts:
            r.computer.paint(Rect(10 * len(done), 0, 80, 80), (len(done), 2, 3))

    r.injector.on_act = paint


async def test_each_call_of_a_turn_is_told_for_itself() -> None:
    r = rig(does(click(), Move(at=NativePoint(5, 5)), click(50, 50), TypeText(text="a")))
    painting(r, 1, 4)
    await r.run()
    told = [(event.call, event.changed) for event in r.of(Settled)]
    assert told == [(0, True), (1, None), (2, False), (3, True)]
    results = r.model.seen[1].results
    assert [result.changed for result in results] == [True, None, False, True]
    assert [NOTHING_CHANGED in result.text for result in results] == [False, False, True, False]


async def test_what_changes_before_an_input_is_not_its_effect() -> None:
    r: Rig

    def think(_seen: Observation) -> Proposal:
        r.computer.paint(Rect(0, 0, 300, 200), (9, 9, 9))
        return does(Click(at=NativePoint(350, 250)))

    r = rig(think)
    await r.run()
    assert [event.changed for event in r.of(Settled)] == [False]


async def test_a_call_that_was_not_done_says_nothing_of_the_screen() -> None:
    r = rig(does(None), said("done"))
    await r.run()
    assert r.model.seen[1].results[0].changed is None
    assert r.of(Settled) == []


def test_what_need_not_show_is_not_asked_about() -> None:
    shown: list[Action] = [click(), TypeText(text="a"), Chord(keys=(Key("enter"),)), TypeText(text="", submit=True)]
    silent: list[Action] = [Move(at=NativePoint(1, 1)), Chord(keys=(Key("ctrl"), Key("c"))), TypeText(text="")]
    assert all(map(must_show, shown))
    assert not any(map(must_show, silent))


async def test_an_effect_that_comes_while_the_model_thinks_is_looked_at_anew() -> None:
    gate = Gate(said("done"))
    r = rig(does(click()), gate)
    r.computer.settle_is_weak = True
    await r.start()
    await r.settled()
    assert len(r.model.seen) == 2
    r.computer.paint(Rect(0, 0, 200, 200), (1, 2, 3))
    r.computer.show_late()
    await quiet()
    assert r.model.cancelled == 1, "the question about the picture before is taken back"
    assert [event.step for event in r.of(Observed)] == [1, 2, 2]
    before, after = r.model.seen[1:]
    assert before.frame.frame_id != after.frame.frame_id
    assert before.results == after.results, "no answer is lost"
    gate.open()
    await r.end()
    assert len(r.of(Proposed)) == 2


async def test_an_answer_that_is_there_first_counts() -> None:
    r = rig(does(click()), does(click()))
    r.computer.settle_is_weak = True
    ended = await r.run()
    assert ended.steps == 3
    assert [event.step for event in r.of(Observed)] == [1, 2, 3]
    assert not [task for task in asyncio.all_tasks() if "late" in repr(task.get_coro())]


async def test_an_application_that_hangs_is_told_to_both_and_once() -> None:
    r = rig(does(click()), does(click()), said("Done."))
    r.computer.title = "Mousepad"
    r.computer.settle_reason = SettleReason.NOT_ANSWERING
    await r.run()
    assert [each.title for each in r.of(Warned)] == ["“Mousepad” does not answer."]
    for seen in r.model.seen[1:]:
        assert "The application does not answer" in seen.results[0].text
