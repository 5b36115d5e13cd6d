"""Runs the steps of the set-up: shows each step and its progress, and explains what to do if it fails.

Standard library only, and valid Python 3.9: it also runs before a supported Python is installed.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence

HEARTBEAT_S = 10.0
_KEPT_LINES = 40


class SetupError(Exception):
    """The set-up cannot continue. The text says what happened and what to do; ``code`` is the exit code."""

    def __init__(self, text: str, code: int = 4) -> None:
        super().__init__(text)
        self.code = code


def say(text: str) -> None:
    print(text, flush=True)


def run_step(
    title: str,
    command: Sequence[str],
    *,
    remedy: str,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
) -> None:
    """Run ``command`` with its output hidden; every ten seconds, print the time so far and the last line of output.

    Args:
        title: What the step does, shown to the user.
        command: Argument list.
        remedy: What the user can do if the command fails.
        env: The complete environment; None for the current one.
        cwd: The working directory.

    Raises:
        SetupError: The command failed. The text ends with the last lines of its output and the remedy.
    """
    started = time.monotonic()
    say(f"  {title} ...")
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=None if env is None else dict(env),
        cwd=cwd,
        text=True,
        errors="replace",
    )
    last: deque[str] = deque(maxlen=_KEPT_LINES)
    reader = threading.Thread(target=_read, args=(process, last), name="setup output")
    reader.start()
    try:
        while True:
            try:
                process.wait(HEARTBEAT_S)
                break
            except subprocess.TimeoutExpired:
                say(f"    still running, {time.monotonic() - started:.0f} s: {_short(last)}")
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        reader.join()
        if process.stdout is not None:
            process.stdout.close()
    if process.returncode != 0:
        output = "\n".join(last)
        raise SetupError(f"{title}: failed (exit code {process.returncode}).\n{output}\n\nWhat to do: {remedy}")
    say(f"  {title}: done in {time.monotonic() - started:.0f} s")


def _read(process: subprocess.Popen[str], last: deque[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip():
            last.append(line.rstrip())


def _short(last: deque[str]) -> str:
    return last[-1].strip()[:100] if last else "(no output yet)"


class Check:
    """One check of the ``test`` command, its outcome and how long it took."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.command = command
        self.code = -1
        self.seconds = 0.0

    def run(self, env: Mapping[str, str], cwd: str) -> None:
        """Runs it with its output shown as it comes."""
        say(f"\n== {self.name}: {' '.join(self.command[:1] + self.command[1:])}")
        started = time.monotonic()
        alive = _Heartbeat(self.name)
        alive.start()
        try:
            self.code = subprocess.run(self.command, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL).returncode
        finally:
            alive.stop()
        self.seconds = time.monotonic() - started

    def line(self) -> str:
        return f"  {'ok    ' if self.code == 0 else 'FAILED'} {self.seconds:7.1f} s  {self.name}"


class _Heartbeat:
    """Says every half minute that a check is still running, for those that print nothing until they end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        started = time.monotonic()
        while not self._done.wait(3 * HEARTBEAT_S):
            print(f"    ({self._name}: {time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
