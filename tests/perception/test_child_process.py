"""What a child process writes on its standard error is read to the end; what it writes on its output ends no wait."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from operator_console.perception.child_process import ChildDied, ChildProcess

_LOUD = "import sys; sys.stderr.write('first\\n' + 'x' * 20_000_000 + '\\nafter\\n\\n')"
_ECHO = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print("not JSON" if request["text"] == "bad" else json.dumps(request), flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    job: int
    text: str


def child(code: str) -> ChildProcess[Echo]:
    return ChildProcess("child", Echo, lambda: ["-c", code], os.environ, grace_s=5.0)


@pytest.fixture
async def echo() -> AsyncIterator[ChildProcess[Echo]]:
    made = child(_ECHO)
    yield made
    await made.close()


async def said(process: ChildProcess[Echo], text: str) -> str:
    job = process.new_job()
    async with asyncio.timeout(20):
        return (await process.ask(job, Echo(job=job, text=text))).text


async def test_a_line_that_is_too_long_hides_none_of_the_others(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    loud = child(_LOUD)
    await loud.start()
    await loud.close()  # reads what it has written
    assert caplog.messages[0].endswith("first")
    assert loud.last_words == "after"


async def test_an_unreadable_reply_fails_what_waits_and_no_later_request(echo: ChildProcess[Echo]) -> None:
    assert await said(echo, "one") == "one"
    first = echo.pid
    with pytest.raises(ChildDied):
        await said(echo, "bad")
    assert await said(echo, "two") == "two"
    assert echo.pid == first


async def test_a_closed_one_is_not_started_again(echo: ChildProcess[Echo]) -> None:
    await echo.start()
    await echo.close()
    with pytest.raises(ChildDied):
        await said(echo, "one")
