"""The writing thread: only `flush` and `close` wait for the disk, and no event is lost."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator

import pytest

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Message
from operator_console.journal.anchors import read_anchor
from operator_console.journal.read import Reader
from operator_console.journal.verify import Finding, verify
from operator_console.journal.write import SessionJournal
from tests.journal import samples
from tests.journal.conftest import Place
from tests.journal.disks import Disk


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk(monkeypatch)
    yield disk
    disk.go_on()


def test_append_does_not_wait_for_the_disk(place: Place, disk: Disk) -> None:
    with place.create() as journal:
        disk.hang()
        records = [journal.append(event) for event in samples.step_events(1, "ab" * 32)]
        disk.wait_until_asked()
        with Reader(place.file) as reader:
            assert list(reader.records()) == []
        disk.go_on()
        journal.flush()
        with Reader(place.file) as reader:
            assert list(reader.records()) == records
    assert verify(place.file, place.anchors).finding is Finding.INTACT


def test_queued_events_are_written_in_order_in_few_transactions(place: Place, disk: Disk) -> None:
    with place.create() as journal:
        disk.hang()
        journal.append(Message(text="0"))
        disk.wait_until_asked()
        records = [journal.append(Message(text=str(number))) for number in range(1, 41)]
        disk.go_on()
        journal.flush()
        assert disk.written == [1, 40]
    with Reader(place.file) as reader:
        assert list(reader.records())[1:] == records


def test_the_anchor_follows_the_durable_events(place: Place, disk: Disk) -> None:
    with place.create() as journal:
        journal.append(Message(text="one"))
        journal.flush()
        head = journal.head
        disk.hang()
        journal.append(Message(text="two"))
        disk.wait_until_asked()
        with Reader(place.file) as reader:
            anchor = read_anchor(place.anchors, reader.session_id)
        assert anchor is not None
        assert (anchor.seq, anchor.hash) == head
        assert verify(place.file, place.anchors).finding is Finding.INTACT
        disk.go_on()


def test_a_picture_can_be_seen_before_it_is_durable_and_is_counted_until_then(place: Place, disk: Disk) -> None:
    data = os.urandom(1000)
    digest = hashlib.sha256(data).hexdigest()
    with place.create() as journal:
        disk.hang()
        journal.put_blob(digest, data, "image/png")
        assert (journal.blob(digest), journal.backlog_bytes) == (data, 1000)
        journal.append(samples.observed(1, digest))
        disk.wait_until_asked()
        assert (journal.blob(digest), journal.backlog_bytes) == (data, 1000)
        disk.go_on()
        journal.flush()
        assert (journal.blob(digest), journal.backlog_bytes) == (data, 0)


def test_the_callbacks_report_durable_events_failures_and_retries(place: Place, disk: Disk) -> None:
    written: list[int] = []
    failed: list[RecordError] = []
    told = threading.Semaphore(0)

    def on_written(seq: int) -> None:
        written.append(seq)
        told.release()

    def on_failed(error: RecordError) -> None:
        failed.append(error)
        told.release()

    full = RecordError("The disk is full.")
    with place.create() as journal:
        journal.watch(on_written, on_failed)
        journal.append(Message(text="one"))
        assert told.acquire(timeout=30)
        disk.failing = full
        journal.append(Message(text="two"))
        assert told.acquire(timeout=30)
        journal.append(Message(text="three"))
        journal.retry()
        assert told.acquire(timeout=30)
        assert (written, failed) == ([1], [full, full])
        disk.failing = None
        journal.retry()
        assert told.acquire(timeout=30)
        journal.flush()
    assert written[-1] == 3


def append_until_closed(journal: SessionJournal) -> None:
    while True:
        journal.append(Message(text="more"))


def test_closing_waits_for_the_disk_and_loses_nothing(place: Place, disk: Disk) -> None:
    journal = place.create()
    disk.hang()
    for number in range(10):
        journal.append(Message(text=str(number)))
    disk.wait_until_asked()
    closing = threading.Thread(target=journal.close)
    closing.start()
    with pytest.raises(RecordError, match="closed"):
        append_until_closed(journal)
    disk.go_on()
    closing.join()
    verdict = verify(place.file, place.anchors)
    assert (verdict.finding, verdict.events) == (Finding.INTACT, journal.head[0])


def test_a_bug_in_the_thread_is_reported_and_does_not_end_it(place: Place, disk: Disk) -> None:
    with place.create() as journal:
        disk.failing = ZeroDivisionError()  # type: ignore[assignment]
        journal.append(Message(text="one"))
        with pytest.raises(RecordError, match="ZeroDivisionError"):
            journal.flush()
        disk.failing = None
        journal.flush()
    assert verify(place.file, place.anchors).events == 1
