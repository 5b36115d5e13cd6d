"""A computer's thread: work in order, and none of it after it was cancelled."""

from __future__ import annotations

import asyncio
import select
import threading
from collections.abc import AsyncIterator

import pytest

from operator_console.computers.worker_thread import Worker

DEADLINE_S = 30.0


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker("test")
    yield made
    await made.close(lambda: None)


async def cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_work_that_waits_its_turn_is_dropped_when_it_is_cancelled(worker: Worker) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        assert go_on.wait(DEADLINE_S)
        done.append("first")

    running = asyncio.create_task(worker.run(first))
    queued = asyncio.create_task(worker.run(lambda: done.append("cancelled")))
    await asyncio.to_thread(begun.wait, DEADLINE_S)
    await cancelled(queued)
    go_on.set()
    await running
    await worker.run(lambda: done.append("last"))
    assert done == ["first", "last"]


async def test_work_that_runs_is_interrupted_and_woken(worker: Worker) -> None:
    begun, ended = threading.Event(), threading.Event()

    def wait_for_the_bell() -> None:
        begun.set()
        assert select.select([worker.wake_fd], [], [], DEADLINE_S)[0]
        assert worker.interrupted
        ended.set()

    running = asyncio.create_task(worker.run(wait_for_the_bell))
    await asyncio.to_thread(begun.wait, DEADLINE_S)
    await cancelled(running)
    assert await asyncio.to_thread(ended.wait, DEADLINE_S)


async def test_what_comes_after_cancelled_work_is_not_interrupted(worker: Worker) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        assert go_on.wait(DEADLINE_S)

    running = asyncio.create_task(worker.run(first))
    await asyncio.to_thread(begun.wait, DEADLINE_S)
    await cancelled(running)
    go_on.set()
    assert not await worker.run(lambda: worker.interrupted)
    assert not await worker.run(lambda: bool(select.select([worker.wake_fd], [], [], 0)[0]))


async def test_an_error_reaches_whoever_asked(worker: Worker) -> None:
    def fail() -> None:
        raise KeyError("told")

    with pytest.raises(KeyError, match="told"):
        await worker.run(fail)
