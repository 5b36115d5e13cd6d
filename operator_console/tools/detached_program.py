"""Starts a detached program, and waits until it shows a window or ends. Blocks.

The program runs in its own session (setsid), under a shell that only reports the session id and, at the end, the exit
code. The command is passed to that shell as arguments, which it does not interpret.
"""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.programs import ProgramDoor

ANY_SESSION = 0
"""In place of a process session: a window of any."""
WINDOW_WITHIN_S = 10.0
"""Limit for the first window to appear."""

_START_TIMEOUT_S = 10.0
_MAX_MESSAGE = 300
_WRAPPER = 'exec 3>&1 >/dev/null; echo $$ >&3; "$@" 3>&-; echo $? >&3'


class Arrivals(Protocol):
    """Watches for new windows on a display, from its creation on."""

    def already(self, names: Set[str]) -> str | None:
        """The title of a window of these applications that was already open, or None."""
        ...

    def wait(self, session: int, names: Set[str], until: float, also: int) -> str | None:
        """Wait for a new window of the session (of any for 0) or the applications.

        Returns:
            Its title; None at the time `until`, or once the descriptor `also` is readable.
        """
        ...

    def close(self) -> None:
        """Close the connection to the display."""
        ...


Watch = Callable[[str], Arrivals]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The result of a start.

    Attributes:
        problem: Why it failed; "" if it did not.
        window: The title of its window, or None.
        handed_over: Whether that window was already open.
        waited_s: How long a window was waited for, if there is none.
    """

    problem: str = ""
    window: str | None = None
    handed_over: bool = False
    waited_s: float = 0.0


class Start:
    """One start. `run` may be called once; `cancel` ends its waiting from another thread, not the program."""

    def __init__(
        self, command: Sequence[str], names: Set[str], environment: Mapping[str, str], watch: Watch,
        programs: ProgramDoor | None = None,
    ) -> None:  # fmt: skip
        self._command = command
        self._names = names
        self._environment = environment
        self._watch = watch
        self._programs = programs
        self._lock = threading.Lock()
        self._status, self._said = os.pipe()
        self._wake, self._bell = os.pipe()

    def cancel(self) -> None:
        """Make `run` return."""
        with self._lock:
            if self._bell >= 0:
                os.write(self._bell, b"!")

    def run(self) -> Started:
        """Start the program and wait. Raises ComputerError if the display cannot be watched."""
        try:
            arrivals = self._watch(self._environment["DISPLAY"])
            try:
                with tempfile.TemporaryFile() as errors:
                    return self._run(arrivals, errors)
            finally:
                arrivals.close()
        finally:
            self._close()

    def _run(self, arrivals: Arrivals, errors: IO[bytes]) -> Started:
        if problem := self._spawn(errors):
            return Started(problem=problem)
        lines = _Lines(self._status)
        until = time.monotonic() + _START_TIMEOUT_S
        session = lines.read(until, self._wake)
        if session is None:
            return Started(problem=notice(NoticeCode.APPLICATION_NOT_STARTED_IN_TIME))
        # On a desktop of its own each new window is of what was started there. Processes may be numbered anew there.
        member_of = int(session) if self._programs is None else ANY_SESSION
        until = time.monotonic() + WINDOW_WITHIN_S
        with select.epoll() as news:
            news.register(self._status, select.EPOLLIN)
            news.register(self._wake, select.EPOLLIN)
            window = arrivals.wait(member_of, self._names, until, news.fileno())
            if window is None and (code := lines.read(0.0, self._wake)) is not None:
                if code != "0":
                    return Started(problem=_ended(code, errors))
                if (there := arrivals.already(self._names)) is not None:
                    return Started(window=there, handed_over=True)
                # Some programs only make another one open the window.
                window = arrivals.wait(member_of, self._names, until, self._wake)
        return Started(window=window, waited_s=WINDOW_WITHIN_S)

    def _spawn(self, errors: IO[bytes]) -> str:
        home = Path(self._environment.get("HOME", "/"))
        try:
            if self._programs is not None:
                command = ["sh", "-c", _WRAPPER, "sh", *self._command]
                self._programs.start(command, output=self._said, errors=errors.fileno())
                return ""
            # setsid forks and ends at once, so the application is not a child of this process.
            done = subprocess.run(
                ["setsid", "--fork", "sh", "-c", _WRAPPER, "sh", *self._command], env=dict(self._environment),
                cwd=home if home.is_dir() else "/", stdin=subprocess.DEVNULL, stdout=self._said, stderr=errors,
                timeout=_START_TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return notice(NoticeCode.APPLICATION_NOT_STARTED_IN_TIME)
        except OSError as error:
            return notice(NoticeCode.APPLICATION_NOT_STARTED, error=error.strerror or "")
        finally:
            os.close(self._said)
            self._said = -1
        return "" if done.returncode == 0 else notice(NoticeCode.APPLICATION_NOT_DETACHED, exit_code=done.returncode)

    def _close(self) -> None:
        with self._lock:
            for descriptor in (self._status, self._said, self._wake, self._bell):
                if descriptor >= 0:
                    os.close(descriptor)
            self._status = self._said = self._wake = self._bell = -1


class _Lines:
    """Reads lines from a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""

    def read(self, until: float, wake: int) -> str | None:
        """The next line; None at the time `until`, at the end of the pipe, or once `wake` is readable."""
        while b"\n" not in self._rest:
            left = max(0.0, until - time.monotonic())
            ready, _, _ = select.select([self._descriptor, wake], [], [], left)
            piece = os.read(self._descriptor, 64) if self._descriptor in ready else b""
            if not piece:
                return None
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("ascii", "replace").strip()


def _ended(code: str, errors: IO[bytes]) -> str:
    """The exit code, and the end of the error output."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - 4 * _MAX_MESSAGE))
    words = " ".join(errors.read().decode("utf-8", "replace").split())
    if not words:
        return notice(NoticeCode.APPLICATION_ENDED, exit_code=code)
    return notice(NoticeCode.APPLICATION_ENDED_WITH_ERROR, exit_code=code, output=words[-_MAX_MESSAGE:])
