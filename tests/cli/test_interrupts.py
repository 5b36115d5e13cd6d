"""The signals that end a run in order. What a run does then: tests/display/acceptance/test_stop.py."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from operator_console.cli.run_to_end import interrupts


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_each_signal_is_told_by_its_name_and_the_handlers_are_put_back() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    told: asyncio.Queue[str] = asyncio.Queue()
    with interrupts(told.put_nowait):
        for number, name in zip(numbers, ("Ctrl-C", "SIGTERM", "Terminal closed"), strict=True):
            os.kill(os.getpid(), number)
            assert await asyncio.wait_for(told.get(), 10) == name
    assert [signal.getsignal(number) for number in numbers] == before
