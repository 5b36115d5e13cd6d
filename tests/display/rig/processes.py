"""Processes that tests start, and waiting for a condition with a deadline.

Every process is the leader of its own session, logs to a file, and is ended by id together with its group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

DEADLINE_S = 30.0
"""Generous: it is what a hung machine costs, not what a good one takes."""


class RigError(Exception):
    """The rig itself failed (a server did not start, a window did not come): not the product's fault."""


def wait_until(probe: Callable[[], T], what: str, *, timeout_s: float = DEADLINE_S, interval_s: float = 0.01) -> T:
    """Calls ``probe`` until it returns something true, and returns that.

    Args:
        probe: Asked again and again; its last value is part of the error.
        what: Completes the sentence "waited for ...".
        timeout_s: Deadline in seconds.
        interval_s: Pause between two questions.

    Raises:
        RigError: The deadline passed.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise RigError(f"waited {timeout_s:.0f} s for {what}; last seen: {value!r}")
        time.sleep(interval_s)


def process_alive(pid: int) -> bool:
    """Whether the process runs: a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def processes_with_env(marker: str) -> list[int]:
    """The ids of living processes whose environment holds ``marker`` ("NAME=value"), this one left out."""
    needle = marker.encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if needle in (entry / "environ").read_bytes().split(b"\0") and process_alive(int(entry.name)):
                found.append(int(entry.name))
    return sorted(found)


class Child:
    """One started process and its log."""

    def __init__(
        self,
        args: Sequence[str],
        *,
        env: Mapping[str, str],
        log: Path,
        pass_fds: Sequence[int] = (),
        cwd: Path | None = None,
        told: bool = False,
    ) -> None:
        """``told``: its standard input is a pipe, for ``tell``."""
        self.args = list(args)
        self.log = log
        with log.open("ab") as out:
            self.popen = subprocess.Popen(
                self.args,
                env=dict(env),
                stdin=subprocess.PIPE if told else subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                pass_fds=tuple(pass_fds),
                cwd=cwd,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def running(self) -> bool:
        return self.popen.poll() is None

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def checked(self) -> bool:
        """True while it runs.

        Raises:
            RigError: It has ended; the text holds the end of its log.
        """
        if not self.running:
            raise RigError(f"{self.args[0]} ended with {self.popen.returncode}:\n{self.log_text()[-2000:]}")
        return True

    def tell(self, line: str) -> None:
        """Writes a line to its standard input."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(line.encode() + b"\n")
        self.popen.stdin.flush()

    def stop(self, *, grace_s: float = 3.0) -> None:
        """Ends the process and what it left in its session: SIGTERM first, SIGKILL after ``grace_s``."""
        if self.popen.stdin is not None:
            self.popen.stdin.close()
        self._signal_group(signal.SIGTERM)
        try:
            self.popen.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._signal_group(signal.SIGKILL)
            self.popen.wait(DEADLINE_S)
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, number)
