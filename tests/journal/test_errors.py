"""Full, small and read-only disks: an error with a remedy, no partial rows, and writing continues afterwards."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Message
from operator_console.journal.read import Reader
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal.conftest import Place
from tests.small_disk import small_disk

NOBODY = 65534


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill(journal: SessionJournal) -> int:
    """Append until writing fails; returns how many events were written. The next one stays in the queue."""
    for number in range(10_000):
        try:
            journal.append(Message(text=f"{number} " + "x" * 4_000))
            journal.flush()
        except RecordError:
            return number
    pytest.fail("it never failed")


def test_a_file_that_may_not_grow(place: Place) -> None:
    with place.create() as journal:
        with file_size_limit(300_000):
            written = fill(journal)
        assert written > 0
        assert journal.append(Message(text="space again")).seq == written + 2
        journal.flush()
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events) == (Finding.INTACT, written + 2)


def test_an_event_that_failed_is_written_later_in_order_with_its_time_and_pictures(place: Place) -> None:
    data = os.urandom(200_000)
    digest = hashlib.sha256(data).hexdigest()
    with place.create() as journal:
        journal.append(Message(text="before"))
        journal.flush()
        journal.put_blob(digest, data, "image/png")
        with file_size_limit(100_000):
            kept = [journal.append(Message(text=text)) for text in ("too much", "and more")]
            journal.put_blob(digest, data, "image/png")
            for _ in range(2):
                with pytest.raises(RecordError):
                    journal.flush()
            assert journal.blob(digest) == data
        kept.append(journal.append(Message(text="after")))
        journal.flush()
        assert journal.blob(digest) == data
    with Reader(place.file) as reader:
        assert list(reader.records())[1:] == kept
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events, verdict.blobs) == (Finding.INTACT, 4, 1)


def test_as_many_queued_events_are_written_as_the_disk_has_space_for(place: Place) -> None:
    with place.create() as journal:
        with file_size_limit(150_000):
            for number in range(100):
                journal.append(Message(text=f"{number} " + "x" * 4_000))
            with pytest.raises(RecordError):
                journal.flush()
            with Reader(place.file) as reader:
                assert 0 < len(list(reader.records())) < 100
        journal.flush()
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events) == (Finding.INTACT, 100)


@pytest.mark.parametrize("room", [True, False])
def test_close_tries_failed_events_again(place: Place, *, room: bool) -> None:
    journal = place.create()
    journal.append(Message(text="before"))
    journal.flush()
    with file_size_limit(60_000):
        journal.append(Message(text="x" * 200_000))
        with pytest.raises(RecordError):
            journal.flush()
        if not room:
            journal.close()
    journal.close()
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events) == (Finding.INTACT, 2 if room else 1)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    with small_disk(folder, "400k"):
        yield folder


def test_a_full_disk(disk: Path, tmp_path: Path) -> None:
    file = disk / "one.ocsession"
    with SessionJournal.create(file, tmp_path / "anchors") as journal:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 150_000)
        written = fill(journal)
        assert written > 0
        with pytest.raises(RecordError, match="full"):
            journal.flush()
        ballast.unlink()
        assert journal.append(Message(text="space again")).seq == written + 2
        journal.flush()
    assert verify(file, tmp_path / "anchors").finding is Finding.INTACT


@pytest.fixture
def unwritable_folder() -> Iterator[Path]:
    """A folder for tests that drop their privileges with `drop_privileges`."""
    folder = Path(tempfile.mkdtemp(prefix="journal-test-"))
    folder.chmod(0o755)
    root = os.geteuid() == 0
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def drop_privileges(folder: Path) -> None:
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    else:
        folder.chmod(0o555)


def test_a_folder_that_may_not_be_written(unwritable_folder: Path) -> None:
    drop_privileges(unwritable_folder)
    with pytest.raises(RecordError, match="no permission to write") as caught:
        SessionJournal.create(unwritable_folder / "one.ocsession", unwritable_folder / "anchors")
    assert caught.value.remedy


def test_a_read_only_file_can_be_verified_but_not_continued(unwritable_folder: Path) -> None:
    file, anchors = unwritable_folder / "one.ocsession", unwritable_folder / "anchors"
    with SessionJournal.create(file, anchors) as journal:
        journal.append(Message(text="one"))
    file.chmod(0o444)
    anchors.chmod(0o755)
    for anchor in anchors.iterdir():
        anchor.chmod(0o644)
    drop_privileges(unwritable_folder)
    assert verify(file, anchors).finding is Finding.INTACT
    with pytest.raises(RecordError) as caught:
        SessionJournal.resume(file, anchors)
    assert caught.value.remedy
    assert "read-only" in str(caught.value) or "no permission to write" in str(caught.value)
