"""A recorded session becomes a page that says whether the record is intact, without Qt and in little memory."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from operator_console.app.session_export import export_session
from operator_console.journal.summary import session_summary
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place
from tests.ui.reading_page.recorded_session import session_of_all_outcomes


@pytest.fixture
def session(tmp_path: Path) -> Place:
    place = Place(file=tmp_path / "one.ocsession", anchors=tmp_path / "anchors")
    with place.create() as journal:
        samples.write_session(journal)
    return place


def exported(session: Place, target: Path, anchors: Path | None = None) -> str:
    export_session(session.file, anchors or session.anchors, target)
    return target.read_text("utf-8")


def test_the_page_has_steps_pictures_and_an_intact_record(session: Place, tmp_path: Path) -> None:
    page = exported(session, tmp_path / "out.html")
    assert len(re.findall('<img [^>]*src="data:image/png;base64,', page)) == 2
    assert "Intact: unchanged since it was recorded on this computer." in page
    with closing(sqlite3.connect(session.file)) as connection:
        (last,) = connection.execute("SELECT hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    assert last in page


def test_the_page_and_the_list_count_the_same_steps(tmp_path: Path) -> None:
    place = Place(file=tmp_path / "one.ocsession", anchors=tmp_path / "anchors")
    with place.create() as journal:
        for record in session_of_all_outcomes().records:
            journal.append(record.event)
    (steps,) = re.findall(r"<dt>Steps</dt><dd>(\d+)", exported(place, tmp_path / "out.html"))
    assert int(steps) == session_summary(place.file, place.anchors).steps == 8


def test_the_page_says_where_the_record_cannot_be_verified(session: Place, tmp_path: Path) -> None:
    page = exported(session, tmp_path / "out.html", tmp_path / "elsewhere")
    assert "recorded on another computer" in page
    assert "a missing end would not be detected" in page


def test_the_page_says_that_a_record_was_changed(session: Place, tmp_path: Path) -> None:
    with closing(sqlite3.connect(session.file)) as connection, connection:
        connection.execute("UPDATE events SET time = replace(time, '20', '19') WHERE seq = 3")
    page = exported(session, tmp_path / "out.html")
    assert "Damaged: changed or incomplete. Do not rely on this page." in page
    assert "Event 3 was changed after it was written." in page


def test_a_session_being_written_can_be_exported(tmp_path: Path) -> None:
    place = Place(file=tmp_path / "one.ocsession", anchors=tmp_path / "anchors")
    with SessionJournal.create(place.file, place.anchors) as journal:
        samples.write_session(journal, end=False)
        journal.flush()
        assert "Still running when this page was made" in exported(place, tmp_path / "out.html")


def test_the_page_in_the_archive_shows_the_pictures_beside_it(session: Place, tmp_path: Path) -> None:
    export_session(session.file, session.anchors, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        page = archive.read("index.html").decode()
        names = re.findall('<img [^>]*src="([^"]*)"', page)
        assert [archive.read(name) for name in names] == [samples.picture(1), samples.picture(2)]
        assert all(info.compress_type == zipfile.ZIP_STORED for info in map(archive.getinfo, names))


_EXPORT = """
import sys
from pathlib import Path
from operator_console.app.session_export import export_session
export_session(*map(Path, sys.argv[1:]))
print([name for name in sys.modules if name.split(".")[0] in ("PySide6", "qasync")])
"""


def test_an_export_does_without_qt(session: Place, tmp_path: Path) -> None:
    files = map(str, (session.file, session.anchors, tmp_path / "out.html"))
    done = subprocess.run([sys.executable, "-c", _EXPORT, *files], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
