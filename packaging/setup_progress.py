"""Runs the steps of the set-up: shows each step and its progress, and explains what to do if it fails.

Standard library only, and valid Python 3.9: it also runs before a supported Python is installed.
"""

from __future__ import annotations

import subprocess
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
