"""The window's session files, with real ones: what the library is told about each, and what is done with them."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from contextlib import closing
from pathlib import Path

import pytest

from operator_console.app.session_files import SessionFiles
from operator_console.app.session_handles import OpenedRecord
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


def test_a_record_that_is_being_written_is_not_called_interrupted(paths: Paths) -> None:
    path = recorded(paths, end=False)
    with closing(OpenedRecord(path, paths.anchors)) as record:
        assert record.cut_off
        assert "interrupted" in record.note
    with SessionJournal.create(paths.sessions / "now.ocsession", paths.anchors) as journal:
        samples.write_session(journal, end=False)
        journal.flush()
        with closing(OpenedRecord(Path(journal.path), paths.anchors)) as record:
            assert (record.cut_off, record.note) == (False, "")


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
    told: list[tuple[int, int]] = []
    await files.export(renamed, page, lambda done, of: told.append((done, of)))
    assert "<html" in page.read_text()
    assert (told[-2][0], told[-1]) == (told[-2][1], (0, 0))  # all steps, and a last chance to cancel
    with pytest.raises(OperatorError):
        await files.rename(renamed, "a/b")
    assert await files.delete(renamed, tombstone=False) == found.size_bytes
    assert await files.sessions() == []
    with pytest.raises(RecordError):
        await files.delete(renamed, tombstone=False)


@pytest.mark.parametrize("suffix", ["html", "jsonl", "zip"])
async def test_a_cancelled_export_leaves_nothing_and_is_over_when_it_returns(
    paths: Paths, tmp_path: Path, suffix: str
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    loop, begun, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def held(_done: int, _of: int) -> None:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(30)

    export = asyncio.ensure_future(SessionFiles(paths).export(recorded(paths), folder / f"out.{suffix}", held))
    await begun.wait()
    export.cancel()
    await asyncio.sleep(0)
    assert not export.done()  # its thread still writes
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await export
    assert list(folder.iterdir()) == []
