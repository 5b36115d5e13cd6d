"""Runs one session at the terminal: signals become an orderly stop, its end an exit code. Called by app.

A first Ctrl-C or SIGTERM asks the session to stop in order (release, record); a second one cancels it.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Protocol

from operator_console.cli.terminal import Terminal
from operator_console.domain.errors import ExitCode
from operator_console.domain.events import Ended, EndedOutcome, StopCause
from operator_console.domain.intents import Intent, Stop


class Runnable(Protocol):
    """What is needed of a session."""

    async def run(self) -> Ended:
        """To its end."""
        ...

    def post(self, intent: Intent) -> None:
        """Hand an intent in."""
        ...


def exit_code(outcome: EndedOutcome) -> int:
    """The documented exit code of a run that ended so."""
    match outcome:
        case EndedOutcome.FINISHED:
            return ExitCode.FINISHED
        case EndedOutcome.FAILED:
            return ExitCode.FAILED
        case EndedOutcome.STOPPED:
            return ExitCode.STOPPED
        case EndedOutcome.LIMIT:
            return ExitCode.LIMIT


async def run_to_end(session: Runnable, terminal: Terminal) -> int:
    """Run it with the terminal attached; returns the exit code. Errors of the session pass through."""
    terminal.attach(session.post)
    task = asyncio.ensure_future(session.run())
    interrupted: list[str] = []

    def interrupt(name: str) -> None:
        interrupted.append(name)
        if len(interrupted) == 1:
            terminal.note(f"{name}: stopping in order (once more to break off)")
            session.post(Stop(reason=StopCause.INTERRUPT, detail=f"{name} in the terminal."))
        else:
            task.cancel()

    try:
        with interrupts(interrupt):
            ended = await task
            return exit_code(ended.outcome)
    except asyncio.CancelledError:
        if len(interrupted) > 1:
            return ExitCode.STOPPED
        raise
    finally:
        await terminal.close()


@contextlib.contextmanager
def interrupts(on_signal: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal call `on_signal` on the running loop, for as long as the block lasts."""
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()
    names = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup means it
        names[signal.SIGHUP] = "The terminal was closed"
    before = {number: signal.getsignal(number) for number in names}
    for number, name in names.items():
        loop.add_signal_handler(number, on_signal, name)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
