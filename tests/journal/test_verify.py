"""Verification finds every change, reports none in an unchanged file, and writes nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operator_console.domain.actions import Click
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Message
from operator_console.domain.geometry import NativePoint
from operator_console.journal.anchors import read_anchor
from operator_console.journal.hash_chain import Row, genesis
from operator_console.journal.read import Reader
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A closed session that tests copy before they damage it."""
    folder = tmp_path_factory.mktemp("original")
    place = Place(file=folder / "one.ocsession", anchors=folder / "anchors")
    with place.create() as journal:
        samples.write_session(journal, steps=2)
    assert verify(place.file, place.anchors).finding is Finding.INTACT
    return place


def damaged(original: Place, mutate: Callable[[sqlite3.Connection], None]) -> Finding:
    """What verify finds in a copy after `mutate`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.ocsession"
        shutil.copyfile(original.file, copy)
        connection = sqlite3.connect(copy, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        mutate(connection)
        connection.close()
        return verify(copy, original.anchors).finding


def rechain(connection: sqlite3.Connection) -> None:
    """Recompute all hashes, as an attacker who knows the format could."""
    session_id, created = connection.execute("SELECT id, created FROM session").fetchone()
    head = genesis(session_id.encode(), created.encode())
    names = ("time", "kind", "body", "blobs")
    rows = connection.execute("SELECT seq, time, kind, body, blobs FROM events ORDER BY seq").fetchall()
    connection.execute("DELETE FROM events")
    for number, (_, *texts) in enumerate(rows, 1):
        fields = dict(zip(names, (text.encode() for text in texts), strict=True))
        digest = Row(seq=number, **fields, prev=head, hash=b"").link()
        connection.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (number, *texts, head.decode(), digest.decode())
        )
        head = digest


def rows(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()


def rows_of(place: Place) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(f"{place.file.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        return rows(connection)
    finally:
        connection.close()


def events_in(place: Place) -> int:
    with Reader(place.file) as reader:
        return sum(1 for _ in reader.entries())


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_change_of_any_row_is_found(original: Place, data: st.DataObject) -> None:
    count = events_in(original)
    seq = data.draw(st.integers(1, count), label="seq")
    other = data.draw(st.integers(1, count).filter(lambda n: n != seq), label="other")
    column = data.draw(st.sampled_from(("time", "kind", "body", "blobs", "prev", "hash")), label="column")
    how = data.draw(st.sampled_from(("edit", "delete", "swap", "insert", "renumber", "truncate")), label="how")
    again = data.draw(st.booleans(), label="hashes recomputed")
    text = data.draw(st.text(st.characters(codec="utf-8"), max_size=8), label="text")

    def mutate(connection: sqlite3.Connection) -> None:
        match how:
            case "edit":
                connection.execute(f"UPDATE events SET {column} = ? || {column} WHERE seq = ?", (text + "x", seq))
            case "delete":
                connection.execute("DELETE FROM events WHERE seq = ?", (seq,))
            case "swap":
                for old, new in ((seq, -1), (other, seq), (-1, other)):
                    connection.execute("UPDATE events SET seq = ? WHERE seq = ?", (new, old))
            case "insert":
                connection.execute("UPDATE events SET seq = -seq WHERE seq >= ?", (seq,))
                connection.execute("UPDATE events SET seq = 1 - seq WHERE seq < 0")
                row = ("2026-01-01T00:00:00Z", "message", json.dumps({"kind": "message", "text": text}), "[]", "", "")
                connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (seq, *row))
            case "renumber":
                connection.execute("UPDATE events SET seq = ? WHERE seq = ?", (count + seq, seq))
            case _:
                connection.execute("DELETE FROM events WHERE seq >= ?", (seq,))
        if again:
            rechain(connection)
        changed.append(rows(connection) != kept)

    kept, changed = rows_of(original), list[bool]()
    finding = damaged(original, mutate)
    # Recomputing the hashes undoes a change of a hash, or of the number of the last event.
    assert finding is (Finding.DAMAGED if changed[0] else Finding.INTACT)
    assert changed[0] or again


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blobs SET data = CAST(data || x'00' AS BLOB) WHERE digest = (SELECT min(digest) FROM blobs)",
        "UPDATE blobs SET mime_type = 'image/jpeg'",
        "DELETE FROM blobs WHERE digest = (SELECT max(digest) FROM blobs)",
        "INSERT INTO blobs VALUES ('00', 'image/png', x'00')",
        "UPDATE session SET created = '2020-01-01T00:00:00Z'",
        "INSERT INTO session VALUES ('another', '2020-01-01T00:00:00Z')",
        "DELETE FROM session",
        "DELETE FROM events",
        "CREATE TABLE extra (x)",
        "CREATE TRIGGER quiet AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq = new.seq; END",
        "DROP TABLE blobs",
    ],
)
def test_other_changes_are_found(original: Place, statement: str) -> None:
    def mutate(connection: sqlite3.Connection) -> None:
        connection.execute(statement)

    assert damaged(original, mutate) is Finding.DAMAGED


def test_an_event_added_with_fitting_hashes_after_the_end_is_found(original: Place) -> None:
    def mutate(connection: sqlite3.Connection) -> None:
        row = ("2026-01-01T00:00:00Z", "message", json.dumps({"kind": "message", "text": "late"}), "[]", "", "")
        connection.execute("INSERT INTO events VALUES ((SELECT max(seq) + 1 FROM events), ?, ?, ?, ?, ?, ?)", row)
        rechain(connection)

    assert damaged(original, mutate) is Finding.DAMAGED


@given(position=st.integers(100, 20_000), value=st.integers(1, 255))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_byte_never_passes_as_other_content(original: Place, position: int, value: int) -> None:
    data = bytearray(original.file.read_bytes())
    data[position % len(data)] ^= value
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.ocsession"
        copy.write_bytes(data)
        try:
            finding = verify(copy, original.anchors).finding
        except RecordError:  # a changed header: reported as not a session
            return
        if finding is not Finding.DAMAGED:  # an unused byte
            with Reader(copy) as changed, Reader(original.file) as kept:
                assert list(changed.entries()) == list(kept.entries())


def test_a_cut_file_is_found(original: Place, tmp_path: Path) -> None:
    copy = tmp_path / "copy.ocsession"
    data = original.file.read_bytes()
    copy.write_bytes(data[: len(data) // 2])
    assert verify(copy, original.anchors).finding is Finding.DAMAGED


def test_without_an_anchor_it_is_consistent_but_anchored_elsewhere(original: Place, tmp_path: Path) -> None:
    verdict = verify(original.file, tmp_path)
    assert verdict.finding is Finding.ANCHORED_ELSEWHERE
    assert verdict.remarks
    assert not verdict.problems


def test_an_anchor_that_something_else_wrote_is_found(original: Place, tmp_path: Path) -> None:
    shutil.copytree(original.anchors, anchors := tmp_path / "anchors")
    (anchor,) = anchors.glob("*.anchor")
    line = anchor.read_bytes()
    for forged in (line.replace(b" shut ", b" open "), line[:-3] + b"00\n"):
        anchor.write_bytes(forged)
        verdict = verify(original.file, anchors)
        assert verdict.finding is Finding.DAMAGED
        assert "its end" in verdict.problems[0]
    anchor.write_bytes(line)
    (anchors / "key").write_bytes(b"another key")
    assert verify(original.file, anchors).finding is Finding.DAMAGED


def test_an_anchor_of_a_version_without_the_key_is_told_and_replaced_when_the_session_goes_on(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
    (anchor,) = place.anchors.glob("*.anchor")
    anchor.write_bytes(anchor.read_bytes().replace(b"ocs2", b"ocs1").rpartition(b" ")[0] + b"\n")
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, len(verdict.remarks)) == (Finding.INTACT, 1)
    with SessionJournal.resume(place.file, place.anchors) as journal:
        journal.append(Message(text="two"))
    assert verify(place.file, place.anchors).remarks == ()


def test_an_action_that_was_not_approved_as_it_says_is_found_though_all_hashes_fit(place: Place) -> None:
    with place.create() as journal:
        journal.append(samples.started())
        journal.append(samples.observed(1, ""))
        journal.append(samples.call_events(1, 0, Click(at=NativePoint(1, 2)))[1])
    verdict = verify(place.file, place.anchors)
    assert verdict.finding is Finding.DAMAGED
    assert verdict.problems == ("Event 3 permits an action that was not approved as it says.",)


def test_a_restored_older_copy_is_found(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
    older = place.file.read_bytes()
    with SessionJournal.resume(place.file, place.anchors) as journal:
        journal.append(Message(text="two"))
    assert verify(place.file, place.anchors).finding is Finding.INTACT
    place.file.write_bytes(older)
    verdict = verify(place.file, place.anchors)
    assert verdict.finding is Finding.DAMAGED
    assert "end is missing" in verdict.problems[0]


def test_nothing_is_added_to_a_damaged_file(place: Place) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
    connection = sqlite3.connect(place.file, isolation_level=None)
    connection.execute("UPDATE events SET body = replace(body, 'one', 'two')")
    connection.close()
    before = snapshot(place.file.parent)
    with pytest.raises(RecordError, match="changed after"):
        SessionJournal.resume(place.file, place.anchors)
    assert content(before) == content(snapshot(place.file.parent))


def snapshot(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def content(seen: dict[str, tuple[str, int]]) -> dict[str, str]:
    return {name: digest for name, (digest, _) in seen.items()}


@pytest.fixture(params=["closed", "live"])
def session(request: pytest.FixtureRequest, place: Place) -> Iterator[Place]:
    journal = place.create()
    samples.write_session(journal)
    journal.flush()
    if request.param == "closed":
        journal.close()
    yield place
    journal.close()


def test_reading_and_verifying_write_nothing(session: Place) -> None:
    before = snapshot(session.file.parent)
    verdict = verify(session.file, session.anchors)
    with Reader(session.file) as reader:
        assert verdict.events == len(list(reader.records()))
    after = snapshot(session.file.parent)
    live = session.file.with_name(session.file.name + "-shm").exists()
    # The -shm file of a live session is shared memory with the locks of its readers.
    drop = {session.file.name + "-shm"} if live else set()
    assert {k: v for k, v in before.items() if k not in drop} == {k: v for k, v in after.items() if k not in drop}
    assert verdict.finding is Finding.INTACT


def test_the_anchor_is_never_ahead(place: Place) -> None:
    with place.create() as journal:
        for number in range(5):
            seq, digest = journal.head
            with Reader(place.file) as reader:
                anchor = read_anchor(place.anchors, reader.session_id)
            assert anchor is not None
            assert (anchor.seq, anchor.hash, anchor.shut) == (seq, digest, False)
            journal.append(Message(text=str(number)))
            journal.flush()
    with Reader(place.file) as reader:
        anchor = read_anchor(place.anchors, reader.session_id)
    assert anchor is not None
    assert (anchor.seq, anchor.shut) == (5, True)


def test_a_session_id_cannot_point_outside_the_anchor_folder(original: Place) -> None:
    def mutate(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE session SET id = '../../etc/passwd'")
        rechain(connection)

    assert damaged(original, mutate) is not Finding.INTACT
