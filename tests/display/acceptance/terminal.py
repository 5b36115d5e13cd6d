"""The console on a terminal of its own: a pseudo-terminal whose other end is the person who answers."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.display.acceptance.harness import Console, console_env
from tests.display.rig import Child, Desktop, wait_until

# Makes stdin the controlling terminal, as a shell in a terminal window has it, and becomes the console.
_ON_ITS_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.executable, [sys.executable, '-m', 'operator_console', *sys.argv[1:]])"
)


class TerminalConsole:
    """`python -m operator_console ARGS` with stdin and stderr on a terminal, stdout in a file."""

    def __init__(self, desktop: Desktop, folder: Path, url: str, arguments: Sequence[str], **environment: str) -> None:
        self._master, slave = pty.openpty()
        self._shown = bytearray()
        self.stdout = folder / "stdout.txt"
        env = console_env(desktop, GEMINI_API_KEY="test-key", GOOGLE_GEMINI_BASE_URL=url, **environment)
        with self.stdout.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _ON_ITS_TERMINAL, *arguments],
                env=env,
                cwd=folder,
                stdin=slave,
                stdout=out,
                stderr=slave,
                start_new_session=True,
            )
        os.close(slave)
        self._console = _View(self._process, self.stdout, self)

    def shown(self) -> str:
        """What the terminal shows up to now."""
        while select.select([self._master], [], [], 0)[0]:
            try:
                chunk = os.read(self._master, 65536)
            except OSError:
                break
            if not chunk:
                break
            self._shown += chunk
        return self._shown.decode("utf-8", "replace")

    def answer_until(self, word: str, kind: str, **fields: Any) -> None:
        """Type the word, again and again as an impatient person would, until such an event follows."""
        before = len(self._console.events())  # a busy console may have paused and resumed by itself

        def typed() -> bool:
            self.shown()
            events = [event for event in self._console.events()[before:] if event["kind"] == kind]
            if any(all(event.get(name) == value for name, value in fields.items()) for event in events):
                return True
            os.write(self._master, f"{word}\n".encode())
            return False

        wait_until(typed, f"a {kind} event", interval_s=0.4)

    def say_until_end(self, word: str, timeout_s: float) -> int:
        """Type the word again and again until it ends; its exit code.

        An empty line after it passes over a question that it is no answer to, such as one about hasty answers.
        """

        def ended() -> bool:
            self.shown()
            if self.running:
                os.write(self._master, f"{word}\n\n".encode())
            return not self.running

        wait_until(ended, "the console to end", timeout_s=timeout_s, interval_s=0.4)
        return self._process.returncode

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def events(self) -> list[dict[str, Any]]:
        """Every event up to now."""
        return self._console.events()

    def wait_event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self._console.wait_event(kind, **fields)

    def wait(self, timeout_s: float = 120.0) -> int:
        """Its exit code; what it shows meanwhile is read, so that it never waits for us."""

        def ended() -> bool:
            self.shown()
            return self._process.poll() is not None

        wait_until(ended, "the console to end", timeout_s=timeout_s)
        return self._process.returncode

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def report(self) -> str:
        """The end of what it showed, and its last events."""
        return "\n".join([self.shown()[-1500:], self.stdout.read_text(errors="replace")[-3000:]])

    def __enter__(self) -> TerminalConsole:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)


class _View(Console):
    """The harness's reading of events, for a process that a terminal started."""

    def __init__(self, process: subprocess.Popen[bytes], stdout: Path, terminal: TerminalConsole) -> None:
        child = Child.__new__(Child)
        child.args, child.log, child.popen = ["operator-console"], stdout, process
        Console.__init__(self, child=child, stdout=stdout)
        self._terminal = terminal

    def report(self) -> str:
        return self._terminal.report()
