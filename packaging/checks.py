"""The checks of the ``test`` command: how each is run, its outcome, and its lines of the summary.

Standard library only, and readable by Python 3.9, as the set-up that imports it.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from setup_progress import say

HEARTBEAT_S = 30.0
MOST_UNSTEADY = 10
"""When more tests than this fail, they are taken to be broken, and none is run again."""

_YIELDING = () if os.name == "nt" else ("nice", "-n", "5")
_SESSION_NICENESS = 10
_TESTS_FAILED = 1
_INTERRUPTED = 130
_CHUNK_BYTES = 4096
_TAIL_CHARACTERS = 4096
_CLOSING = re.compile(r"^=*\s*(\d+ (?:passed|failed|error|skipped|deselected|xfailed|xpassed|warning)[^=]*?)\s*=*$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Check:
    """One command that succeeds or fails.

    Args:
        name: What is checked.
        command: The command.
        aside: Run it with a lower priority beside the checks that wait for windows and timers.
    """

    def __init__(self, name: str, command: Sequence[str], *, aside: bool = False) -> None:
        self.name = name
        self.aside = aside
        self.command = [*(_YIELDING if aside else ()), *command]
        self.code = -1
        self.seconds = 0.0
        self._said: list[str] = []
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self, env: Mapping[str, str], cwd: str) -> None:
        """Runs it with its output shown as it comes, or, aside, when it has ended."""
        started = time.monotonic()
        try:
            with nullcontext() if self.aside else _Heartbeat(self.name):
                self.code = self._run(env, cwd)
        finally:
            self.seconds = time.monotonic() - started
            _write("".join(self._said))

    def end(self) -> None:
        """End it if it is run aside, and keep it from starting: a terminal's Ctrl+C does not reach its session."""
        with self._starting:
            self._ended = True
            if self._process is not None and self._process.poll() is None:
                _end_session(self._process)

    def summary(self) -> list[str]:
        """Its outcome, duration and name; further lines hold what else a person should know."""
        return [f"  {'ok    ' if self.code == 0 else 'FAILED'} {self.seconds:7.1f} s  {self.name}"]

    def _run(self, env: Mapping[str, str], cwd: str) -> int:
        return self._shown(self.name, self.command, env, cwd)[0]

    def _shown(self, title: str, command: Sequence[str], env: Mapping[str, str], cwd: str) -> tuple[int, str]:
        """Runs a command and passes its output on; returns its exit code and the end of what it said."""
        show = self._said.append if self.aside else _write
        show(f"\n== {title}: {' '.join(command)}\n")
        with self._starting:
            if self._ended:
                return _INTERRUPTED, ""
            self._process = _started(command, env, cwd, apart=self.aside)
        return _passed_on(self._process, show)


class PytestCheck(Check):
    """A run of pytest. Its summary repeats pytest's own closing line.

    Args:
        name: What is tested.
        command: How to start pytest, with options for every run.
        options: Options of the whole run: which tests, how many workers.
        once_more: Run each test that failed once more, alone. One that then passes is listed as unsteady and does
            not fail the check.
        aside: As for every check.
    """

    def __init__(
        self, name: str, command: Sequence[str], options: Sequence[str], *, once_more: bool = False, aside: bool = False
    ) -> None:
        super().__init__(name, [*command, *options], aside=aside)
        self.unsteady: list[str] = []
        self._pytest = list(command)
        self._once_more = once_more
        self._closing = ""

    def summary(self) -> list[str]:
        [line] = super().summary()
        return [f"{line}: {self._closing}" if self._closing else line, *(f"    unsteady: {n}" for n in self.unsteady)]

    def _run(self, env: Mapping[str, str], cwd: str) -> int:
        with tempfile.TemporaryDirectory(prefix="operator-console-checks-") as cache:
            code, output = self._shown(self.name, [*self.command, "-o", f"cache_dir={cache}"], env, cwd)
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
            command = [*self._pytest, test, "-p", "no:cacheprovider"]
            code, _ = self._shown(f"{self.name}, once more", command, env, cwd)
            if code == 0:
                self.unsteady.append(test)
            else:
                broken = True
        return broken


def closing_line(output: str) -> str:
    """The last line in which pytest counts outcomes ("2 failed, 40 passed in 3.21s"), or an empty text."""
    lines = (_COLOUR.sub("", line).strip() for line in reversed(output.splitlines()))
    return next((found[1] for line in lines if (found := _CLOSING.match(line))), "")


def run_all(todo: Sequence[Check], env: Mapping[str, str], cwd: str) -> None:
    """Runs each to its end, in turn; from the first that is run aside on, those beside the others."""
    aside = [check for check in todo if check.aside]
    first = todo.index(aside[0]) if aside else len(todo)
    beside = threading.Thread(target=_in_turn, args=(aside, env, cwd), name="aside")
    _in_turn(todo[:first], env, cwd)
    beside.start()
    try:
        _in_turn([check for check in todo[first:] if not check.aside], env, cwd)
    except BaseException:
        for check in aside:
            check.end()
        raise
    finally:
        beside.join()


def _in_turn(todo: Sequence[Check], env: Mapping[str, str], cwd: str) -> None:
    for check in todo:
        check.run(env, cwd)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _started(command: Sequence[str], env: Mapping[str, str], cwd: str, *, apart: bool) -> subprocess.Popen[bytes]:
    """Start a command; `apart` in a session of its own, which gives way to others.

    Linux shares the processors among sessions first, and by niceness only within each. Display tests start a session
    for most of their processes, and each would get as much as all checks together.
    """
    process = subprocess.Popen(
        list(command), env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, bufsize=0, start_new_session=apart,
    )  # fmt: skip
    if apart:
        with suppress(OSError):  # sched(7): only where the kernel groups processes so
            Path(f"/proc/{process.pid}/autogroup").write_text(str(_SESSION_NICENESS))
    return process


def _end_session(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        process.terminate()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)


def _passed_on(process: subprocess.Popen[bytes], show: Callable[[str], object]) -> tuple[int, str]:
    assert process.stdout is not None
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    tail = ""
    try:
        with process.stdout as output:
            while chunk := output.read(_CHUNK_BYTES):
                text = decoder.decode(chunk)
                show(text)
                tail = (tail + text)[-_TAIL_CHARACTERS:]
        return process.wait(), tail
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

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        started = time.monotonic()
        while not self._done.wait(HEARTBEAT_S):
            print(f"    ({self._name}: {time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
