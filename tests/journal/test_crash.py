"""kill -9 of the writer at random points: no event reported as durable is lost, and the file verifies."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind
from operator_console.domain.events import Decided, Granted, Performed, Stopped
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import CallStatus
from operator_console.domain.stopping import StopCause
from operator_console.journal.call_outcomes import CallOutcome, call_outcomes, last_call, run_was_cut_off
from operator_console.journal.read import Reader
from operator_console.journal.summary import cut_off_sessions, recorded_last_call, session_summary
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place

ROOT = Path(__file__).resolve().parents[2]


def write_and_kill(place: Place, how: str, events: int) -> int:
    """Start a writer and kill it after `events` appends; returns the last number it reported."""
    command = [sys.executable, "-m", "tests.journal.crash_writer", str(place.file), str(place.anchors), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        for _ in range(events):
            assert process.stdout.readline()
        process.kill()
        rest = process.stdout.read().split(b"\n")
    numbers = [int(number) for number in rest[:-1]]
    return numbers[-1] if numbers else events


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(each, marks=pytest.mark.full) for each in range(2, 6))])
def test_killed_at_a_random_point(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    reported = 0
    for how in ("create", "resume", "resume"):
        reported = max(reported, write_and_kill(place, how, chance.randint(1, 60)))
        before = sorted((path.name, path.stat().st_mtime_ns) for path in place.file.parent.iterdir())
        verdict = verify(place.file, place.anchors)
        assert verdict.finding is Finding.INTACT, verdict.problems
        assert verdict.events >= reported
        assert verdict.cut_off
        assert not verdict.live
        assert before == sorted((path.name, path.stat().st_mtime_ns) for path in place.file.parent.iterdir())
        reported = verdict.events
    assert [summary.path for summary in cut_off_sessions(place.file.parent, place.anchors)] == [place.file]
    with SessionJournal.resume(place.file, place.anchors) as journal:
        assert journal.head[0] == reported
        journal.append(samples.ended())
    assert verify(place.file, place.anchors).finding is Finding.INTACT


CLICK = Click(at=NativePoint(1, 2))
GRANTED = Granted(step=1, call=0, grant_id="g", action=CLICK, epoch=1)


def last_after(place: Place, *events: Decided | Granted | Performed) -> tuple[int, CallOutcome]:
    with place.create() as journal:
        journal.append(samples.started())
        journal.append(samples.observed(1, "ab" * 32))
        journal.append(samples.proposed(1))
        for event in events:
            journal.append(event)
    with Reader(place.file) as reader:
        records = list(reader.records())
    assert run_was_cut_off(records)
    last = last_call(records)
    assert last is not None
    assert last.action is not None
    return last.call, last.outcome


def decided(call: int, decision: DecisionKind = DecisionKind.APPROVE) -> Decided:
    return Decided(step=1, call=call, decision=decision, by=DecidedBy.HUMAN, rule="r")


def performed(result: ActResult, status: CallStatus = CallStatus.DONE) -> Performed:
    return Performed(step=1, call=0, grant_id="g", result=result, status=status)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), (0, CallOutcome.NOT_DONE)),
        ((decided(0),), (0, CallOutcome.NOT_DONE)),
        ((decided(0), GRANTED), (0, CallOutcome.UNKNOWN)),
        ((decided(0), GRANTED, performed(ActResult.DONE)), (0, CallOutcome.DONE)),
        ((decided(0), GRANTED, performed(ActResult.FAILED, CallStatus.FAILED)), (0, CallOutcome.FAILED)),
        ((decided(0), GRANTED, performed(ActResult.UNKNOWN, CallStatus.FAILED)), (0, CallOutcome.UNKNOWN)),
        ((decided(0), GRANTED, performed(ActResult.STOPPED, CallStatus.STOPPED)), (0, CallOutcome.STOPPED)),
        ((decided(0), GRANTED, performed(ActResult.DONE), decided(1)), (1, CallOutcome.NOT_DONE)),
        ((decided(0, DecisionKind.SKIP), performed(ActResult.DONE, CallStatus.SKIPPED)), (0, CallOutcome.NOT_DONE)),
    ],
)
def test_the_last_action_is_named(
    place: Place, events: tuple[Decided | Granted | Performed, ...], expected: tuple[int, CallOutcome]
) -> None:
    assert last_after(place, *events) == expected


def test_a_run_that_ended_is_not_cut_off(place: Place) -> None:
    with place.create() as journal:
        samples.write_session(journal)
        assert session_summary(place.file, place.anchors).live
    summary = session_summary(place.file, place.anchors)
    assert (summary.live, summary.cut_off, summary.steps, summary.runs) == (False, False, 2, 1)
    with SessionJournal.resume(place.file, place.anchors) as journal:
        journal.append(samples.started(resumed=True))
        journal.append(Stopped(reason=StopCause.HOTKEY, latched=True))
    summary = session_summary(place.file, place.anchors)
    assert (summary.cut_off, summary.runs, summary.outcome) == (True, 2, None)
    assert recorded_last_call(place.file) is None


def test_fates_are_those_of_the_last_run(place: Place) -> None:
    with place.create() as journal:
        samples.write_session(journal, steps=3)
        samples.write_session(journal, steps=1)
    with Reader(place.file) as reader:
        found = call_outcomes(reader.records())
    assert [(call.step, call.call, call.outcome) for call in found] == [
        (1, 0, CallOutcome.DONE),
        (1, 1, CallOutcome.DONE),
    ]


def test_reading_what_a_kill_left_keeps_no_copy(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    events = write_and_kill(place, "create", 20)
    with Reader(place.file) as reader:
        assert [path for path in copies.rglob("*") if path.is_file()] == []
        assert sum(1 for _ in reader.entries()) >= events
        assert all(reader.blob(blob.digest) == blob.data for blob in reader.blobs())
    assert list(copies.iterdir()) == []


def test_a_session_is_read_and_verified_while_another_process_writes_it(place: Place) -> None:
    command = [sys.executable, "-m", "tests.journal.crash_writer", str(place.file), str(place.anchors), "create"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            seen = 0
            for _ in range(8):
                reported = [int(process.stdout.readline()) for _ in range(20)]
                verdict = verify(place.file, place.anchors)
                assert verdict.finding is Finding.INTACT, verdict.problems
                assert verdict.live
                assert not verdict.cut_off
                assert verdict.events >= max(*reported, seen)
                seen = verdict.events
            with Reader(place.file) as reader:
                assert sum(1 for _ in reader.entries()) >= seen
        finally:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 7])
def test_the_summary_names_the_same_last_action_as_the_whole_record(place: Place, steps: int) -> None:
    with place.create() as journal:
        samples.write_session(journal, steps=2)
        samples.write_session(journal, steps=steps, end=False)
    with Reader(place.file) as reader:
        records = list(reader.records())
    summary = session_summary(place.file, place.anchors)
    assert recorded_last_call(summary.path) == last_call(records)
    assert (summary.cut_off, summary.steps, summary.events) == (True, 2 + steps, len(records))
