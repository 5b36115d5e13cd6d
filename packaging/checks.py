"""The checks of the ``test`` command: how each is run, its outcome, and its lines of the summary.

Standard library only, and readable by Python 3.9, as the set-up that imports it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup_progress import say

HEARTBEAT_S = 30.0
MOST_UNSTEADY = 10
"""When more tests than this fail, they are taken to be broken, and none is run again."""

_TESTS_FAILED = 1
_TAIL_BYTES = 4096
_CLOSING = re.compile(r"^=*\s*(\d+ (?:passed|failed|error|skipped|deselected|xfailed|xpassed|warning)[^=]*?)\s*=*$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Check:
    """One command that succeeds or fails."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.command = list(command)
        self.code = -1
        self.seconds = 0.0

    def run(self, env: Mapping[str, str], cwd: str) -> None:
        """Runs it with its output shown as it comes."""
        started = time.monotonic()
        alive = _Heartbeat(self.name)
        alive.start()
        try:
            self.code = self._run(env, cwd)
        finally:
            alive.stop()
            self.seconds = time.monotonic() - started

    def summary(self) -> list[str]:
        """Its outcome, duration and name; further lines hold what else a person should know."""
        return [f"  {'ok    ' if self.code == 0 else 'FAILED'} {self.seconds:7.1f} s  {self.name}"]

    def _run(self, env: Mapping[str, str], cwd: str) -> int:
        say(f"\n== {self.name}: {' '.join(self.command)}")
        return subprocess.run(self.command, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL).returncode


class PytestCheck(Check):
    """A run of pytest. Its summary repeats pytest's own closing line.

    Args:
        name: What is tested.
        command: How to start pytest, with options for every run.
        options: Options of the whole run: which tests, how many workers.
        once_more: Run each test that failed once more, alone. One that then passes is listed as unsteady and does
            not fail the check.
    """

    def __init__(self, name: str, command: Sequence[str], options: Sequence[str], *, once_more: bool = False) -> None:
        super().__init__(name, [*command, *options])
        self.unsteady: list[str] = []
        self._pytest = list(command)
        self._once_more = once_more
        self._closing = ""

    def summary(self) -> list[str]:
        [line] = super().summary()
        return [f"{line}: {self._closing}" if self._closing else line, *(f"    unsteady: {n}" for n in self.unsteady)]

    def _run(self, env: Mapping[str, str], cwd: str) -> int:
        with tempfile.TemporaryDirectory(prefix="operator-console-checks-") as cache:
            say(f"\n== {self.name}: {' '.join(self.command)}")
            code, output = _shown([*self.command, "-o", f"cache_dir={cache}"], env, cwd)
            self._closing = closing_line(output)
            failed = _last_failed(Path(cache))
        if not self._once_more or code != _TESTS_FAILED or not failed:
            return code
        if len(failed) > MOST_UNSTEADY:
            say(f"\n{len(failed)} tests failed: too many to be unsteady, so none is run again.")
            return code
        return code if self._fail_again(failed, env, cwd) else 0

    def _fail_again(self, failed: Sequence[str], env: Mapping[str, str], cwd: str) -> bool:
        """Runs each of them by itself; whether any failed again."""
        broken = False
        for test in failed:
            command = [*self._pytest, test]
            say(f"\n== {self.name}, once more: {' '.join(command)}")
            code, _ = _shown([*command, "-p", "no:cacheprovider"], env, cwd)
            if code == 0:
                self.unsteady.append(test)
            else:
                broken = True
        return broken


def closing_line(output: str) -> str:
    """The last line in which pytest counts outcomes ("2 failed, 40 passed in 3.21s"), or an empty text."""
    lines = (_COLOUR.sub("", line).strip() for line in reversed(output.splitlines()))
    return next((found[1] for line in lines if (found := _CLOSING.match(line))), "")


def _shown(command: Sequence[str], env: Mapping[str, str], cwd: str) -> tuple[int, str]:
    """Runs a command and passes its output on as it comes; returns its exit code and the end of what it said."""
    process = subprocess.Popen(
        list(command), env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    tail = b""
    try:
        with process.stdout as output:
            while chunk := output.read(_TAIL_BYTES):
                sys.stdout.write(chunk.decode(errors="replace"))
                sys.stdout.flush()
                tail = (tail + chunk)[-_TAIL_BYTES:]
        return process.wait(), tail.decode(errors="replace")
    except BaseException:
        process.terminate()
        process.wait()
        raise


def _last_failed(cache: Path) -> list[str]:
    """What pytest noted in its cache: the ids of the tests that failed."""
    noted = cache / "v" / "cache" / "lastfailed"
    return list(json.loads(noted.read_text(encoding="utf-8"))) if noted.exists() else []


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
        while not self._done.wait(HEARTBEAT_S):
            print(f"    ({self._name}: {time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
