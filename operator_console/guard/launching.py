"""Begins the guard's process. No loop is needed for it: it gets ready while its console still imports the rest.

Called by `client`, and by app before there is a loop, from any thread. Waiting for the guard is the client's.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from dataclasses import dataclass

from operator_console.guard import latch, wire

_END_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A guard that was begun, and the console's end of its line."""

    process: subprocess.Popen[bytes]
    line: socket.socket

    def abandon(self) -> None:
        """Nobody will talk to it: end it, and wait (blocking) until it has ended."""
        self.line.close()
        try:
            self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(_END_S)


def launch(display: str, hotkeys: tuple[str, str, str]) -> Launched:
    """Begin one for a display; `hotkeys` (stop, pause, approve) are in pynput's notation."""
    display = latch.normal_display(display)
    ours, theirs = wire.pair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "operator_console.guard", "--display", display,
             "--line-fd", str(theirs.fileno()), "--hotkeys", *hotkeys],
            env={**latch.child_environment(), "DISPLAY": display}, pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    ours.setblocking(False)
    return Launched(process=process, line=ours)
