"""The window's session files, with real ones: what the library is told about each, and what is done with them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from operator_console.app.session_files import SessionFiles
from operator_console.domain.errors import OperatorError, RecordError
from operator_console.journal.write import SessionJournal
from operator_console.settings.file_locations import Paths, find_paths
from operator_console.ui.backend import SessionOutcome, VerifyFinding
from tests.journal import samples


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path))
    return find_paths()


def recorded(paths: Paths, *, end: bool = True) -> Path:
    path = paths.new_session()
    with SessionJournal.create(path, paths.anchors) as journal:
        samples.write_session(journal, end=end)
    return path


async def test_a_session_is_listed_with_what_a_row_shows(paths: Paths) -> None:
    path = recorded(paths)
    (found,) = await SessionFiles(paths).sessions()
    assert (found.path, found.named, found.task, found.model) == (path, False, "Write a note", "steps.json")
    assert (found.outcome, found.steps, found.length_s) == (SessionOutcome.FINISHED, 2, 3.0)
    assert found.size_bytes == path.stat().st_size
    assert await SessionFiles(paths).picture(path, found.picture) == samples.picture(2)
    assert await SessionFiles(paths).picture(path, hashlib.sha256().hexdigest()) is None


async def test_what_has_no_end_is_running_or_interrupted(paths: Paths) -> None:
    files = SessionFiles(paths)
    recorded(paths, end=False)
    with SessionJournal.create(paths.sessions / "now.ocsession", paths.anchors) as journal:
        journal.append(samples.started())
        journal.flush()
        found = {each.path.name: each.outcome for each in await files.sessions()}
    assert found.pop("now.ocsession") is SessionOutcome.RUNNING
    assert list(found.values()) == [SessionOutcome.INTERRUPTED]


async def test_a_file_that_is_no_session_is_listed_with_the_reason(paths: Paths) -> None:
    recorded(paths)
    (paths.sessions / "thesis.ocsession").write_text("my thesis")
    found = {each.path.name: each for each in await SessionFiles(paths).sessions()}
    assert len(found) == 2
    broken = found["thesis.ocsession"]
    assert broken.outcome is SessionOutcome.UNREADABLE
    assert "not a session file" in broken.trouble
    assert broken.started.endswith("Z")


async def test_a_session_is_renamed_verified_exported_and_deleted(paths: Paths, tmp_path: Path) -> None:
    files = SessionFiles(paths)
    renamed = await files.rename(recorded(paths), "Notes")
    (found,) = await files.sessions()
    assert (found.path, found.named) == (renamed, True)
    assert (await files.verify(renamed)).finding is VerifyFinding.INTACT
    page = tmp_path / "notes.html"
    page.write_text("replaced, as the dialog asked")
    await files.export(renamed, page)
    assert "<html" in page.read_text()
    with pytest.raises(OperatorError):
        await files.rename(renamed, "a/b")
    assert await files.delete(renamed) == found.size_bytes
    assert await files.sessions() == []
    with pytest.raises(RecordError):
        await files.delete(renamed)
