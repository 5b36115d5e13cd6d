"""Exports are complete, offline, escaped and never overwrite a file; deletion includes the anchor."""

from __future__ import annotations

import json
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, TypeText
from operator_console.domain.decisions import Assessment
from operator_console.domain.errors import OperatorError, RecordError
from operator_console.domain.events import Resumed
from operator_console.journal.errors import NotASession
from operator_console.journal.export import export_session
from operator_console.journal.read import Reader
from operator_console.journal.summary import delete_session, list_sessions
from operator_console.journal.verify import Finding, verify
from tests.journal import samples
from tests.journal.conftest import Place


def words(action: Action | None, assessment: Assessment | None) -> str:
    if action is None:
        return "nothing"
    label = assessment.label if assessment is not None else ""
    return f"{action.kind} {action.text if isinstance(action, TypeText) else ''} {label}"


@pytest.fixture
def session(place: Place) -> Place:
    with place.create() as journal:
        samples.write_session(journal)
    return place


class Page(HTMLParser):
    """Collects what a browser would load and run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]

    def handle_data(self, data: str) -> None:
        self.text += data


def read_page(text: str) -> Page:
    page = Page()
    page.feed(text)
    return page


def test_the_page_is_offline_escaped_and_has_the_pictures(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    export_session(session.file, target, words)
    page = read_page(target.read_text("utf-8"))
    assert len(page.loaded) == 2
    assert all(address.startswith("data:image/png;base64,") for address in page.loaded)
    assert not {"script", "link", "iframe", "object", "b"} & set(page.tags)
    assert samples.TYPED.replace("\x1b", "\x1b") in page.text
    assert "stored as it was" in page.text
    assert "[by default: <i>left</i>]" in page.text


def test_the_page_says_who_resumed(place: Place, tmp_path: Path) -> None:
    with place.create() as journal:
        for by in ("guard:lease", "human"):
            journal.append(Resumed(by=by))
    target = tmp_path / "out.html"
    export_session(place.file, target, words)
    text = read_page(target.read_text("utf-8")).text
    assert "Resumed automatically" in text
    assert "Resumed by human" in text


def test_the_lines_are_the_journals_objects(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    export_session(session.file, target, words)
    lines = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    with Reader(session.file) as reader:
        assert lines == [dict(entry.object) for entry in reader.entries()]


def test_the_archive_holds_everything_and_verifies(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.zip"
    export_session(session.file, target, words)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    page = read_page((unpacked / "index.html").read_text("utf-8"))
    assert [(unpacked / name).read_bytes() for name in page.loaded] == [samples.picture(1), samples.picture(2)]
    assert verify(unpacked / "session.ocsession", tmp_path / "elsewhere").finding is Finding.ANCHORED_ELSEWHERE
    assert verify(unpacked / "session.ocsession", session.anchors).finding is Finding.INTACT


@pytest.mark.parametrize("suffix", ["html", "jsonl", "zip"])
def test_an_export_is_private(session: Place, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"session.{suffix}"
    export_session(session.file, target, words)
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["out.txt", "out"])
def test_an_unknown_format_is_a_usage_error(session: Place, tmp_path: Path, name: str) -> None:
    with pytest.raises(OperatorError) as caught:
        export_session(session.file, tmp_path / name, words)
    assert caught.value.exit_code == 2


def test_nothing_is_overwritten(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("mine")
    with pytest.raises(OperatorError) as caught:
        export_session(session.file, target, words)
    assert caught.value.exit_code == 2
    assert target.read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_overwritten(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"

    def slow(action: Action | None, assessment: Assessment | None) -> str:
        target.write_text("mine")
        return words(action, assessment)

    with pytest.raises(OperatorError) as caught:
        export_session(session.file, target, slow)
    assert caught.value.exit_code == 2
    assert target.read_text() == "mine"


def test_a_file_is_replaced_where_that_was_agreed_to(session: Place, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")
    export_session(session.file, target, words, overwrite=True)
    assert "Write a note" in target.read_text("utf-8")
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_failed_export_leaves_nothing(session: Place, tmp_path: Path) -> None:
    def broken(action: Action | None, assessment: Assessment | None) -> str:
        raise OSError(28, "No space left on device")

    folder = tmp_path / "exports"
    folder.mkdir()
    with pytest.raises(RecordError, match="full"):
        export_session(session.file, folder / "out.html", broken)
    assert list(folder.iterdir()) == []


def test_deletion_includes_the_anchor(session: Place) -> None:
    assert list(session.anchors.iterdir())
    assert delete_session(session.file, session.anchors) > 0
    assert not session.file.exists()
    assert list(session.anchors.iterdir()) == []


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
