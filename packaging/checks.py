"""The checks of the ``test`` command: how each is run, its outcome, and its line of the summary.

Standard library only, and readable by Python 3.9, as the set-up that imports it.
"""

from __future__ import annotations

import codecs
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

HEARTBEAT_S = 30.0

_CHUNK_BYTES = 4096
_TAIL_CHARACTERS = 4096
_CLOSING = re.compile(r"^=*\s*(\d+ (?:passed|failed|error|skipped|deselected|xfailed|xpassed|warning)[^=]*?)\s*=*$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Check:
    """One command that succeeds or fails.

    Args:
        name: What is checked.
        command: The command.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.command = list(command)
        self.code = -1
        self.seconds = 0.0
        self._closing = ""

    def run(self, env: Mapping[str, str], cwd: str) -> None:
        """Runs it with its output shown as it comes."""
        _write(f"\n== {self.name}: {' '.join(self.command)}\n")
        started = time.monotonic()
        try:
            with _Heartbeat(self.name):
                self.code, output = _shown(self.command, env, cwd)
        finally:
            self.seconds = time.monotonic() - started
        self._closing = closing_line(output)

    def summary(self) -> str:
        """Its outcome, duration and name, and what pytest counted."""
        line = f"  {'ok    ' if self.code == 0 else 'FAILED'} {self.seconds:7.1f} s  {self.name}"
        return f"{line}: {self._closing}" if self._closing else line


def closing_line(output: str) -> str:
    """The last line in which pytest counts outcomes ("2 failed, 40 passed in 3.21s"), or an empty text."""
    lines = (_COLOUR.sub("", line).strip() for line in reversed(output.splitlines()))
    return next((found[1] for line in lines if (found := _CLOSING.match(line))), "")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _shown(command: Sequence[str], env: Mapping[str, str], cwd: str) -> tuple[int, str]:
    """Runs a command and passes its output on; returns its exit code and the end of what it said."""
    process = subprocess.Popen(
        list(command), env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, bufsize=0,
    )  # fmt: skip
    assert process.stdout is not None
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    tail = ""
    try:
        with process.stdout as output:
            while chunk := output.read(_CHUNK_BYTES):
                text = decoder.decode(chunk)
                _write(text)
                tail = (tail + text)[-_TAIL_CHARACTERS:]
        return process.wait(), tail
    except BaseException:
        process.terminate()
        process.wait()
        raise


class _Heartbeat:
    """Says every half minute that a check is still running, for those that print nothing until they end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat")

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        started = time.monotonic()
        while not self._done.wait(HEARTBEAT_S):
            print(f"    ({self._name}: {time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
