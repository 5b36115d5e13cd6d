"""Renaming keeps a session whole and verifiable, and overwrites nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.domain.errors import OperatorError, RecordError
from operator_console.journal.errors import NotASession
from operator_console.journal.rename import file_name, rename_session
from operator_console.journal.summary import session_summary
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place


@pytest.fixture
def session(place: Place) -> Place:
    with place.create() as journal:
        samples.write_session(journal)
    return place


def test_a_renamed_session_verifies_as_before(session: Place) -> None:
    renamed = rename_session(session.file, " Zażółć – report 2026 ", session.anchors)
    assert renamed.name == "Zażółć – report 2026.ocsession"
    assert not session.file.exists()
    assert verify(renamed, session.anchors).finding is Finding.INTACT
    with SessionJournal.resume(renamed, session.anchors) as journal:
        journal.append(samples.started(resumed=True))
    assert session_summary(renamed, session.anchors).runs == 2


def test_who_wrote_a_session_reads_its_pictures_from_its_new_path(place: Place) -> None:
    data = b"a picture"
    digest = hashlib.sha256(data).hexdigest()
    with place.create() as journal:
        journal.put_blob(digest, data, "image/png")
        samples.write_session(journal)
    renamed = rename_session(place.file, "elsewhere", place.anchors)
    journal.renamed(renamed)
    assert journal.blob(digest) == data


def test_nothing_is_overwritten(session: Place) -> None:
    other = session.file.with_name("taken.ocsession")
    other.write_text("mine")
    with pytest.raises(OperatorError, match="already"):
        rename_session(session.file, "taken", session.anchors)
    assert other.read_text() == "mine"
    assert verify(session.file, session.anchors).finding is Finding.INTACT


def test_the_same_name_is_no_change(session: Place) -> None:
    assert rename_session(session.file, "one.ocsession", session.anchors) == session.file


@pytest.mark.parametrize(
    "name",
    ["", "  ", ".ocsession", "a/b", "..", "a\\b", "a\nb", "a\u202eb", "CON", "com1.txt", "ż" * 200, "x:y", "end."],
)
def test_a_name_that_no_file_can_have_is_refused_with_a_reason(name: str) -> None:
    with pytest.raises(OperatorError) as caught:
        file_name(name)
    assert caught.value.title
    assert caught.value.exit_code == 2


def test_a_session_being_written_keeps_its_name(place: Place) -> None:
    with place.create() as journal:
        journal.append(samples.started())
        journal.flush()
        with pytest.raises(RecordError, match="being written"):
            rename_session(place.file, "other", place.anchors)
    assert verify(place.file, place.anchors).finding is Finding.INTACT


def test_what_a_crash_left_beside_the_file_moves_with_it(place: Place) -> None:
    code = (
        "import os, sys; from pathlib import Path; from operator_console.journal.write import SessionJournal;"
        "from tests.journal import samples;"
        "j = SessionJournal.create(Path(sys.argv[1]), Path(sys.argv[2]));"
        "samples.write_session(j, end=False); j.flush(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, place.file, place.anchors], check=True, cwd=Path(__file__).parents[2])
    assert place.file.with_name("one.ocsession-wal").exists()
    before = session_summary(place.file, place.anchors)
    renamed = rename_session(place.file, "found", place.anchors)
    after = session_summary(renamed, place.anchors)
    assert (after.events, after.steps, after.cut_off) == (before.events, 2, True)
    assert verify(renamed, place.anchors).finding is Finding.INTACT
    assert sorted(path.name for path in place.file.parent.glob("*ocsession*")) == ["found.ocsession"]


def test_what_the_target_kept_beside_the_file_moves_with_it_where_the_name_is_free(session: Place) -> None:
    archive, saved = session.file.with_suffix(".har"), session.file.with_suffix(".downloads") / "bill.txt"
    saved.parent.mkdir()
    shared = session.file.with_suffix(".files") / "note.txt"
    shared.parent.mkdir()
    for each in (archive, saved, shared):
        each.write_text(each.name)
    archive.with_stem("other").write_text("mine")
    renamed = rename_session(session.file, "other", session.anchors)
    assert (archive.read_text(), renamed.with_suffix(".har").read_text()) == (archive.name, "mine")
    assert (renamed.with_suffix(".downloads") / "bill.txt").read_text() == "bill.txt"
    assert (renamed.with_suffix(".files") / "note.txt").exists()
    assert not saved.parent.exists()


def test_something_else_is_not_renamed(place: Place) -> None:
    place.file.write_text("my thesis")
    with pytest.raises(NotASession):
        rename_session(place.file, "other", place.anchors)
    assert place.file.read_text() == "my thesis"
