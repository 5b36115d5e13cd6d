"""Appending: events are read back as they were written, and a closed session is a single file."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Message, Warned
from operator_console.journal.database import APPLICATION_ID
from operator_console.journal.errors import NotASession
from operator_console.journal.read import Reader
from operator_console.journal.record_json import object_to_entry, object_to_record, record_to_object
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place


def test_what_was_appended_is_read_back(place: Place) -> None:
    with place.create() as journal:
        written = [journal.append(event) for event in samples.step_events(1, "ab" * 32)]
    with Reader(place.file) as reader:
        assert list(reader.records()) == written
    assert [record.seq for record in written] == list(range(1, len(written) + 1))


def test_an_event_is_readable_by_others_before_flush_returns(place: Place) -> None:
    with place.create() as journal:
        record = journal.append(Message(text="now"))
        journal.flush()
        with Reader(place.file) as reader:
            assert list(reader.records()) == [record]


def test_a_picture_is_kept_once_and_with_its_event(place: Place) -> None:
    data = samples.picture(1)
    digest = hashlib.sha256(data).hexdigest()
    with place.create() as journal:
        for step in (1, 2):
            journal.put_blob(digest, data, "image/png")
            assert journal.blob(digest) == data
            journal.append(samples.observed(step, digest))
            assert journal.blob(digest) == data
        assert journal.blob("00") is None
    with Reader(place.file) as reader:
        assert [blob.data for blob in reader.blobs()] == [data]
        assert [blob.mime_type for blob in reader.blobs()] == ["image/png"]
        assert reader.blob(digest) == data
        assert reader.blob("00") is None


def test_a_wrong_digest_is_refused(place: Place) -> None:
    with place.create() as journal, pytest.raises(ValueError, match="digest"):
        journal.put_blob("00" * 32, b"data", "image/png")


def test_a_closed_session_is_a_single_file(place: Place) -> None:
    with place.create() as journal:
        samples.write_session(journal)
        journal.flush()
        assert place.file.with_name(place.file.name + "-wal").exists()
    assert [path.name for path in place.file.parent.iterdir() if path.is_file()] == [place.file.name]
    connection = sqlite3.connect(place.file)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_the_file_and_its_anchor_are_private(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="private"))
        files = [place.file, *place.anchors.iterdir()]
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_an_existing_file_is_never_written_into(place: Place) -> None:
    place.file.write_text("mine")
    with pytest.raises(RecordError) as caught:
        place.create()
    assert "already exists" in str(caught.value)
    assert place.file.read_text() == "mine"


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordError) as caught:
        SessionJournal.create(tmp_path / "nowhere" / "one.ocsession", tmp_path / "anchors")
    assert "does not exist" in str(caught.value)
    assert caught.value.remedy


def test_an_unusable_anchor_folder_leaves_no_file(tmp_path: Path) -> None:
    anchors = tmp_path / "anchors"
    anchors.write_text("a file")
    with pytest.raises(RecordError):
        SessionJournal.create(tmp_path / "one.ocsession", anchors)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".ocsession"] == []


def test_resume_goes_on_after_the_last_event(place: Place) -> None:
    with place.create() as journal:
        samples.write_session(journal)
        last, _ = journal.head
    with SessionJournal.resume(place.file, place.anchors) as journal:
        assert journal.append(samples.started(resumed=True)).seq == last + 1
    verdict = verify(place.file, place.anchors)
    assert verdict.finding is Finding.INTACT
    assert verdict.events == last + 1


def test_resume_somewhere_else_anchors_there(place: Place, tmp_path: Path) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
    with SessionJournal.resume(place.file, tmp_path / "other"):
        pass
    assert verify(place.file, tmp_path / "other").finding is Finding.INTACT


def test_a_session_has_one_writer(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
        with pytest.raises(RecordError) as caught:
            SessionJournal.resume(place.file, place.anchors)
        assert "another console" in str(caught.value)
        assert journal.append(Message(text="two")).seq == 2


@pytest.mark.parametrize(
    ("content", "detail"),
    [(b"", "is empty"), (b"x", "another program"), (b"not a database, but as long as one" * 20, "not a database")],
)
def test_a_file_that_is_not_a_session_is_unchanged(place: Place, content: bytes, detail: str) -> None:
    place.file.write_bytes(content)
    with pytest.raises(NotASession, match=detail) as caught:
        SessionJournal.resume(place.file, place.anchors)
    assert caught.value.remedy
    assert place.file.read_bytes() == content


def test_another_programs_database_is_no_session(place: Place) -> None:
    connection = sqlite3.connect(place.file)
    connection.execute("CREATE TABLE session (id)")
    connection.close()
    with pytest.raises(NotASession, match="another program"):
        Reader(place.file)


def test_a_new_file_without_events_is_deleted(place: Place) -> None:
    place.create().close()
    assert list(place.file.parent.glob("*.ocsession*")) == []
    assert not list(place.anchors.glob("*.anchor"))


def test_a_resumed_file_is_kept_without_new_events(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
    SessionJournal.resume(place.file, place.anchors).close()
    assert verify(place.file, place.anchors).finding is Finding.INTACT


def test_a_closed_journal_refuses_events(place: Place) -> None:
    journal = place.create()
    journal.close()
    journal.close()
    with pytest.raises(RecordError, match="closed"):
        journal.append(Message(text="late"))


def test_the_flat_object_is_as_documented(place: Place) -> None:
    with place.create() as journal:
        records = [journal.append(event) for event in samples.step_events(3, "ab" * 32)]
    objects = [record_to_object(record) for record in records]
    assert [list(item)[:3] for item in objects] == [["seq", "time", "kind"]] * len(objects)
    decided = next(item for item in objects if item["kind"] == "decided")
    assert (decided["step"], decided["call"], decided["decision"], decided["by"]) == (3, 0, "approve", "policy")
    assert [object_to_record(item) for item in objects] == records
    assert all(item["time"].endswith("Z") for item in objects)


def test_what_a_newer_version_wrote_is_passed_on(place: Place) -> None:
    newer = {"seq": 1, "time": "2026-01-01T00:00:00.000000Z", "kind": "levitated", "height": 3}
    assert object_to_entry(newer).record is None
    known = {"seq": 2, "time": "2026-01-01T00:00:00.000000Z", "kind": "message", "text": "hi", "mood": "good"}
    entry = object_to_entry(known)
    assert entry.record is not None
    assert entry.record.event == Message(text="hi")
    assert entry.object["mood"] == "good"


def test_unusual_text_is_preserved(place: Place) -> None:
    texts = ["\x00\x1b[2J", "\ud800", "a" * 1_000_000, "Zażółć 你好 €", ""]
    with place.create() as journal:
        for text in texts:
            journal.append(Warned(title=text))
    with Reader(place.file) as reader:
        events = [record.event for record in reader.records()]
    assert events == [Warned(title=text) for text in texts]
    assert verify(place.file, place.anchors).finding is Finding.INTACT
