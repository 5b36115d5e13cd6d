"""A deleted session leaves a line where the operator wants one, and a changed line is told."""

from __future__ import annotations

from operator_console.journal.read import Reader
from operator_console.journal.summary import delete_session
from operator_console.journal.tombstones import tombstones
from tests.journal import samples
from tests.journal.conftest import Place


def delete(place: Place, *, tombstone: bool) -> tuple[str, int, str]:
    """Write a session and delete it; its id, and number and hash of its last event."""
    with place.create() as journal:
        samples.write_session(journal, steps=1)
    with Reader(place.file) as reader:
        told = (reader.session_id, *reader.head)
    delete_session(place.file, place.anchors, tombstone=tombstone)
    return told


def test_the_line_names_the_session_and_its_end_and_nothing_of_its_content(place: Place) -> None:
    told = delete(place, tombstone=True)
    (stone,) = tombstones(place.anchors)
    assert (stone.session, stone.events, stone.hash) == told
    assert (stone.file, stone.genuine) == ("one", True)
    assert stone.created <= stone.deleted
    (line,) = place.anchors.glob("*.tombstone")
    assert b"Write a note" not in line.read_bytes()
    assert line.stat().st_mode & 0o777 == 0o600


def test_without_the_wish_nothing_of_the_session_is_left(place: Place) -> None:
    delete(place, tombstone=False)
    assert tombstones(place.anchors) == ()
    assert [path.name for path in place.anchors.iterdir()] == ["key"]


def test_a_changed_line_is_told_and_one_that_is_no_line_is_left_out(place: Place) -> None:
    delete(place, tombstone=True)
    (line,) = place.anchors.glob("*.tombstone")
    line.write_bytes(line.read_bytes().replace(b'"one"', b'"two"'))
    assert [(stone.file, stone.genuine) for stone in tombstones(place.anchors)] == [("two", False)]
    line.write_bytes(b"{}")
    assert tombstones(place.anchors) == ()
