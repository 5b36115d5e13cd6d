"""`run`: one session in the terminal, on a plain asyncio loop. Called by app's `run_headless`."""

from __future__ import annotations

import asyncio
import os

from operator_console.app.lock_watch import pausing_on_lock
from operator_console.app.preparing import Manner, preload, prepare
from operator_console.app.station import Station, open_station, our_windows
from operator_console.cli.options import RunOptions
from operator_console.cli.supervise import run_to_end
from operator_console.cli.terminal import Terminal
from operator_console.computers.desktop import DesktopComputer
from operator_console.computers.targets import open_computer
from operator_console.domain.requests import SessionRequest
from operator_console.guard.holding import refuse_if_stopped


def run_session(request: SessionRequest, options: RunOptions) -> int:
    """Run it to its end. Returns the exit code; raises ConsoleError where it was refused before it began."""
    return asyncio.run(_run(request, options))


async def _run(request: SessionRequest, options: RunOptions) -> int:
    # Before anything else that may be wrong, for instance a target that went with what was stopped.
    refuse_if_stopped([display] if (display := os.environ.get("DISPLAY")) else [])
    own = our_windows()
    computer = await open_computer(request.target, own)
    try:
        # Without a display of the human's the stop is heard on the isolated one that was just made.
        async with open_station(display or computer.target.display, own) as station:
            return await work(station, request, computer, options)
    finally:
        await computer.close()


async def work(station: Station, request: SessionRequest, computer: DesktopComputer, options: RunOptions) -> int:
    """One session with the terminal as its audience; the exit code. The computer is closed."""
    terminal = Terminal(options)
    manner = Manner(answerable=terminal.answerable, continue_question=True)
    try:
        # The vendor's client takes a second to import: before the lease is answered, and not on this loop.
        await asyncio.to_thread(preload, request)
        prepared = await prepare(station, request, computer, (terminal,), manner)
    except BaseException:
        await terminal.close()
        raise
    try:
        async with pausing_on_lock(prepared.session.post):
            return await run_to_end(prepared.session, terminal)
    finally:
        await prepared.close()
