"""The signals that end a run in order. What a run does then: tests/display/acceptance/test_stop.py."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from operator_console.cli.run_to_end import interrupts


@pytest.fixture
def hangup() -> Iterator[Callable[[signal.Handlers], None]]:
    """Sets the handler of SIGHUP, which is ignored where the tests themselves run under nohup."""
    before = signal.getsignal(signal.SIGHUP)

    def set_to(handler: signal.Handlers) -> None:
        signal.signal(signal.SIGHUP, handler)

    yield set_to
    signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_each_signal_is_told_by_its_name_and_the_handlers_are_put_back(
    hangup: Callable[[signal.Handlers], None],
) -> None:
    hangup(signal.SIG_DFL)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    told: asyncio.Queue[str] = asyncio.Queue()
    with interrupts(told.put_nowait):
        for number, name in zip(numbers, ("Ctrl-C", "SIGTERM", "Terminal closed"), strict=True):
            os.kill(os.getpid(), number)
            assert await asyncio.wait_for(told.get(), 10) == name
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_a_closed_terminal_ends_nothing_under_nohup(hangup: Callable[[signal.Handlers], None]) -> None:
    hangup(signal.SIG_IGN)
    told: asyncio.Queue[str] = asyncio.Queue()
    with interrupts(told.put_nowait):
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGTERM)
        assert await asyncio.wait_for(told.get(), 10) == "SIGTERM"
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
