"""A record's view at every place, and the places of its steps."""

from __future__ import annotations

import random

import pytest

from operator_console.domain import events as ev
from operator_console.domain.proposals import Usage
from operator_console.ui.view import replayed_record as module
from operator_console.ui.view.fold_records import fold
from operator_console.ui.view.replayed_record import Replay
from operator_console.ui.view.session_view import Note, SessionView, Step
from operator_console.ui.view.timeline_entries import entry_of
from tests.display.ui.scene import Story, desktop_image
from tests.ui.view.folding import fold_all


@pytest.fixture
def story() -> Story:
    made = Story(image=desktop_image(32, 20))
    made.history(24)
    made.add(ev.Message(text="Go on."))
    return made


def test_the_view_at_any_place_is_that_of_the_records_so_far(story: Story) -> None:
    replay = Replay.of(story.records)
    places = list(range(len(story.records) + 1))
    random.Random(1).shuffle(places)
    for place in places:
        assert replay.view_at(place) == fold_all(story.records[:place])


def test_going_back_folds_few_records(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = Replay.of(story.records)
    folded: list[int] = []

    def counting(view: SessionView, record: ev.Record) -> SessionView:
        folded.append(record.seq)
        return fold(view, record)

    monkeypatch.setattr(module, "fold", counting)
    last = len(story.records)
    assert last > 2 * module.EVERY
    replay.view_at(last)
    assert folded == []
    replay.view_at(last - 1)
    assert len(folded) < module.EVERY
    folded.clear()
    for place in range(10, last):
        replay.view_at(place)
    assert len(folded) < last


def test_the_end_of_a_step_is_before_the_next_one_and_of_the_last_one_the_end(story: Story) -> None:
    replay = Replay.of(story.records)
    assert replay.steps == 24
    for step in range(1, 24):
        view = replay.view_at(replay.end_of_step(step))
        assert view.step is not None
        assert (view.step.number, bool(view.step.finished)) == (step, True)
        assert replay.step_at(replay.end_of_step(step)) == step
    assert replay.end_of_step(24) == replay.end_of_step(99) == len(story.records)
    assert replay.view_at(replay.end_of_step(0)).step is None


def test_steps_are_counted_as_the_list_and_the_rows_count_them() -> None:
    """A look that the end of a run came into is none, and each run counts its own."""
    story = Story(image=desktop_image(32, 20))
    story.history(3)
    story.observed(4)
    story.add(ev.Ended(outcome=ev.EndedOutcome.STOPPED, usage=Usage()))
    assert Replay.of(story.records).steps == 3
    looked = next(item for item in reversed(Replay.of(story.records).whole.items) if isinstance(item, Step))
    assert (looked.number, entry_of(looked).number) == (4, "")
    story.history(2)
    replay = Replay.of(story.records)
    assert replay.steps == sum(isinstance(record.event, ev.Proposed) for record in story.records) == 5
    names = [replay.name_of(step) for step in range(1, 6)]
    assert [(name.run, name.number, name.of) for name in names] == [
        (1, 1, 3),
        (1, 2, 3),
        (1, 3, 3),
        (2, 1, 2),
        (2, 2, 2),
    ]
    assert {name.runs for name in names} == {2}
    for step, name in enumerate(names, 1):
        view = replay.view_at(replay.end_of_step(step))
        assert view.step_reached == name.number
    begun = replay.item_at(looked.seq)
    assert isinstance(begun, Step)
    assert begun.seq == looked.seq, "its row is chosen all the same"


def test_a_step_or_note_has_its_place(story: Story) -> None:
    replay = Replay.of(story.records)
    step = next(item for item in replay.whole.items if isinstance(item, Step) and item.number == 7)
    assert replay.end_of(step) == replay.end_of_step(7)
    assert replay.item_at(replay.end_of_step(7)) is step
    note = replay.whole.items[-1]
    assert isinstance(note, Note)
    assert replay.end_of(note) == len(story.records)
    started = replay.item_at(1)
    assert isinstance(started, Note)
    assert replay.item_at(0) is None


def test_a_record_without_steps_has_one_place() -> None:
    replay = Replay.of(())
    assert (replay.steps, replay.end_of_step(0), replay.item_at(0)) == (0, 0, None)
    assert replay.view_at(0) == SessionView()


def test_what_a_cut_off_run_left_open_is_over_at_its_end() -> None:
    story = Story()
    story.history()
    story.batch()
    story.observed(7)
    live, interrupted = Replay.of(story.records), Replay.of(story.records, interrupted=True)
    last = len(story.records)
    for replay, detail in ((live, "in progress"), (interrupted, "interrupted")):
        for place in (last, 3, last):
            step = replay.view_at(place).step
            assert step is not None
            assert (entry_of(step).detail == detail) == (place == last)
