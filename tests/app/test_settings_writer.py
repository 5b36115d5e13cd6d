"""Settings are written off the loop: in order, the last ones win, and a failure reaches whoever asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from operator_console.app.settings_writer import SettingsWriter
from operator_console.domain.errors import OperatorError
from operator_console.settings.model import Hotkeys, Settings


def settings(stop: str) -> Settings:
    return Settings(hotkeys=Hotkeys(stop=f"<ctrl>+{stop}"))


A, B, C = settings("a"), settings("b"), settings("c")


class SlowDisk:
    """A disk that writes when it is let."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let = threading.Event()
        self.written: list[Settings] = []
        self.refuses: set[str] = set()
        self.thread: threading.Thread | None = None

    def save(self, wanted: Settings) -> None:
        self.thread = threading.current_thread()
        self.begun.set()
        assert self.let.wait(30)
        if wanted.hotkeys.stop in self.refuses:
            raise OperatorError("The disk is full.")
        self.written.append(wanted)


@asynccontextmanager
async def writing(disk: SlowDisk) -> AsyncIterator[tuple[SettingsWriter, asyncio.Task[None]]]:
    """A writer whose first write is under way on the disk, the loop free meanwhile."""
    writer = SettingsWriter(disk.save)
    async with asyncio.timeout(30):
        first = asyncio.create_task(writer.write(A))
        await asyncio.to_thread(disk.begun.wait, 30)
        try:
            yield writer, first
        finally:
            disk.let.set()
            await writer.close()


async def test_the_loop_goes_on_while_the_disk_writes() -> None:
    disk = SlowDisk()
    async with writing(disk) as (_, first):
        assert not first.done()
        assert disk.thread is not threading.main_thread()
    await first
    assert disk.written == [A]


async def test_the_last_of_those_that_wait_is_written_after_the_one_under_way() -> None:
    disk = SlowDisk()
    async with writing(disk) as (writer, first):
        second, third = (asyncio.create_task(writer.write(each)) for each in (B, C))
        await asyncio.sleep(0)
    await asyncio.gather(first, second, third)
    assert disk.written == [A, C]


async def test_a_failure_reaches_whoever_asked_and_the_next_write_is_tried() -> None:
    disk = SlowDisk()
    disk.refuses = {A.hotkeys.stop}
    async with writing(disk) as (writer, first):
        second = asyncio.create_task(writer.write(B))
        await asyncio.sleep(0)
    with pytest.raises(OperatorError, match="The disk is full"):
        await first
    await second
    assert disk.written == [B]


async def test_closing_waits_for_what_nobody_waits_for_any_more() -> None:
    disk = SlowDisk()
    async with writing(disk) as (_, first):
        first.cancel()
        await asyncio.wait({first})
        assert disk.written == []
    assert disk.written == [A]
