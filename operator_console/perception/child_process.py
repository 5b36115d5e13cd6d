"""A child process that lives as long as its standard input is open: what it writes on standard error, and its end."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence


async def error_lines(process: Process) -> AsyncIterator[str]:
    """The lines that it writes on its standard error (a pipe), until it ends; of a very long one, perhaps a part."""
    assert process.stderr is not None
    with contextlib.suppress(ConnectionError):
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # a line longer than the reader's limit; its rest comes next
                continue
            if not line:
                return
            if words := line.decode("utf-8", "replace").strip():
                yield words


async def end_child(process: Process, listeners: Sequence[asyncio.Task[None]], grace_s: float) -> None:
    """Close its input and wait for its end; kill it where that takes longer than `grace_s`. Ends its listeners too.

    Args:
        process: started with a pipe for its input.
        listeners: the tasks that read its output; they end with its pipes.
        grace_s: seconds.
    """
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), grace_s)
    except TimeoutError:
        process.kill()
        await process.wait()
    # They end with their pipes; only then are the loop's own handles of the process gone.
    await asyncio.wait(listeners, timeout=grace_s)
    for listener in listeners:
        listener.cancel()
    await asyncio.gather(*listeners, return_exceptions=True)
    with contextlib.suppress(ConnectionError, RuntimeError):
        await process.stdin.wait_closed()
