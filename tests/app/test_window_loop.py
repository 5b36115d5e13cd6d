"""What runs beside the start of the guard ends with it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from operator_console.app.window_loop import _begin


def test_a_task_gives_its_result_and_one_that_still_runs_ends_with_the_stack() -> None:
    async def quick() -> int:
        return 7

    async def work() -> tuple[int, bool]:
        async with AsyncExitStack() as stack:
            result = await _begin(stack, quick())
            endless = _begin(stack, asyncio.Event().wait())
        return result, endless.cancelled()

    assert asyncio.run(work()) == (7, True)


def test_a_failure_beside_that_of_the_stack_is_not_reported_again(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise OSError("no display")

    async def work() -> None:
        async with AsyncExitStack() as stack:
            failing = _begin(stack, fails())
            await asyncio.wait({failing})
            raise ValueError("no guard")

    with pytest.raises(ValueError, match="no guard"):
        asyncio.run(work())
    assert caplog.text == ""
