"""A record that cannot be written pauses the session; its events stay in memory until it can be written again."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import RecordError
from operator_console.domain.events import (
    Ended,
    EndedOutcome,
    Event,
    Granted,
    Paused,
    Proposed,
    SessionStarted,
    Stopped,
    Warned,
)
from operator_console.domain.intents import Resume, Stop
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.stopping import PauseCause, StopCause
from tests.engine.rig import Rig, click, does, rig, said


class Disk:
    """Full from the first event of a kind on, until there is room again."""

    def __init__(self, from_kind: type) -> None:
        self._from = from_kind
        self.full = False
        self.room = False

    def __call__(self, event: Event) -> RecordError | None:
        self.full = not self.room and (self.full or isinstance(event, self._from))
        return RecordError("The disk is full.") if self.full else None


async def paused(from_kind: type) -> tuple[Rig, Disk]:
    """A session that wants to click, and a disk that is full from then on."""
    disk = Disk(from_kind)
    r = rig(does(click()), does(click()), said("ok"))
    r.journal.failing = disk
    await r.start()
    assert r.state == PausedState(by=PauseCause.RECORD)
    assert r.injector.grants == []
    assert not r.guard.gate_open
    return r, disk


@pytest.mark.parametrize("from_kind", [Proposed, Granted])
async def test_it_pauses_says_so_and_goes_on_when_it_can_be_written(from_kind: type) -> None:
    r, disk = await paused(from_kind)
    told = [record.event for record in r.watcher.records]
    assert "disk is full" in [event.detail for event in told if isinstance(event, Paused)][-1]
    assert not any(isinstance(record.event, Paused) for record in r.journal.records)

    await r.post(Resume())
    assert r.state == PausedState(by=PauseCause.RECORD)
    warned = [record.event for record in r.watcher.records if isinstance(record.event, Warned)]
    assert warned[-1].title == "The record still cannot be written."

    disk.room = True
    await r.post(Resume())
    await r.end()
    assert r.injector.actions == [click()]
    assert r.watcher.records == r.journal.records
    assert [record.seq for record in r.journal.records] == list(range(1, len(r.journal.records) + 1))
    assert r.of(Ended)[-1].outcome is EndedOutcome.FINISHED


async def test_a_stop_still_works_and_is_kept() -> None:
    r, disk = await paused(Granted)
    disk.room = True
    await r.post(Stop(reason=StopCause.BUTTON))
    await r.end()
    assert r.of(Stopped)[-1].reason is StopCause.BUTTON
    assert r.watcher.records == r.journal.records


async def test_a_run_whose_first_event_cannot_be_written_does_not_begin() -> None:
    r = rig(does(click()))
    r.journal.failing = Disk(SessionStarted)
    with pytest.raises(RecordError):
        await r.run()
    assert r.watcher.records == []
