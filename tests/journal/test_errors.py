"""A disk that is full, read-only or too small: a sentence and a remedy, nothing half-written, and it goes on after."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import subprocess
import sys
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
    """Write until it fails; returns how many went in. The one that did not waits in memory."""
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
        assert journal.append(Message(text="room again")).seq == written + 2
        journal.flush()
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events) == (Finding.INTACT, written + 2)


def test_what_cannot_be_written_is_written_later_in_its_place_with_its_time_and_pictures(place: Place) -> None:
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


def test_of_what_is_queued_as_much_is_written_as_there_is_room_for(place: Place) -> None:
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
def test_what_could_not_be_written_is_tried_again_at_the_close(place: Place, *, room: bool) -> None:
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
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs Linux and root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    file = small_disk / "one.ocsession"
    with SessionJournal.create(file, tmp_path / "anchors") as journal:
        ballast = small_disk / "ballast"
        ballast.write_bytes(b"x" * 150_000)
        written = fill(journal)
        assert written > 0
        with pytest.raises(RecordError, match="full"):
            journal.flush()
        ballast.unlink()
        assert journal.append(Message(text="room again")).seq == written + 2
        journal.flush()
    assert verify(file, tmp_path / "anchors").finding is Finding.INTACT


@pytest.fixture
def as_somebody() -> Iterator[Path]:
    """A folder that a user without privileges may read but not write; the test runs as that user."""
    folder = Path(tempfile.mkdtemp(prefix="journal-test-"))
    folder.chmod(0o755)
    root = os.geteuid() == 0
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def give_up_rights(folder: Path) -> None:
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    else:
        folder.chmod(0o555)


def test_a_folder_that_may_not_be_written(as_somebody: Path) -> None:
    give_up_rights(as_somebody)
    with pytest.raises(RecordError, match="may not write") as caught:
        SessionJournal.create(as_somebody / "one.ocsession", as_somebody / "anchors")
    assert caught.value.remedy


def test_a_read_only_file_can_be_verified_but_not_continued(as_somebody: Path) -> None:
    file, anchors = as_somebody / "one.ocsession", as_somebody / "anchors"
    with SessionJournal.create(file, anchors) as journal:
        journal.append(Message(text="one"))
    file.chmod(0o444)
    anchors.chmod(0o755)
    for anchor in anchors.iterdir():
        anchor.chmod(0o644)
    give_up_rights(as_somebody)
    assert verify(file, anchors).finding is Finding.INTACT
    with pytest.raises(RecordError) as caught:
        SessionJournal.resume(file, anchors)
    assert caught.value.remedy
    assert "read-only" in str(caught.value) or "may not write" in str(caught.value)
