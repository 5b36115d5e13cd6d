"""A snapshot that the operator takes or goes back to is in the record, and the model is told that it went back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.events import Message, Proposed, SessionStarted, Snapshot
from operator_console.domain.intents import NoteSnapshot, Pause, Resume
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.engine.past_conversation import history_of, past_conversation
from tests.engine.rig import click, does, rig, said

NAME = "operator-console-20261129-003412"
WENT_BACK = notice(NoticeCode.MACHINE_WENT_BACK)


@pytest.mark.parametrize("act", SnapshotAct)
async def test_one_of_before_the_run_is_recorded_at_its_start_and_the_model_is_told_nothing(act: SnapshotAct) -> None:
    r = rig(does(click()), said("ok"))
    r.session.post(NoteSnapshot(act=act, name=NAME))
    await r.run()
    assert isinstance(r.events[0], SessionStarted)
    assert r.events[1] == Snapshot(act=act, name=NAME)
    assert all(seen.messages == () for seen in r.model.seen)


@pytest.mark.parametrize("act", SnapshotAct)
async def test_one_of_a_pause_is_recorded_and_going_back_is_told_to_the_model(act: SnapshotAct) -> None:
    r = rig(does(click()), said("ok"))
    r.session.post(Pause())
    await r.start()
    await r.post(NoteSnapshot(act=act, name=NAME))
    assert r.events[-1] == Snapshot(act=act, name=NAME)
    await r.post(Resume())
    await r.end()
    assert r.of(Message) == []
    assert r.model.seen[0].messages == ((WENT_BACK,) if act is SnapshotAct.RESTORED else ())


async def test_a_run_that_goes_on_after_it_is_told() -> None:
    r = rig(does(click()))
    await r.run()
    end = 1 + next(place for place, event in enumerate(r.events) if isinstance(event, Proposed))
    for act in SnapshotAct:
        later = replace(r.journal.records[-1], event=Snapshot(act=act, name=NAME))
        words = history_of([*r.journal.records, later])
        assert ("back to a snapshot" in words) is (act is SnapshotAct.RESTORED)
        given = past_conversation(
            [*r.journal.records[:end], later], r.journal.data.get, provider="played", model="played-1", task="do it"
        )
        assert given is not None
        assert given.messages == ((WENT_BACK,) if act is SnapshotAct.RESTORED else ())
