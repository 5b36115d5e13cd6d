"""Runs a session in the terminal to its end and returns its exit code.

The first Ctrl-C, SIGTERM or SIGHUP makes the session release all input, complete its record and end; the second
cancels it.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from operator_console.domain.errors import ExitCode
from operator_console.domain.events import Ended, EndedOutcome
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.message_texts import notice, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopCause
from operator_console.domain.translations import _

if TYPE_CHECKING:
    from operator_console.cli.terminal import Terminal


class Runnable(Protocol):
    """A session, as far as it is used here."""

    async def run(self) -> Ended:
        """Run to the end."""
        ...

    def post(self, intent: Intent) -> None:
        """Send the session an intent of the operator."""
        ...


def exit_code(outcome: EndedOutcome) -> int:
    """The documented exit code for an outcome."""
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
    """Run the session with the terminal attached and return the exit code. Errors of the session propagate."""
    terminal.attach(session.post)
    task = asyncio.ensure_future(session.run())
    interrupted: list[str] = []

    def interrupt(name: str) -> None:
        interrupted.append(name)
        if len(interrupted) == 1:
            terminal.note(_("{name}: ending the run (repeat to quit at once)").format(name=worded(name)))
            session.post(Stop(reason=StopCause.INTERRUPT, detail=notice(NoticeCode.SIGNAL_RECEIVED, signal=name)))
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
    """Within the block, Ctrl-C, SIGTERM and SIGHUP call `on_signal` on the running loop with their name."""
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()
    names: dict[int, str] = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as set by nohup
        names[signal.SIGHUP] = notice(NoticeCode.TERMINAL_CLOSED)
    before = {number: signal.getsignal(number) for number in names}
    for number, name in names.items():
        loop.add_signal_handler(number, on_signal, name)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
