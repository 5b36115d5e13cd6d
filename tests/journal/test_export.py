"""Exports appear complete or not at all, are private, and overwrite nothing unasked; deletion includes the anchor."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import pytest

from operator_console.domain.errors import OperatorError, RecordError
from operator_console.domain.events import Observed
from operator_console.domain.frames import BrowserTarget
from operator_console.journal.errors import NotASession
from operator_console.journal.export import PictureNames, export_session
from operator_console.journal.read import Reader
from operator_console.journal.summary import delete_session, list_sessions, size_on_disk
from operator_console.journal.verify import Finding, verify
from tests.journal import samples
from tests.journal.conftest import Place


def write_page(reader: Reader, out: TextIO, names: PictureNames | None) -> None:
    """A page of the pictures only; the real one is tested with ui."""
    for event in (record.event for record in reader.records(kinds=("observed",))):
        assert isinstance(event, Observed)
        out.write(f"{names(event.picture) if names is not None else event.picture}\n")


@pytest.fixture
def session(place: Place) -> Place:
    with place.create() as journal:
        samples.write_session(journal)
    return place


def test_the_lines_are_the_journals_objects(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    export_session(session.file, target, write_page)
    lines = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    with Reader(session.file) as reader:
        assert lines == [dict(entry.object) for entry in reader.entries()]


def test_the_archive_holds_everything_and_verifies(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.zip"
    export_session(session.file, target, write_page)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    names = (unpacked / "index.html").read_text("utf-8").splitlines()
    assert [(unpacked / name).read_bytes() for name in names] == [samples.picture(1), samples.picture(2)]
    assert verify(unpacked / "session.ocsession", tmp_path / "elsewhere").finding is Finding.ANCHORED_ELSEWHERE
    assert verify(unpacked / "session.ocsession", session.anchors).finding is Finding.INTACT


@pytest.mark.parametrize("suffix", ["html", "jsonl", "zip"])
def test_an_export_is_private(session: Place, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"session.{suffix}"
    export_session(session.file, target, write_page)
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["out.txt", "out"])
def test_an_unknown_format_is_a_usage_error(session: Place, tmp_path: Path, name: str) -> None:
    with pytest.raises(OperatorError) as caught:
        export_session(session.file, tmp_path / name, write_page)
    assert caught.value.exit_code == 2


def test_nothing_is_overwritten(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("mine")
    with pytest.raises(OperatorError) as caught:
        export_session(session.file, target, write_page)
    assert caught.value.exit_code == 2
    assert target.read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_overwritten(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"

    def slow(reader: Reader, out: TextIO, names: PictureNames | None) -> None:
        target.write_text("mine")
        write_page(reader, out, names)

    with pytest.raises(OperatorError) as caught:
        export_session(session.file, target, slow)
    assert caught.value.exit_code == 2
    assert target.read_text() == "mine"


def test_a_file_is_replaced_where_that_was_agreed_to(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")
    export_session(session.file, target, write_page, overwrite=True)
    assert target.read_text("utf-8") != "old"
    assert target.stat().st_mode & 0o777 == 0o600


def full_disk(reader: Reader, out: TextIO, names: PictureNames | None) -> None:
    out.write("half a page")
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("suffix", ["html", "zip"])
def test_a_failed_export_leaves_nothing(session: Place, tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    with pytest.raises(RecordError, match="full"):
        export_session(session.file, folder / f"out.{suffix}", full_disk)
    assert list(folder.iterdir()) == []


def test_a_failed_export_leaves_the_file_that_it_was_to_replace(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")
    with pytest.raises(RecordError, match="full"):
        export_session(session.file, target, full_disk, overwrite=True)
    assert target.read_text() == "old"


def test_an_interrupted_export_leaves_nothing(session: Place, tmp_path: Path) -> None:
    def interrupted(reader: Reader, out: TextIO, names: PictureNames | None) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "exports"
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        export_session(session.file, folder / "out.html", interrupted)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("suffix", ["html", "jsonl", "zip"])
def test_an_export_can_be_ended_between_its_parts(session: Place, tmp_path: Path, suffix: str) -> None:
    class Ended(Exception):
        pass

    def ended() -> None:
        raise Ended

    folder = tmp_path / "exports"
    folder.mkdir()
    with pytest.raises(Ended):
        export_session(session.file, folder / f"out.{suffix}", write_page, between=ended)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("suffix", ["html", "jsonl", "zip"])
def test_a_folder_that_is_missing_is_told(session: Place, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(RecordError, match="nowhere"):
        export_session(session.file, tmp_path / "nowhere" / f"out.{suffix}", write_page)


@pytest.mark.parametrize("suffix", ["jsonl", "zip"])
def test_a_damaged_session_is_told_and_leaves_nothing(session: Place, tmp_path: Path, suffix: str) -> None:
    with closing(sqlite3.connect(session.file)) as connection, connection:
        connection.execute("UPDATE events SET body = 'nonsense' WHERE seq = 3")
    folder = tmp_path / "exports"
    folder.mkdir()
    with pytest.raises(RecordError, match="damaged"):
        export_session(session.file, folder / f"out.{suffix}", write_page)
    assert list(folder.iterdir()) == []


def test_deletion_includes_the_anchor(session: Place) -> None:
    assert list(session.anchors.glob("*.anchor"))
    assert delete_session(session.file, session.anchors) > 0
    assert not session.file.exists()
    assert not list(session.anchors.glob("*.anchor"))


@pytest.mark.parametrize("in_browser", [True, False])
def test_deletion_includes_what_the_browser_of_the_session_kept(place: Place, in_browser: bool) -> None:
    browser = BrowserTarget(spec="browser", title="Browser")
    with place.create() as journal:
        journal.append(replace(samples.started(), target=browser) if in_browser else samples.started())
    archive, saved = place.file.with_suffix(".har"), place.file.with_suffix(".downloads") / "bill.txt"
    saved.parent.mkdir()
    for each in (archive, saved):
        each.write_text("x" * 10_000)
    size = size_on_disk(place.file)
    assert delete_session(place.file, place.anchors) == size + (20_000 if in_browser else 0)
    assert [archive.exists(), saved.parent.exists()] == [not in_browser] * 2


def test_a_session_being_written_is_not_deleted(place: Place) -> None:
    with place.create() as journal:
        journal.append(samples.started())
        journal.flush()
        with pytest.raises(RecordError, match="being written"):
            delete_session(place.file, place.anchors)
        assert journal.append(samples.ended()).seq == 2


def test_something_else_is_not_deleted(place: Place) -> None:
    place.file.write_text("my thesis")
    with pytest.raises(NotASession):
        delete_session(place.file, place.anchors)
    assert place.file.read_text() == "my thesis"


def test_the_list_includes_the_others_beside_a_file_that_is_no_session(session: Place) -> None:
    (session.file.parent / "other.ocsession").write_text("no")
    summaries, errors = list_sessions(session.file.parent, session.anchors)
    assert [summary.path for summary in summaries] == [session.file]
    assert summaries[0].task == "Write a note"
    assert summaries[0].size_bytes == session.file.stat().st_size
    assert len(errors) == 1
    assert list_sessions(session.file.parent / "nowhere", session.anchors) == ((), ())
