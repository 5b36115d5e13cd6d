"""Starts the guard's process. Needs no event loop, so that the guard can start while the console is still importing."""

from __future__ import annotations

import socket
import subprocess
import sys
from dataclasses import dataclass

from operator_console.domain.display_names import normal_display
from operator_console.guard import wire
from operator_console.guard.platform import environment_on

_END_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A guard process, and the console's end of the socket pair to it."""

    process: subprocess.Popen[bytes]
    line: socket.socket

    def abandon(self) -> None:
        """End a guard that will not be used. Blocks until it has ended."""
        self.line.close()
        try:
            self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(_END_S)


def launch(display: str, hotkeys: tuple[str, str, str]) -> Launched:
    """Start a guard for a display, or for NO_DISPLAY; `hotkeys` are stop, pause and approve in pynput's notation."""
    display = normal_display(display)
    ours, theirs = wire.pair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "operator_console.guard", "--display", display,
             "--line-fd", str(theirs.fileno()), "--hotkeys", *hotkeys],
            env=environment_on(display), pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    ours.setblocking(False)
    return Launched(process=process, line=ours)
