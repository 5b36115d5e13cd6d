"""The anchor of a session: who may read it, and that its lock tells whether the session is being written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Message
from operator_console.journal.anchors import anchor_path, being_written
from operator_console.journal.read import Reader
from operator_console.journal.write import SessionJournal
from tests.journal.conftest import Place


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def session_id(file: Path) -> str:
    with Reader(file) as reader:
        return reader.session_id


@pytest.mark.usefixtures("usual_umask")
def test_the_anchor_and_all_folders_made_for_it_are_private(tmp_path: Path) -> None:
    anchors = tmp_path / "state" / "console" / "anchors"
    file = tmp_path / "one.ocsession"
    with SessionJournal.create(file, anchors) as journal:
        journal.append(Message(text="one"))
    made = [anchors.parent.parent, anchors.parent, anchors]
    assert [folder.stat().st_mode & 0o777 for folder in made] == [0o700] * 3
    assert anchor_path(anchors, session_id(file)).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("usual_umask")
def test_the_session_and_the_files_that_sqlite_puts_beside_it_are_private(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
        journal.flush()
        beside = sorted(place.file.parent.glob("one.ocsession*"))
        assert [path.name for path in beside] == ["one.ocsession", "one.ocsession-shm", "one.ocsession-wal"]
        assert [path.stat().st_mode & 0o777 for path in beside] == [0o600] * 3


def test_the_lock_tells_whether_a_session_is_being_written(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
        journal.flush()
        assert being_written(place.anchors, session_id(place.file))
    assert not being_written(place.anchors, session_id(place.file))
    assert not being_written(place.anchors, "0" * 32)


def test_a_session_that_is_being_written_is_not_resumed(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
        journal.flush()
        with pytest.raises(RecordError, match="being written by another console"):
            SessionJournal.resume(place.file, place.anchors)
