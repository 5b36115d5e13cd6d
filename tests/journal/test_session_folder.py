"""The sessions of a folder: what is said about each, and that unchanged files are not read again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from unittest import mock

import pytest

from operator_console.journal import summary
from operator_console.journal.rename import rename_session
from operator_console.journal.summary import SessionFolder, session_summary
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place


def write(path: Path, anchors: Path, *, end: bool = True) -> None:
    with SessionJournal.create(path, anchors) as journal:
        samples.write_session(journal, end=end)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "sessions").mkdir()
    return Place(file=tmp_path / "sessions" / "one.ocsession", anchors=tmp_path / "anchors")


def test_length_and_last_picture_are_in_the_summary(place: Place) -> None:
    write(place.file, place.anchors)
    found = session_summary(place.file, place.anchors)
    assert found.length_s == 3.0
    assert found.picture == hashlib.sha256(samples.picture(2)).hexdigest()


def test_the_length_of_an_interrupted_run_counts_until_its_last_event(place: Place) -> None:
    write(place.file, place.anchors)
    with SessionJournal.resume(place.file, place.anchors) as journal:
        began = journal.append(samples.started(resumed=True))
        last = journal.append(samples.observed(3, "ab" * 32))
    found = session_summary(place.file, place.anchors)
    assert found.cut_off
    assert found.length_s == pytest.approx(3.0 + summary.seconds_between(began.time, last.time))
    assert found.picture == "ab" * 32


def test_only_files_that_changed_are_read_again(place: Place) -> None:
    folder = SessionFolder(place.file.parent, place.anchors)
    write(place.file, place.anchors)
    other = place.file.with_name("two.ocsession")
    write(other, place.anchors)
    first, _ = folder.read()
    with SessionJournal.resume(other, place.anchors) as journal:
        journal.append(samples.started(resumed=True))
        journal.append(samples.ended())
    with mock.patch.object(summary, "session_summary", wraps=session_summary) as reading:
        second, _ = folder.read()
        third, _ = folder.read()
    assert [call.args[0] for call in reading.call_args_list] == [other]
    assert {each.path.name: each.runs for each in second} == {"one.ocsession": 1, "two.ocsession": 2}
    assert third == second != first


def test_a_session_that_runs_is_read_each_time_and_one_that_is_gone_is_left_out(place: Place) -> None:
    folder = SessionFolder(place.file.parent, place.anchors)
    with place.create() as journal:
        journal.append(samples.started())
        journal.flush()
        assert folder.read()[0][0].live
    (ended,) = folder.read()[0]
    assert not ended.live
    assert ended.cut_off
    renamed = rename_session(place.file, "new name", place.anchors)
    assert [each.path for each in folder.read()[0]] == [renamed]
    renamed.unlink()
    assert folder.read() == ((), ())


def test_a_file_that_cannot_be_read_is_named_with_its_error(place: Place) -> None:
    place.file.write_text("no session")
    sessions, (unreadable,) = SessionFolder(place.file.parent, place.anchors).read()
    assert sessions == ()
    assert (unreadable.path, unreadable.size_bytes) == (place.file, 10)
    assert "not a session" in unreadable.error.title
