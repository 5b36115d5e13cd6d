"""The thread that writes the latch files: order, skipped writes, errors, and its end."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest

from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.server.latch_writer import LatchWriter


def status(reason: str, display: str = ":7") -> LatchStatus:
    return LatchStatus(display=display, state=LatchState.STOPPED, reason=reason)


class Disk:
    """Every sync waits until it is `ready`."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.syncing = threading.Event()
        self.syncs = 0
        self._sync = os.fsync

    def sync(self, fd: int) -> None:
        self.syncs += 1
        self.syncing.set()
        assert self.ready.wait(20)
        self._sync(fd)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    monkeypatch.setattr(os, "fsync", disk.sync)
    yield disk
    disk.ready.set()


async def test_a_write_does_not_wait_for_the_disk(disk: Disk) -> None:
    files = LatchWriter()
    written = files.write(status("hotkey"))
    await asyncio.to_thread(disk.syncing.wait, 20)
    assert files.busy
    assert not written.done()
    assert latch.read_file(":7").state is LatchState.IDLE
    disk.ready.set()
    await files.settled()
    assert latch.read_file(":7").reason == "hotkey"
    await files.close()


async def test_of_queued_changes_only_the_newest_of_a_display_is_carried_out(disk: Disk) -> None:
    files = LatchWriter()
    files.write(status("first"))
    await asyncio.to_thread(disk.syncing.wait, 20)
    for number in range(50):
        files.write(status(f"{number}"))
    files.clear(":7")
    files.write(status("of another", ":8"))
    files.write(status("last"))
    disk.ready.set()
    await files.settled()
    assert (latch.read_file(":7").reason, latch.read_file(":8").reason) == ("last", "of another")
    assert disk.syncs == 3 * 2  # the file and its folder
    await files.close()


async def test_a_call_runs_after_the_changes_queued_before_it(disk: Disk) -> None:
    files = LatchWriter()
    files.write(status("hotkey"))
    seen: list[str] = []
    files.call(lambda: seen.append(latch.read_file(":7").reason))
    files.clear(":7")
    disk.ready.set()
    await files.close()
    assert seen == ["hotkey"]
    assert latch.read_file(":7").state is LatchState.IDLE


async def test_a_change_that_fails_raises_and_the_next_one_is_carried_out(
    caplog: pytest.LogCaptureFixture, disk: Disk
) -> None:
    disk.ready.set()
    files = LatchWriter()
    draft = latch.path_of(":7", "latch.json").with_suffix(f".{os.getpid()}.new")
    draft.mkdir()
    with pytest.raises(IsADirectoryError):
        await asyncio.wrap_future(files.write(status("one")))
    assert "the latch file of :7 could not be changed" in caplog.text
    assert "Traceback" not in caplog.text
    draft.rmdir()
    await asyncio.wrap_future(files.write(status("two")))
    assert latch.read_file(":7").reason == "two"
    await files.close()


async def test_closing_waits_for_a_write_in_progress(disk: Disk) -> None:
    files = LatchWriter()
    files.write(status("hotkey"))
    await asyncio.to_thread(disk.syncing.wait, 20)
    closing = asyncio.create_task(files.close())
    disk.ready.set()
    await closing
    assert latch.read_file(":7").reason == "hotkey"
